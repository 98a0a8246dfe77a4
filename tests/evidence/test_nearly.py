"""What stands in the place of evidence that is not found: by its writing, or its metadata."""

from typing import Any

import pytest

from evalrag.evidence.nearly import in_words, nearly
from evalrag.schema.evidence import Evidence
from evalrag.schema.run import Reading

QUOTE = "Returns are accepted within 30 days of delivery"


def found(evidence: Any, *candidates: Any) -> tuple[str, str, int] | None:
    wanted = Evidence.model_validate(evidence)
    there = nearly(wanted, list(candidates), Reading())
    if there is None:
        return None
    assert in_words(there)
    return there["why"], there["field"], there["candidate"]


def other(**fields: Any) -> dict[str, Any]:
    return {"id": "x", "text": "Something else.", **fields}


@pytest.mark.parametrize(
    ("evidence", "candidates", "expected"),
    [
        ({"chunk": "caf\u00e9"}, [other(), other(id="cafe\u0301")], ("spelling", "id", 2)),
        ({"chunk": "docs/a.md"}, [other(id="docs\\a.md")], ("spelling", "id", 1)),
        ({"chunk": "docs/a.md"}, [other(id="./docs/a.md")], ("spelling", "id", 1)),
        ({"chunk": "docs/a b.md"}, [other(id="docs/a%20b.md")], ("spelling", "id", 1)),
        ({"chunk": "A-1"}, [other(id="a-1")], ("spelling", "id", 1)),
        ({"doc": "Refunds"}, [other(doc="refunds")], ("spelling", "doc", 1)),
        (
            {"doc": "r", "metadata": {"version": "3"}},
            [other(doc="r", metadata={"version": 3})],
            ("value", "version", 1),
        ),
        (
            {"doc": "r", "metadata": {"status": "Current"}},
            [other(doc="r", metadata={"status": "current"})],
            ("value", "status", 1),
        ),
        (
            {"doc": "r", "metadata": {"version": "3"}},
            [other(doc="r", metadata={"lang": "en"})],
            ("key", "version", 1),
        ),
        ({"doc": "r", "metadata": {"version": "3"}}, [other(doc="s")], ("key", "version", 0)),
        (
            {"any_of": [{"chunk": "zzz"}, {"chunk": "B"}]},
            [other(id="b")],
            ("spelling", "id", 1),
        ),
        (
            {"doc": "r", "quote": QUOTE},
            [other(doc="copy", text=f"{QUOTE}.")],
            ("document", "doc", 1),
        ),
    ],
)
def test_what_stands_in_its_place(
    evidence: Any, candidates: Any, expected: tuple[str, str, int]
) -> None:
    assert found(evidence, *candidates) == expected


@pytest.mark.parametrize(
    ("evidence", "candidates"),
    [
        ({"chunk": "a-1"}, [other(id="a-2")]),
        ({"chunk": "a-1"}, []),
        ({"doc": "r", "metadata": {"version": "3"}}, []),
        ({"doc": "r", "metadata": {"version": "3"}}, [other(doc="r", metadata={"version": "2"})]),
        ({"doc": "r", "quote": QUOTE}, [other(doc="s", text=QUOTE.replace("30", "14"))]),
        ({"quote": QUOTE}, [other(doc="s")]),
    ],
)
def test_what_is_another_thing_is_not_nearly_it(evidence: Any, candidates: Any) -> None:
    assert found(evidence, *candidates) is None
