"""The same answer on every Python."""

from evalrag.adapters.extractive import _candidates
from evalrag.schema.trace import Passage


def test_cover_is_rounded_since_pythons_add_floats_differently() -> None:
    """A sum of thirds and fifths ends in other digits from Python 3.12 on."""
    asked = {"alpha", "beta", "gamma", "delta", "epsilon"}
    passages: list[Passage] = [
        {"text": "Alpha beta gamma delta."},
        {"text": "Alpha beta gamma."},
        {"text": "Alpha beta. Epsilon alpha."},
    ]

    covers = [candidate.cover for candidate in _candidates(asked, passages, 0.0)]

    assert len(covers) == 4
    assert covers == [round(cover, 9) for cover in covers]
