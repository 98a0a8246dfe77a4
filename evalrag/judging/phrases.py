"""What the clauses of an answer do: decline, hedge, be polite, point elsewhere, ask back, state.

A sentence is cut at its joints, and each clause is held against the closed lists of
`words/en.toml`, all of it: what no list covers is a statement. So a decline hides nothing that
stands behind it, whatever joins the two.
"""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from evalrag.judging.words import listed, pattern
from evalrag.text import Token, Value, same_value, tokens

LONGEST = 300
"""Characters of a clause that are looked at; a longer one is a statement."""


class Role(StrEnum):
    """What one clause does."""

    DECLINE = "DECLINE"
    HEDGE = "HEDGE"
    """Doubt: alone it declines, beside a statement it softens that."""
    FILLER = "FILLER"
    """Courtesy, an offer, a pointer, a frame, what the sources are about."""
    QUESTION = "QUESTION"
    OPEN = "OPEN"
    """May decline, in words that no list has."""
    STATEMENT = "STATEMENT"


class Part(NamedTuple):
    """A clause, or several of one role: `text[start:end]` of the sentence."""

    role: Role
    start: int
    end: int


class _Clause(NamedTuple):
    words: tuple[Token, ...]
    text: str
    """As the patterns see it."""
    comma: bool
    """Only a comma joins it to the clause before."""
    line: bool
    """Only the end of a line joins it."""


_DASH = re.compile(r"\s-{1,3}\s|[\u2013\u2014\u2015]|-{2,3}|\u2026|\.\.|[/=>\u2192]\s")
_CITED = re.compile(r"\[\^?\d{1,3}(?:\s*[,-]\s*\d{1,3}){0,8}\]|\u3010[^\u3011]{0,40}\u3011")
_PRONOUN_IS = re.compile(
    r"\b(?:it|they|he|she|this|that|there|the [\w-]+(?: [\w-]+){0,3}) "
    r"(?:is|are|was|were|costs?|takes?|has|had|must be|should be|will be|would be|can be|may be)\b"
)
_ASKED = re.compile(r"\b(?:wh\w+|how|if|whether|that|because|as)\b")
_DENIAL = re.compile(r"\b(?:not|no|nothing|none|never|neither|unable|unclear|unknown|nowhere)\b")
_SUPPOSED = re.compile(
    r"^(?:if|when|where|in case|should|unless|once)\b|\b(?:if|unless|because|for which|whose)\b"
)
_TOPIC = re.compile(r"\b(?:about|on|for|of|how|what|when|whether|if|which|why|regarding|from)\b.*#")
"""A figure in what is not known: `I don't know whether it is £12`."""
_ITEM = 3
"""Words of an item in a list of what is not known."""
_ONCE = frozenset({"one", "first", "once", "2 way"})
_CONTACT = frozenset({"email", "url"})
_FIGURES = re.compile(
    r"\b(?:documents?|passages?|sources?|articles?|results?|section|page|chapter|context|chunk) #"
    r"|# (?:\w+ ){0,2}(?:documents?|passages?|sources?|articles?|results?|pages|excerpts)\b"
    r"|# (?:sure|certain|confident|positive)\b|# #(?= |$)(?=.*\b(?:team|support|us|line|chat)\b)"
    r"|\b(?:my (?:\w+ )?(?:knowledge|training|data|update)|cutoff|cut off)\b.*#"
)
_I_NOT = re.compile(
    r"\bi (?:\w+ ){0,3}?(?:not|never|no|nothing|unable)\b|\bi am (?:\w+ ){0,2}?(?:not|unable)\b"
    r"|\b(?:not|no) (?:\w+ ){0,3}?(?:me|i|my)\b"
    r"|\b(?:not|no|nothing|none|unable|neither|nowhere|without|beyond|outside)\b.*"
    r"\b(?:(?:your|this|that) (?:question|query|request|topic|subject)|knowledge base"
    r"|help cent(?:re|er)|documentation|my sources|the context|passages|excerpts|search results"
    r"|faqs?|information (?:on|about|regarding))\b"
    r"|\b(?:my sources|the context|passages|excerpts|search results|knowledge base)\b.*"
    r"\b(?:not|no|nothing|none)\b"
)
_OF_ANY = re.compile(r"\bi (?:\w+ )?do not know of (?:any|an?|no)\b")


