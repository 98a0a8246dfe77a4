"""Digests of what can change a score. The same content gives the same digest, however written."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring as _text
from typing import Any

from evalrag.schema.evidence import Evidence
from evalrag.schema.row import LOOSE, Row, Wordings, default_forms
from evalrag.schema.rows import Golden, PlainRow
from evalrag.schema.words import Kind

LENGTH = 16
"""Hexadecimal digits kept: 64 bits."""


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def digest(value: Any) -> str:
    """Digest of a JSON value in canonical form: sorted keys, no white space, plain Unicode."""
    return _hashed(_CANONICAL(value))


def whole_digest(value: Any) -> str:
    """All 256 bits of a digest, for what must not collide even where a text was made to.

    Two texts of one 64-bit digest can be found in minutes.
    """
    return _sha256(_CANONICAL(value))


def _hashed(text: str) -> str:
    return _sha256(text)[:LENGTH]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def asked_digest(row: Golden) -> str:
    """Over kind, question, history and inputs, white space at the ends of texts dropped."""
    if not row.history and not row.inputs:
        return _hashed(f'["{row.kind._value_}",{_text(row.question.strip())},[]]')
    turns = [[turn.role, turn.content.strip()] for turn in row.history]
    inputs = [dict(row.inputs)] if row.inputs else []
    return digest([row.kind.value, row.question.strip(), turns, *inputs])


def row_digest(row: Row, *, asked: str | None = None) -> str:
    """Over every field that can change a score, with defaults filled in.

    Fields that came later leave no trace where they are not written.

    A note, a reviewer, a tag or a split changes nothing. Alternatives and gold keep their order,
    which decides nothing but is cheap to keep stable. `asked` is the row's `asked_digest`, where
    it is known already.
    """
    later = {
        "answer_contains": _wordings(row.answer_contains),
        "answer_excludes": list(row.answer_excludes),
        "forbidden": _evidences(row.forbidden),
    }
    return digest(
        {
            "id": row.id,
            "asked": asked if asked is not None else asked_digest(row),
            "gold": _evidences(row.gold),
            "superseded": _evidences(row.superseded),
            "near_miss": _evidences(row.near_miss),
            "acceptable": _evidences(row.acceptable),
            "reference_answer": row.reference_answer,
            "reference_facts": _wordings(row.reference_facts),
            "because": row.unanswerable_because,
            "expect": sorted(row.expected_forms),
            "standalone_question": row.standalone_question,
            **{name: value for name, value in later.items() if value},
        }
    )


def _wordings(said: Sequence[Wordings]) -> list[str | list[str]]:
    """A single wording is the text, however it was written."""
    return [each[0] if len(each) == 1 else list(each) for each in said]


def plain_digests(row: PlainRow) -> tuple[str, str]:
    """The `row_digest` and the `asked_digest` of a plain row: its canonical form is soon written.

    A law in `tests/laws` holds the two ways against each other.
    """
    asked = asked_digest(row)
    gold, acceptable, superseded, near_miss = _chunks(row.gold), "", "", ""
    if row.acceptable or row.superseded or row.near_miss:
        acceptable, superseded = _chunks(row.acceptable), _chunks(row.superseded)
        near_miss = _chunks(row.near_miss)
    answer = row.more.get("reference_answer")
    said = _text(answer) if answer is not None else "null"
    return _hashed(
        f'{{"acceptable":[{acceptable}],"asked":"{asked}","because":null,'
        f'"expect":{_FORMS[row.kind]},"gold":[{gold}],"id":{_text(row.id)},'
        f'"near_miss":[{near_miss}],"reference_answer":{said},"reference_facts":[],'
        f'"standalone_question":null,"superseded":[{superseded}]}}'
    ), asked


_FORMS = {kind: _CANONICAL(sorted(default_forms(kind, None))) for kind in Kind}


def _chunks(chunks: Sequence[str]) -> str:
    return ",".join([f'{{"chunk":{_text(chunk)}}}' for chunk in chunks]) if chunks else ""


def dataset_digest(row_digests: Iterable[str]) -> str:
    """Over the rows' digests, in any order."""
    return digest(sorted(row_digests))


def _evidences(evidences: Iterable[Evidence]) -> list[Any]:
    return [_evidence(evidence) for evidence in evidences]


def _evidence(evidence: Evidence) -> dict[str, Any]:
    if evidence.chunk is not None and evidence.grade == 1 and not evidence.metadata:
        return {"chunk": evidence.chunk}
    return evidence.model_dump(mode="json", exclude_defaults=True)


def asks_of(row: Row) -> tuple[str, ...]:
    """Of each label that asks something of the row its field and a short digest.

    A gold evidence with alternatives has a digest for each of them too, as `alternative`. Empty
    for a row of nothing but gold without alternatives, whose evidence says all.
    """
    asked = [(field, entry) for field in LOOSE for entry in _entries(getattr(row, field))]
    alternatives = [("alternative", part) for gold in row.gold for part in gold.any_of or ()]
    if not (asked or alternatives):
        return ()
    found = [*(("gold", gold) for gold in row.gold), *alternatives, *asked]
    return tuple([f"{field}:{_short(entry)}" for field, entry in found])


def _entries(said: Any) -> Iterable[Any]:
    return (said,) if isinstance(said, str) else said or ()


def _short(entry: Any) -> str:
    if isinstance(entry, Evidence):
        entry = entry.model_dump(mode="json", exclude_defaults=True)
    return digest(entry)[:8]
