"""From what a model wrote to a verdict: one JSON object that fits, or nothing.

Nothing here repairs, guesses or defaults. A reply that names what was not asked, leaves something
out, or says it twice settles nothing. What is wrong with one claim or one fact costs that one
alone: what the reply proves of the others stands.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from evalrag.judging.prompts import FACT_LABELS, LABELS, UNSURE, sentences_of
from evalrag.judging.quoted import joined, places
from evalrag.judging.tasks import (
    ClaimsReply,
    ClaimsTask,
    FactsReply,
    FactsTask,
    FormReply,
    FormTask,
    RecallTask,
    RelevancyReply,
    RelevancyTask,
    Reply,
    Task,
    UsefulReply,
    UsefulTask,
)
from evalrag.redaction import well_formed
from evalrag.schema.result import Claim, FactVerdict
from evalrag.schema.words import FactLabel, Form, Label, Relevancy

UNUSABLE = "the reply cannot be used"

_MOST = 2_000
"""Characters of a claim or a reason that are kept."""


_THOUGHT_ENDS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_FENCED = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[ \t]*(?:json)?[ \t]*\n(.*?)^[ \t]*\1[ \t]*$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
"""A Markdown fence. No line of JSON begins like one: a string in it holds no line break."""


class Unreadable(Exception):
    """A reply that does not fit what was asked, and where."""


def reply_of(task: Task, text: str) -> Reply:
    """The verdict that `text` gives on `task`.

    Raises:
        Unreadable: it is not one JSON object, or does not fit the task's schema and ids.
    """
    said = _object(_json(_candidate(text)), "the reply")
    match task:
        case ClaimsTask(claims=()):
            return ClaimsReply(_found(task, said))
        case ClaimsTask(claims=claims):
            found = _by_id(said, "claims", "c", len(claims))
            pairs = zip(claims, found, strict=True)
            return ClaimsReply(
                tuple(
                    _claim(f"c{n}", text, entry, task.context)
                    for n, (text, entry) in enumerate(pairs, 1)
                )
            )
        case FactsTask(facts=facts) | RecallTask(facts=facts):
            return FactsReply(tuple(_facts(facts, _by_id(said, "facts", "f", len(facts)))))
        case RelevancyTask():
            label = _word(said, "label", tuple(Relevancy))
            padded = _true(said, "padded")
            return RelevancyReply(Relevancy(label), padded, _string(said, "reason"))
        case UsefulTask(context=context):
            entries = _by_id(said, "passages", "p", len(context))
            return UsefulReply(tuple(_true(entry, "useful") for entry in entries))
        case FormTask():
            label = _word(said, "label", (*Form, UNSURE))
            reason = _string(said, "reason")
            return FormReply(None if label == UNSURE else Form(label), reason)


def _found(task: ClaimsTask, said: dict[str, Any]) -> tuple[Claim, ...]:
    """The claims of every sentence; a sentence without one says why."""
    claims: list[Claim] = []
    for entry in _by_id(said, "sentences", "s", len(sentences_of(task.answer))):
        made = entry.get("claims")
        if not isinstance(made, list):
            _bad(f"sentence {entry['id']}: claims is no list")
        if not made and not _string(entry, "none").strip():
            _bad(f"sentence {entry['id']} has no claim and no word why")
        for one in made:
            one = _object(one, f"a claim of {entry['id']}")
            text = _string(one, "claim").strip()
            if not text:
                _bad(f"a claim of {entry['id']} has no words")
            claims.append(_claim(f"c{len(claims) + 1}", text, one, task.context))
    return tuple(claims)


def _claim(name: str, text: str, entry: dict[str, Any], context: Sequence[str]) -> Claim:
    try:
        return _labelled(name, text, entry, context)
    except Unreadable as error:
        return Claim(
            id=name,
            text=text[:_MOST],
            label=Label.UNRESOLVED,
            reason=f"{UNUSABLE}: {error}",
            judge_failed=True,
        )


def _labelled(name: str, text: str, entry: dict[str, Any], context: Sequence[str]) -> Claim:
    label = Label(_word(entry, "label", LABELS))
    quote = joined(_strings(entry, "quotes"))
    against = joined(_strings(entry, "against")) if label is Label.SUPPORTED else ""
    resting = places(quote, context)
    return Claim(
        id=name,
        text=text[:_MOST],
        label=label,
        reason=_string(entry, "reason")[:_MOST],
        quote=quote[:_MOST] if quote or label is Label.SUPPORTED else None,
        passages=resting,
        conflict=tuple(place for place in places(against, context) if place not in resting),
    )


def _facts(facts: Sequence[str], found: Iterable[dict[str, Any]]) -> Iterable[FactVerdict]:
    for fact, entry in zip(facts, found, strict=True):
        try:
            yield _fact(fact, entry)
        except Unreadable as error:
            why = f"{UNUSABLE}: {error}"
            yield FactVerdict(fact=fact, label=FactLabel.UNRESOLVED, reason=why, judge_failed=True)


def _fact(fact: str, entry: dict[str, Any]) -> FactVerdict:
    label = FactLabel(_word(entry, "label", FACT_LABELS))
    quote = joined(_strings(entry, "quotes"))
    return FactVerdict(
        fact=fact,
        label=label,
        reason=_string(entry, "reason")[:_MOST],
        quote=quote[:_MOST] if quote or label is FactLabel.STATED else None,
    )


def _by_id(said: dict[str, Any], name: str, letter: str, asked: int) -> list[dict[str, Any]]:
    """The entries in the order they were asked for: none missing, none twice, none extra."""
    entries = said.get(name)
    if not isinstance(entries, list):
        _bad(f"{name} is no list")
    found = {}
    counts: Counter[str] = Counter()
    for entry in entries:
        entry = _object(entry, f"an entry of {name}")
        found[_string(entry, "id")] = entry
        counts[_string(entry, "id")] += 1
    wanted = [f"{letter}{number}" for number in range(1, asked + 1)]
    for name_, times in counts.items():
        if times > 1:
            _bad(f"{_shown(name_)} has {times} verdicts")
        if name_ not in wanted:
            _bad(f"a verdict that was not asked for: {_shown(name_)}")
    for name_ in wanted:
        if name_ not in found:
            _bad(f"no verdict on {name_}")
    return [found[name_] for name_ in wanted]


def _candidate(text: str) -> str:
    """The one place of a reply in which its JSON can stand: the whole of it, or its one fence.

    What a model thinks before it replies is read past. Where there are two places, one of them may
    be the context's: then neither is taken.
    """
    if text.lstrip().startswith("{"):
        return text
    *thought, told = _THOUGHT_ENDS.split(text)
    if len(thought) > 1:
        _bad("it ends thinking more than once")
    fences = list(_FENCED.finditer(told))
    if not fences:
        return told
    if len(fences) > 1:
        _bad("it holds more than one fenced text")
    (fence,) = fences
    if "{" in told[: fence.start()] + told[fence.end() :]:
        _bad("there is more in braces beside the fenced text")
    return fence.group(2)


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_bad)
    except RecursionError:
        _bad("it is nested too deep")
    except ValueError:
        _bad("it is not one JSON object")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        _bad("a key stands in it twice")
    return made


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        _bad(f"{what} is no JSON object")
    return value


def _true(entry: dict[str, Any], name: str) -> bool:
    value = entry.get(name)
    if not isinstance(value, bool):
        _bad(f"{name} is neither true nor false")
    return value


def _string(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    if not isinstance(value, str):
        _bad(f"{name} is no text")
    return _whole(value, name)


def _strings(entry: dict[str, Any], name: str) -> list[str]:
    value = entry.get(name)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        _bad(f"{name} is no list of texts")
    return [_whole(one, name) for one in value]


def _whole(text: str, name: str) -> str:
    """Half a surrogate pair can be sent in JSON, and neither stored nor shown."""
    if well_formed(text) != text:
        _bad(f"{name} holds half a character")
    return text


def _word(entry: dict[str, Any], name: str, known: Sequence[str]) -> str:
    value = _string(entry, name)
    if value not in known:
        _bad(f"{name} is {_shown(value)}, not one of {', '.join(known)}")
    return value


def _shown(text: str) -> str:
    return repr(text[:60])


def _bad(why: str) -> NoReturn:
    raise Unreadable(why)