def parts(sentence: str, question: str = "") -> tuple[Part, ...]:
    """The clauses of a sentence by what they do, in order; none of one without words.

    Values that the question states are given; any other makes a statement of its clause.
    Where nothing declines, a sentence that states something is one statement, whatever stands
    beside it.

    >>> [part.role.value for part in parts("I don't know, but it is £12.")]
    ['DECLINE', 'STATEMENT']
    """
    return _once(sentence, question)


def _parts(sentence: str, question: str) -> tuple[Part, ...]:
    clauses = _unbroken(_cut(sentence))
    if not clauses:
        return ()
    given = [token.value for token in tokens(question[:2000]) if token.value is not None]
    contact = bool(listed("contact") & {token.word for token in tokens(question[:2000])})
    found: list[tuple[Role, _Clause]] = []
    asks = sentence.rstrip("\"'”\u2019)*_ ").endswith("?")
    for at, clause in enumerate(clauses):
        if asks and _ask_back(clauses[at:]):
            free = not _values([t for c in clauses[at:] for t in c.words], given)
            role = Role.QUESTION if free or len(found) == 0 else Role.STATEMENT
            found += [(role, one) for one in clauses[at:]]
            break
        role = _role(clause, given, contact, asks and at + 1 == len(clauses))
        if role in (Role.STATEMENT, Role.OPEN) and _behind(clause, found, given):
            role = Role.DECLINE
        found.append((role, clause))
    found = _listed_behind(_led(found))
    return tuple(_spans(found, len(sentence)))


_once = lru_cache(maxsize=8192)(_parts)


def _ask_back(clauses: Sequence[_Clause]) -> bool:
    """Do these clauses, to the question mark, ask what was meant, or offer help?"""
    text = " ".join(clause.text for clause in clauses)
    if len(text) > LONGEST:
        return False
    bare = _bare(text)
    return any(pattern(role).fullmatch(one) for role in ("asks", "offer") for one in (text, bare))


def declines(sentence: str) -> bool:
    """Says of the sources, or of the one who speaks, that it is not known there."""
    return any(part.role in (Role.DECLINE, Role.HEDGE) for part in parts(sentence))


def only(sentence: str, *roles: str) -> bool:
    """Is all of the sentence of these lists?"""
    found = _cut(sentence)
    return bool(found) and all(
        not _bare(one.text) or any(_covers(role, one.text) for role in (*roles, "courtesy"))
        for one in found
    )


def polite(sentence: str) -> bool:
    """A courtesy and nothing else: `Sorry to hear that`, and not `Sorry, we are closed`."""
    return only(sentence, "courtesy")


def offers(sentence: str) -> bool:
    return only(sentence, "offer")


def points(sentence: str) -> bool:
    """Sends the reader elsewhere, without a figure that could be true or false."""
    found = parts(sentence)
    if "#" in flat(sentence):
        return False
    return (
        bool(found)
        and only(sentence, "pointer", "offer", "caveat")
        and not any(part.role is not Role.FILLER for part in found)
    )


def meta(sentence: str) -> bool:
    """Says what the sources are about, and nothing of the subject."""
    return only(sentence, "meta")


def asks(sentence: str) -> bool:
    """Asks back what was meant."""
    return any(_covers("asks", " ".join(c.text for c in _cut(sentence)[at:])) for at in range(3))


def denies_premise(sentence: str) -> bool:
    """Says outright that what was asked takes something wrong for granted."""
    return any(pattern("premise").search(clause.text[:LONGEST]) for clause in _cut(sentence))


