"""The characters that a reader sees, each with its place in the text as written.

HTML entities are read, tags and comments and struck-out words dropped, Markdown marks dropped,
Unicode forms, quotes, dashes, spaces and digits made equal. Case stays: `GB` is not `Gb`.
"""

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from evalrag.text.words import elements

SPACELESS = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff"  # kana, bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
"""Scripts without spaces between words, as the inside of a character class."""

SIGNS = (
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc\u02b9\uff07`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2212\ufe58\ufe63\uff0d", "-")
    | {"\u066a": "%", "\u066b": ".", "\u066c": ",", "\u2044": "/", "\u2022": "\u2022"}
)
"""Signs of one meaning, by the one that stands for them."""

_OPTIONAL = re.compile(
    "[\u0610-\u061a\u0640\u064b-\u0652\u0670\u06d6-\u06ed\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]"
)
"""Arabic and Hebrew marks that a writer may leave out."""

_EMPHASIS = str.maketrans("", "", "*_`")
"""Marks that a wide form of their own became."""


_SPECIAL = re.compile(
    r"(?P<control>\x1b\[[0-?]{0,32}[ -/]{0,8}[@-~]|\x1b\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)"
    r"|\x1b[@-Z\\^_]|[\x00-\x08\x0e-\x1f\x7f])"
    r"|(?P<comment><!--)"
    r"|<(?P<close>/?)(?P<tag>[A-Za-z][A-Za-z0-9]{0,15})(?:[\s/][^<>]{0,600})?>"
    r"|&(?P<entity>\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
    r"|~~(?=\S)(?P<struck>[^~]{1,600})~~"
    r"|!?\[(?P<label>[^\[\]]{1,300})\]\([^()\s]{0,1000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?"
    r"(?:\s+\"[^\"\n]{0,200}\")?\s?\)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<mark>\*{1,3}|(?<![^\W_])_{1,3}|_{1,3}(?![^\W_])|`{1,3})"
    r"|(?P<unicode>[A-Za-z]?[^\x00-\x7f]+)"
)


@dataclass(frozen=True, slots=True)
class Plain:
    """`text` is what a reader sees; its character `n` stands at `starts[n]:ends[n]` as written."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    hidden: Sequence[tuple[int, int, int]] = ()
    """What a reader does not see: start, end, and how long it is."""


def plain(text: str) -> Plain:
    """The characters of `text` that a reader sees, with their places.

    >>> plain("Caf&eacute;s: **30**&nbsp;days, `soft_limit`, [page](https://a.b)").text
    'Cafés: 30 days, soft_limit, page'
    """
    out = _Writer(text)
    missing: set[str] = set()
    at = 0
    skips: dict[int, int] = {}
    while True:
        match = _SPECIAL.search(text, at)
        begin = match.start() if match else len(text)
        link = min((place for place in skips if at <= place < begin), default=-1) if skips else -1
        if link >= 0:
            out.copy(at, link)
            at = skips.pop(link)
            continue
        if match is None:
            out.copy(at, len(text))
            break
        out.copy(at, begin)
        if begin in skips:
            at = skips.pop(begin)
            continue
        at = _special(text, match, out, missing, skips)
    return out.done()


_COMMENT = re.compile(r"<!--|~~|<(?:script|style|del|s|strike|template|title)[\s>]", re.IGNORECASE)


def visible(text: str) -> str:
    """The text with spaces for comments and struck-out words, so that places stay.

    >>> visible("a <!-- b. --> c ~~d.~~ e")
    'a             c        e'
    """
    if not _COMMENT.search(text):
        return text
    seen = plain(text)
    kept: list[str] = []
    last = 0
    for start, end, width in seen.hidden:
        kept += [text[last:start], " " * width]
        last = end
    return "".join([*kept, text[last:]])


def _special(
    text: str, match: re.Match[str], out: "_Writer", missing: set[str], skips: dict[int, int]
) -> int:
    """Write what a special run of characters stands for; where reading goes on."""
    begin, end = match.span()
    kind = match.lastgroup
    if match["control"]:
        return end
    if match["comment"]:
        return _hidden(text, "-->", begin, end, missing, out)
    if match["tag"]:
        return _tag(text, match, out, missing)
    if match["entity"]:
        found = html.unescape(match.group())
        out.put(_letters(found) if found != match.group() else found, begin, end)
    elif match["label"]:
        skips[match.end("label")] = end
        return match.start("label")
    elif match["struck"]:
        return out.hide(begin, end)
    elif match["escaped"]:
        out.put(match["escaped"], begin, end)
    elif kind == "mark":
        sign = match.group()
        between = text[begin - 1 : begin].isdigit() and text[end : end + 1].isdigit()
        if between and sign == "*":
            out.put("*", begin, end)
    elif kind == "unicode":
        _unicode(text, begin, end, out)
    return end


def _hidden(text: str, closing: str, begin: int, at: int, missing: set[str], out: "_Writer") -> int:
    """Where something that is not shown ends; at once, where it never does."""
    found = -1 if closing in missing else text.find(closing, at)
    if found < 0:
        missing.add(closing)
        out.put(" ", at - 1, at)
        return at
    return out.hide(begin, text.find(">", found) + 1)


def _tag(text: str, match: re.Match[str], out: "_Writer", missing: set[str]) -> int:
    begin, end = match.span()
    name, closing = match["tag"].lower(), bool(match["close"])
    if name in elements("hidden") and not closing and f"</{name}" not in missing:
        found = text.find(f"</{name}", end)
        if found < 0:
            found = text.find(f"</{name.upper()}", end)
        if found >= 0:
            shut = text.find(">", found)
            return out.hide(begin, shut + 1 if shut >= 0 else len(text))
        missing.add(f"</{name}")
    if name in elements("blocks"):
        out.put("\n", begin, end)
    elif name in elements("cells"):
        out.put("|", begin, end)
    elif name == "sup" and not closing and text[begin - 1 : begin].isdigit():
        out.put("^", begin, end)
    elif name not in elements("inline") | elements("hidden"):
        out.copy(begin, end)
    return end


def _unicode(text: str, begin: int, end: int, out: "_Writer") -> None:
    at = begin
    while at < end:
        stop = at + 1
        while stop < end and (
            unicodedata.combining(text[stop]) or "\u1160" <= text[stop] < "\u1200"
        ):
            stop += 1
        out.put(_letters(text[at:stop]), at, stop)
        at = stop


@lru_cache(maxsize=4096)
def _letters(cluster: str) -> str:
    """A letter with its marks, or a sign, in the one form that stands for all of them."""
    found = []
    for sign in unicodedata.normalize("NFC", cluster):
        if sign in SIGNS:
            found.append(SIGNS[sign])
        elif unicodedata.category(sign) == "No" and unicodedata.numeric(sign) % 1:
            found.append(sign)  # ½ stays one sign: "1½" is not 11/2
        elif sign in "\u00b2\u00b3":
            found.append(sign)
        elif unicodedata.category(sign) == "No" and unicodedata.normalize("NFKC", sign).isdecimal():
            found.append(" ")  # a footnote's number
        elif unicodedata.category(sign) in ("Cf", "Cc") and sign not in "\n\t\r\x0b\x0c":
            continue
        else:
            found.append(unicodedata.normalize("NFKC", sign))
    joined = _OPTIONAL.sub("", unicodedata.normalize("NFC", "".join(found)))
    joined = joined.translate(_EMPHASIS)
    if joined.isascii():
        return joined
    return "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() else SIGNS.get(sign, sign)
        for sign in joined
    )


class _Writer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.hidden: list[tuple[int, int, int]] = []

    def copy(self, begin: int, end: int) -> None:
        if begin < end:
            self.parts.append(self.text[begin:end])
            self.starts.extend(range(begin, end))
            self.ends.extend(range(begin + 1, end + 1))

    def put(self, written: str, begin: int, end: int) -> None:
        self.parts.append(written)
        self.starts.extend([begin] * len(written))
        self.ends.extend([end] * len(written))

    def hide(self, begin: int, end: int) -> int:
        self.put(" ", begin, end)
        self.hidden.append((begin, end, end - begin))
        return end

    def done(self) -> Plain:
        return Plain("".join(self.parts), self.starts, self.ends, self.hidden)
