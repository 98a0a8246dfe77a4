"""Digests of what can change a score. The same content gives the same digest, however written."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from evalrag.schema.evidence import Evidence
from evalrag.schema.row import Row

LENGTH = 16
"""Hexadecimal digits kept: 64 bits."""


def digest(value: Any) -> str:
    """Digest of a JSON value in canonical form: sorted keys, no white space, plain Unicode."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]


def asked_digest(row: Row) -> str:
    """Over kind, question and history, white space at their ends dropped."""
    turns = [[turn.role, turn.content.strip()] for turn in row.history]
    return digest([row.kind.value, row.question.strip(), turns])


def row_digest(row: Row) -> str:
    """Over every field that can change a score, with defaults filled in.

    A note, a reviewer, a tag or a split changes nothing. Alternatives and gold keep their order,
    which decides nothing but is cheap to keep stable.
    """
    return digest(
        {
            "id": row.id,
            "asked": asked_digest(row),
            "gold": _evidences(row.gold),
            "superseded": _evidences(row.superseded),
            "near_miss": _evidences(row.near_miss),
            "acceptable": _evidences(row.acceptable),
            "reference_answer": row.reference_answer,
            "reference_facts": list(row.reference_facts),
            "because": row.unanswerable_because,
            "expect": sorted(row.expected_forms),
            "standalone_question": row.standalone_question,
        }
    )


def dataset_digest(row_digests: Iterable[str]) -> str:
    """Over the rows' digests, in any order."""
    return digest(sorted(row_digests))


def _evidences(evidences: Iterable[Evidence]) -> list[Any]:
    return [evidence.model_dump(mode="json", exclude_defaults=True) for evidence in evidences]