def denied(sentence: str) -> str | None:
    """What it says does not exist or is not offered; None where it says nothing of the kind."""
    low = " ".join(_bare(clause.text) or "" for clause in _cut(sentence)[:3]).strip()[:LONGEST]
    match = pattern("denied").match(low)
    if match is not None:
        return low[match.end() :]
    match = pattern("nonexistent").search(low)
    return None if match is None else low[: match.start()]


def signs_off(sentence: str) -> bool:
    """`Best regards,`: what follows may be a name."""
    return any(pattern("signs_off").fullmatch(clause.text) for clause in _cut(sentence))


def name(text: str) -> bool:
    """`Tom from the Support Team`: a few words, and no figure or verb."""
    found = tokens(text)
    return len(found) <= 7 and not any(
        token.value is not None or token.word in listed("verbs") for token in found
    )


def told(sentence: str, question: str = "") -> list[str] | None:
    """What a sentence states beside declining, clause by clause; None where it declines nothing."""
    found = parts(sentence, question)
    if not {Role.DECLINE, Role.HEDGE} & {part.role for part in found}:
        return None
    said = [
        p
        for p in found
        if p.role is Role.STATEMENT or (p.role is Role.OPEN and _tells(p, sentence))
    ]
    return [sentence[part.start : part.end].strip(" ,;:()-\u2013\u2014") for part in said]


def _tells(part: Part, sentence: str) -> bool:
    """Has it a figure, which can be true or false?"""
    return "#" in flat(sentence[part.start : part.end])


def flat(sentence: str) -> str:
    """All of it as the patterns see it."""
    return " ".join(clause.text for clause in _cut(sentence))


def _cut(sentence: str) -> list[_Clause]:
    return list(_cut_once(sentence))


@lru_cache(maxsize=4096)
def _cut_once(sentence: str) -> tuple[_Clause, ...]:
    text = _CITED.sub(lambda match: " " * len(match.group()), sentence)
    found = tokens(text)
    cuts = [at for at in range(1, len(found)) if _joint(text, found, at)]
    pieces = []
    for begin, end in zip([0, *cuts], [*cuts, len(found)], strict=True):
        words = found[begin:end]
        if words:
            low = " ".join("#" if _figure(token) else token.word for token in words)
            comma = begin > 0 and found[begin].mark.strip("'\"*_") in (",", "")
            line = (
                begin > 0
                and not found[begin].mark
                and "\n" in text[found[begin - 1].end : words[0].start]
            )
            pieces.append(_Clause(words, low, comma, line))
    return tuple(pieces)


def _unbroken(clauses: Sequence[_Clause]) -> list[_Clause]:
    """A line that a narrow column broke is one clause where its first half is none of the lists."""
    out: list[_Clause] = []
    for one in clauses:
        if out and one.line:
            last = out[-1]
            joined = last._replace(words=last.words + one.words, text=f"{last.text} {one.text}")
            on = one.words[0].word in listed("prepositions")
            if on or _by_lists(last.text)[0] is Role.STATEMENT:
                out[-1] = joined
                continue
        out.append(one)
    return out


def _figure(token: Token) -> bool:
    return token.value is not None and token.word not in _ONCE


def _joint(text: str, found: Sequence[Token], at: int) -> bool:
    """Does a new clause begin at this token?"""
    token, behind = found[at], found[at + 1 : at + 8]
    gap = text[found[at - 1].end : token.start]
    if set(token.mark) & set(",;:()!?") or _DASH.search(gap):
        return True
    if "\n" in gap:
        return True
    if "." in token.mark and len(gap) > 1:
        return True
    word, then = token.word, behind[0].word if behind else ""
    if word in listed("joints"):
        return bool(behind) and found[at - 1].word not in ("nothing", "anything", "all", "none")
    if word in ("and", "or", "so", "since", "as", "yet", "still", "when", "if"):
        before = " ".join(one.word for one in found[max(0, at - 8) : at])
        return _clause_behind(word, then, behind, before)
    if word == "which":
        return at > 4 and then in ("is", "are", "was", "were", "costs", "means")
    if (word, then) in (("other", "than"), ("apart", "from")):
        return True
    if word in ("perhaps", "maybe", "probably"):
        return found[at - 1].word not in listed("verbs")
    return False


