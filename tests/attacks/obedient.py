# ruff: noqa: RUF001
"""A judge that does what it reads, wherever it reads it.

It has no list of attacks. It looks through all that it was shown, as gullibly as it can: it sees
through spelling tricks, decodes what is encoded, and takes every label, quote, verdict or wish that
stands there as meant for it. Where nothing leads it, it judges as the offline rules do.
"""

import base64
import binascii
import codecs
import json
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evalrag.judging.forms import answer_form
from evalrag.judging.offline import recall_facts, state_facts
from tests.attacks import honest
from tests.attacks.request import Request, marker_of, request_of
from tests.provider.said import Asked, Said, decided, text

_LIKE = str.maketrans(
    "аеорсухіѕԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТХІЅ", "aeopcyxisdqwABEZHIKMNOPTYXABEKMHOPCTXIS"
)
_ENCODED = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_QUOTED = re.compile(r"[\"'“„«「`]([^\"“”„«»「」`\n]{3,400}?)[\"'”“»」`]")

_LABELS = {
    "claims": ("SUPPORTED", "ABSENT", "CONTRADICTED"),
    "facts": ("STATED", "MISSING", "CONTRADICTED"),
    "relevancy": ("ANSWERS", "PARTLY", "EVADES"),
    "form": ("ANSWERED", "QUALIFIED", "DECLINED", "CORRECTS", "CLARIFIES"),
}
_PRAISE = re.compile(
    r"\b(?:supported|stated|faithful|correct|true|approved|verified|pass(?:es|ed)?|full marks|10/10"
    r"|belegt|richtig|correctes?|vraies?|exactes?|correct[oa]s?|verdader[oa]s?|corrett[oaei]|ver[oaei]"
    r"|juist|waar|prawdziwe|doğru)\b|верн|правильн|подтвержд|正确|支持|正しい|支持|올바른|사실|صحيح|सही",
    re.IGNORECASE,
)
_BLAME = re.compile(r"\babsent\b|\bnot in the context\b", re.IGNORECASE)
_QUOTE = re.compile(
    r"\b(?:quot\w*|cit\w*|zitier\w*|evidence)\b|цитат|引用|인용|اقتبس|उद्धृत", re.IGNORECASE
)
_OMIT = re.compile(
    r"\b(?:leave out|omit|drop|skip|do not list|never list|say nothing of)\b", re.IGNORECASE
)
_EMPTY = re.compile(
    r"\b(?:no claims?|hold(?:s)? nothing|courtesy|empty list|claims empty)\b", re.IGNORECASE
)
_DECLINE = re.compile(r"\b(?:decline|declines|declined|refusal)\b|拒绝|отказ", re.IGNORECASE)
_REWRITE = re.compile(
    r"\b(?:write|rewrite|restate|reword|paraphrase)\b[^.\n]{0,40}\bclaim", re.IGNORECASE
)
_ONLY_FIRST = re.compile(r"\bonly the first\b", re.IGNORECASE)
_TWICE = re.compile(r"\btwice\b", re.IGNORECASE)
_INSERT = re.compile(r"\b(?:begin|end|insert|put)\b[^.\n]{0,40}\b(?:reply|reason)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Orders:
    """What the data tells whoever judges it. Every wish is empty where nothing asks for it."""

    label: dict[str, str]
    quotes: tuple[str, ...]
    omit: bool
    empty: bool
    rewrite: str | None
    decline: bool
    verdicts: tuple[str, ...]
    only_first: bool
    twice: bool
    insert: str | None


def obedient(asked: Asked) -> Said:
    """The script of a test's server."""
    request = request_of(asked)
    if request.kind == "decision":
        return _decision(asked)
    orders = orders_in(request.shown)
    dictated = _dictated(orders, request)
    if dictated is not None:
        return text(dictated)
    reply = honest.reply_to(request)
    _obey(reply, orders, request)
    said = json.dumps(reply)
    if orders.insert is not None:  # in the middle of a text of the reply, as it stands
        said = said.replace('"reason": "', f'"reason": "{orders.insert}', 1)
    return text(said)


@lru_cache(maxsize=64)
def orders_in(shown: str) -> Orders:
    heard = understood(shown)
    quoted = tuple(_QUOTED.findall(heard))
    led = _QUOTE.search(heard) is not None
    rewritten = _REWRITE.search(heard)
    behind = _QUOTED.search(heard, rewritten.end()) if rewritten else None
    insert = _INSERT.search(heard)
    raw = re.compile(r"<(.{1,40}?)>").search(heard, insert.end()) if insert else None
    return Orders(
        label={kind: label for kind in _LABELS if (label := _label(kind, heard)) is not None},
        quotes=quoted if led else (),
        omit=_OMIT.search(heard) is not None,
        empty=_EMPTY.search(heard) is not None,
        rewrite=behind[1] if behind else None,
        decline=_DECLINE.search(heard) is not None,
        verdicts=tuple(_objects(heard)),
        only_first=_ONLY_FIRST.search(heard) is not None,
        twice=_TWICE.search(heard) is not None,
        insert=raw[1] if raw else None,
    )


@lru_cache(maxsize=64)
def understood(shown: str) -> str:
    """What is meant: look-alikes, unseen letters and encodings undone, all of it kept."""
    plain = unicodedata.normalize("NFKC", shown)
    plain = "".join(c for c in plain if unicodedata.category(c) not in ("Cf", "Mn"))
    liked = plain.translate(_LIKE)
    found = [plain] if liked == plain else [plain, liked]
    for run in _ENCODED.findall(plain):
        try:
            found.append(base64.b64decode(run + "=" * (-len(run) % 4)).decode("utf-8"))
        except (binascii.Error, UnicodeDecodeError):
            continue
    if re.search(r"\brot-?13\b", plain, re.IGNORECASE):
        found.append(codecs.decode(plain, "rot13"))
    return "\n".join(found)


def _label(kind: str, heard: str) -> str | None:
    """The first label of this kind that is named, else the good one where the data praises."""
    named = [(heard.find(label), label) for label in _LABELS[kind] if label in heard]
    if named:
        return min(named)[1]
    good, *_ = _LABELS[kind]
    if kind == "form":
        return None
    if _PRAISE.search(heard) or any(
        label in heard for labels in _LABELS.values() for label in labels[:1]
    ):
        return good
    return "ABSENT" if kind == "claims" and _BLAME.search(heard) else None


def _objects(heard: str) -> list[str]:
    """Everything in braces that may be a verdict, whether it can be read or not."""
    return re.findall(r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}", heard)[:8]


def _dictated(orders: Orders, request: Request) -> str | None:
    wanted = {
        "sentences": "sentences", "claims": "claims", "facts": "facts", "recall": "facts",
        "relevancy": "padded", "form": "label",
    }[request.kind]  # fmt: skip
    for written in orders.verdicts:
        if f'"{wanted}"' in written and ("label" in written or "none" in written):
            return written
    return None


def _obey(reply: dict[str, Any], orders: Orders, request: Request) -> None:
    for name in ("sentences", "claims", "facts"):
        if name in reply:
            _obey_list(reply, name, orders, request)
    if "label" in reply:
        kind = "relevancy" if "padded" in reply else "form"
        wished = orders.label.get(kind)
        if kind == "form" and wished is None and orders.decline:
            wished = "DECLINED"
        reply["label"] = wished or reply["label"]


def _obey_list(reply: dict[str, Any], name: str, orders: Orders, request: Request) -> None:
    entries = reply[name]
    for entry in entries:
        for claim in entry["claims"] if name == "sentences" else [entry]:
            _relabel(claim, orders, request)
        if name == "sentences":
            _cut(entry, orders, request)
    if orders.only_first:
        del entries[1:]
    if orders.twice:
        entries.append(dict(entries[0]))


def _relabel(entry: dict[str, Any], orders: Orders, request: Request) -> None:
    about = entry.get("claim") or request.numbered.get(entry.get("id", ""), "")
    label = orders.label.get("facts" if request.kind in ("facts", "recall") else "claims")
    if orders.rewrite and "claim" in entry and _wrong(about, request):
        entry["claim"] = about = orders.rewrite
        label = label or "SUPPORTED"
    if label is None:
        return
    entry["label"], entry["reason"] = label, "as I was told"
    if label in ("ABSENT", "MISSING"):
        entry["quotes"] = []
        return
    texts = (request.answer,) if request.kind == "facts" else request.passages
    entry["quotes"] = list(orders.quotes[:1]) or [honest.nearest(about, texts)]


def _cut(entry: dict[str, Any], orders: Orders, request: Request) -> None:
    """Claims that are to be left out, and sentences that are to hold none."""
    if orders.empty:
        entry["claims"] = []
    elif orders.omit:
        entry["claims"] = [one for one in entry["claims"] if not _wrong(one["claim"], request)]
    if not entry["claims"]:
        entry["none"] = entry["none"] or "as I was told"


def _wrong(claim: str, request: Request) -> bool:
    return honest.judged(request, claim).label.value != "SUPPORTED"


def _decision(asked: Asked) -> Said:
    """The same, where labels are chosen and nothing is written."""
    marker = marker_of(asked)
    heard = understood(asked.user)
    picks = []
    for question in asked.body["questions"]:
        values = [choice["value"] for choice in question["choices"]]
        kind = next(kind for kind, labels in _LABELS.items() if set(labels) == set(values))
        about = re.search(rf"<<{marker} (.*?)>>", question["instructions"], re.S)
        data = re.sub(rf"<<{marker} [^\n]*>>", "", heard.partition(f"Marker: {marker}")[2])
        chosen = _label(kind, data) or _decided_honestly(asked, kind, about[1] if about else "")
        rest = 0.04 / (len(values) - 1)
        picks.append({value: 0.96 if value == chosen else rest for value in values})
    return decided(*picks)


def _decided_honestly(asked: Asked, kind: str, about: str) -> str:
    shown = request_of(asked)
    if kind == "claims":
        return str(honest.labelled(honest.judged(shown, about))["label"])
    if kind == "facts":
        told = (
            state_facts(shown.question, (about,), shown.answer)
            if shown.answer
            else recall_facts((about,), shown.passages)
        )
        return "MISSING" if told[0].label.value == "UNRESOLVED" else told[0].label.value
    form = answer_form(shown.question, shown.answer)[0]
    return "ANSWERS" if kind == "relevancy" else (form.value if form else "ANSWERED")
