"""Why an evidence is nowhere: a name that is misspelt, a value of another type, another version."""

from typing import Any

import pytest

from evalrag.evidence import absent
from evalrag.evidence.absent import why_absent
from evalrag.evidence.corpus import matches_in
from evalrag.schema.evidence import Evidence
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage

CORPUS: list[Passage] = [
    {"id": "opening#0", "doc": "opening", "text": "Open at 9.", "metadata": {"version": "2026"}},
    {"id": "opening#1", "doc": "opening", "text": "Closed.", "metadata": {"version": "2024"}},
    {"id": "wrap#0", "doc": "wrap", "text": "Four euros.", "metadata": {"n": 4, "new": True}},
    {"id": "bare#0", "text": "Nothing."},
]  # fmt: skip


@pytest.mark.parametrize(
    ("evidence", "why"),
    [
        pytest.param(
            {"doc": "opning", "quote": "open at"},
            'no document is called "opning": did you mean "opening"?',
            id="a doc, misspelt",
        ),
        pytest.param({"doc": "zzz"}, 'no document is called "zzz"', id="a doc like no other"),
        pytest.param(
            "wrap#9", 'no passage has the id "wrap#9": did you mean "wrap#0"?', id="a chunk"
        ),
        pytest.param(
            {"doc": "opening", "metadata": {"version": 2026}},
            'its version 2026 is a number, where the corpus has text: write "2026"',
            id="a number for a text",
        ),
        pytest.param(
            {"chunk": "wrap#0", "metadata": {"n": "4"}},
            'its n "4" is text, where the corpus has a number: write 4',
            id="a text for a number",
        ),
        pytest.param(
            {"doc": "wrap", "metadata": {"new": "true"}},
            'its new "true" is text, where the corpus has true or false: write true',
            id="a text for true",
        ),
        pytest.param(
            {"doc": "opening", "metadata": {"version": "2025"}, "quote": "open at"},
            '"opening" has no version "2025": there is "2026", "2024"',
            id="another version",
        ),
        pytest.param(
            {"doc": "opening", "metadata": {"verson": "2025"}},
            '"opening" has no "verson"',
            id="a key that it has not",
        ),
        pytest.param(
            {"all_of": ["wrap#0", {"doc": "gone"}]},
            'no document is called "gone"',
            id="a part of several",
        ),
        pytest.param({"doc": "opening", "quote": "we close at nine"}, None, id="its words"),
        pytest.param({"quote": "we close at nine sharp"}, None, id="words without a doc"),
        pytest.param({"doc": "opening", "span": [0, 9]}, None, id="its span"),
    ],
)
def test_the_reason(evidence: Any, why: str | None) -> None:
    sought = Evidence.model_validate(evidence)

    assert matches_in(sought, CORPUS, Reading()) == 0
    assert why_absent([sought], CORPUS) == [why]


def test_a_near_name_is_looked_for_in_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    sought = Evidence.model_validate({"doc": "opning"})
    many = why_absent([sought] * (absent.LOOKED + 1), CORPUS)
    large: list[Passage] = [
        {"id": f"opening{n}", "doc": f"opening{n}"} for n in range(absent.COMPARED + 1)
    ]

    assert many[-1] == 'no document is called "opning"'
    assert str(many[-2]).endswith('did you mean "opening"?')
    assert why_absent([sought], large) == ['no document is called "opning"']


def test_what_is_shown_is_bounded() -> None:
    versions: list[Passage] = [
        {"doc": "d", "metadata": {"version": f"{n:0<5000}"}} for n in range(9)
    ]
    sought = Evidence.model_validate({"doc": "d", "metadata": {"version": "v"}})

    (said,) = why_absent([sought], versions)

    assert "and 6 more" in str(said)
    assert len(str(said)) < 300