def _clause_behind(word: str, then: str, behind: Sequence[Token], before: str) -> bool:
    if word == "so":
        return then not in ("far", "much", "many", "on", "that", "soon", "")
    if word in ("when", "if"):
        return False
    if word == "and" and pattern("placed").search(before):
        return True
    if then in listed("starts") and word in ("and", "or", "since", "as"):
        return True
    if then in listed("subjects"):
        verb = any(one.word in listed("verbs") for one in behind[1:])
        return verb and not any(one.mark for one in behind[1:3])
    return False


def _bare(text: str) -> str:
    """A clause without the small words and regrets in front of it."""
    if len(text) > LONGEST:
        return text
    for _ in range(8):
        match = pattern("lead").match(text)
        while match and match.end() and text[match.end() : match.end() + 1] not in ("", " "):
            match = None
        if match is None or not match.end():
            return text
        text = text[match.end() :].lstrip()
    return text


def _covers(role: str, text: str) -> bool:
    if len(text) > LONGEST:
        return False
    bare = _bare(text)
    return bool(pattern(role).fullmatch(text) or (bare and pattern(role).fullmatch(bare)))


@lru_cache(maxsize=16384)
def _by_lists(text: str) -> tuple[Role, str]:
    """The role of a clause by the lists alone, and the list."""
    if len(text) > LONGEST:
        return Role.STATEMENT, ""
    bare = _bare(text)
    if not bare:
        return Role.FILLER, "courtesy"
    if any(pattern("request").fullmatch(one) for one in (text, bare)):
        return Role.QUESTION, "request"
    for role, names in (
        (Role.HEDGE, ("hedge",)),
        (Role.DECLINE, ("decline",)),
        (Role.FILLER, ("caveat", "courtesy", "offer", "pointer", "meta", "frame")),
    ):
        for name in names:
            if any(pattern(name).fullmatch(one) and not _vetoed(name, one) for one in (text, bare)):
                return role, name
    return Role.STATEMENT, ""


def _vetoed(name: str, text: str) -> bool:
    """`Letters go back if it is not stated`; `Staff cannot help with luggage`."""
    denial = _DENIAL.search(text)
    if name in ("decline", "hedge"):
        supposed = _SUPPOSED.search(text)
        return bool(supposed and denial and supposed.start() < denial.start())
    condition = text.find(" if ")
    plain = denial is not None and (condition < 0 or denial.start() < condition)
    return name == "pointer" and plain


def _role(clause: _Clause, given: Sequence[Value], contact: bool, asks: bool) -> Role:
    role, name = _by_lists(clause.text)
    if role is Role.STATEMENT:
        if asks:
            return Role.OPEN
        maybe = _I_NOT.search(clause.text) and not _OF_ANY.search(clause.text)
        return Role.OPEN if maybe and "#" not in clause.text else Role.STATEMENT
    if _values(clause.words, given, contact=name in ("pointer", "offer", "frame") and not contact):
        text, harmless = _FIGURES.subn("", clause.text)
        if role is Role.DECLINE and _TOPIC.search(text):
            return Role.OPEN
        if "#" in text or not harmless:
            return Role.STATEMENT
    states = name not in ("courtesy", "caveat") and _PRONOUN_IS.search(_bare(clause.text))
    if states and states.start() and not _ASKED.search(_bare(clause.text), 0, states.end()):
        head = _bare(clause.text)[: states.start()].strip()
        if role is not Role.FILLER and _by_lists(head)[0] in (Role.DECLINE, Role.HEDGE):
            return Role.STATEMENT
        if role is Role.FILLER and name in ("pointer", "offer"):
            return Role.STATEMENT
    return role


def _behind(clause: _Clause, found: Sequence[tuple[Role, _Clause]], given: Sequence[Value]) -> bool:
    """Does it decline by what stands before: `and do not mention it`, `and there is no date`?"""
    if len(clause.text) > LONGEST or _values(clause.words, given):
        return False
    if found and found[-1][0] is Role.STATEMENT:
        return False
    names = ["decline_behind"]
    if found and pattern("searching").match(_bare(found[-1][1].text)):
        names.append("decline_searched")
    return any(
        pattern(name).fullmatch(one) and not _vetoed("decline", one)
        for name in names
        for one in (clause.text, _bare(clause.text))
    )


def _values(
    words: Sequence[Token], given: Sequence[Value], *, contact: bool = False
) -> list[Value]:
    """The values that the question does not state, nor an address, where that is a pointer's."""
    found = []
    for token in words:
        value = token.value
        if value is None or not _figure(token) or any(same_value(value, one) for one in given):
            continue
        phone = value.kind == "code" and value.unit.isdigit()
        if contact and (phone or value.kind in _CONTACT):
            continue
        found.append(value)
    return found


def _led(found: list[tuple[Role, _Clause]]) -> list[tuple[Role, _Clause]]:
    """`For visas, please ...`: what only says what the next clause is about goes with it."""
    out = list(found)
    for at in reversed(range(len(out) - 1)):
        role, clause = out[at]
        free = "#" not in clause.text and not _PRONOUN_IS.search(clause.text)
        if role is Role.STATEMENT and free and pattern("topic").fullmatch(_bare(clause.text)):
            out[at] = (out[at + 1][0], clause)
    return out


def _listed_behind(found: list[tuple[Role, _Clause]]) -> list[tuple[Role, _Clause]]:
    """`... about orders, returns, and billing`: the rest of a list that a clause began."""
    out = list(found)
    at = 0
    while at < len(out):
        role, clause = out[at]
        end = at + 1
        while end < len(out) and out[end][0] is Role.STATEMENT and _item(out[end][1]):
            end += 1
        if role in (Role.DECLINE, Role.FILLER, Role.HEDGE) and end > at + 1:
            last = out[end - 1][1].words[0].word
            middle = clause.words[-6:]
            opens = any(token.word in listed("prepositions") for token in middle)
            opens = opens and not pattern("caveat").fullmatch(_bare(clause.text))
            if role is not Role.FILLER:
                items = [one for _, one in out[at + 1 : end]]
                opens = opens and all(len(one.words) - 1 <= _ITEM for one in items)
                opens = opens and not pattern("placed").search(clause.text)
            ends = {token.word for token in out[end - 1][1].words} & {"and", "or", "nor"}
            if (ends or last in ("like", "such", "including", "as")) and opens:
                out[at + 1 : end] = [(role, one) for _, one in out[at + 1 : end]]
        at = end
    return out


def _item(clause: _Clause) -> bool:
    short = len(clause.words) <= 6 and "#" not in clause.text and clause.comma
    return short and not any(
        token.word in listed("verbs") or token.word in listed("pronouns") for token in clause.words
    )


def _spans(found: list[tuple[Role, _Clause]], end: int) -> Iterator[Part]:
    roles = [role for role, _ in found]
    if Role.STATEMENT in roles and not {Role.DECLINE, Role.HEDGE} & set(roles):
        tail = roles.index(Role.QUESTION) if Role.QUESTION in roles else len(roles)
        head = found[:tail]
        if any(role is Role.STATEMENT for role, _ in head):
            stop = head[-1][1].words[-1].end
            yield Part(Role.STATEMENT, 0, end if tail == len(roles) else stop)
            found = found[tail:]
    at = 0
    while at < len(found):
        role = found[at][0]
        last = at
        while last + 1 < len(found) and found[last + 1][0] is role:
            last += 1
        stop = end if last + 1 == len(found) else found[last][1].words[-1].end
        yield Part(role, _start(found[at][1]), stop)
        at = last + 1


def _start(clause: _Clause) -> int:
    """Where it begins, behind a word that only joins it to what stands in front."""
    words = clause.words
    for at, token in enumerate(words[:-1]):
        if token.word not in listed("joining"):
            return words[at].start
    return words[-1].start
