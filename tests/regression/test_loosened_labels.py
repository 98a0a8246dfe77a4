"""Labels of a row that ask for less than the baseline's did, by the name of their row."""

import pytest

from tests.builders import as_mapping, decide, good, result, row, run

WIDER = {"expect": ["ANSWERED", "QUALIFIED", "DECLINED"]}
FULL = {
    "superseded": ["s1-old", "s1-older"],
    "near_miss": ["s1-sibling"],
    "forbidden": ["x-9"],
    "reference_facts": ["30 days."],
    "reference_answer": "30 days.",
    "answer_contains": ["An answer"],
    "answer_excludes": ["14 days"],
}


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        pytest.param({}, 0, id="nothing"),
        pytest.param({"note": "read twice"}, 0, id="a note"),
        pytest.param({"superseded": ["zzz", "s1-older"]}, 1, id="a rival is pointed at nothing"),
        pytest.param({"superseded": ["s1-old"]}, 1, id="a rival is taken out"),
        pytest.param({"near_miss": []}, 1, id="a sibling is taken out"),
        pytest.param({"forbidden": []}, 1, id="nothing is forbidden any more"),
        pytest.param({"reference_facts": []}, 1, id="a fact is taken out"),
        pytest.param({"answer_contains": []}, 1, id="a check is taken out"),
        pytest.param({"answer_excludes": ["15 days"]}, 1, id="a check looks for something else"),
        pytest.param(WIDER, 1, id="a decline is right too"),
        pytest.param({"gold": [{"any_of": ["s1-gold", "s1-old2"]}]}, 1, id="gold is one of two"),
        pytest.param({"near_miss": ["s1-sibling", "more"]}, 0, id="a rival more"),
        pytest.param({"answer_contains": ["An answer", "answer"]}, 0, id="a check more"),
    ],
)
def test_a_label_that_asks_for_less_is_loosened_by_the_name_of_its_row(
    change: dict[str, object], lines: int
) -> None:
    before = row("s1", "stale-policy", **FULL)
    after_ = row("s1", "stale-policy", **(FULL | change))
    base = run([before], [result(before, good(before))], id="0001")
    traces = {"s1": [good(before)[0]]}
    now = run([after_], [result(after_, good(before))])

    verdict = decide(
        now, base, rows={"s1": after_}, traces=traces.get, digests=as_mapping([after_])
    )

    said = [line for line in verdict.diff.loosened if line.startswith("row s1: ")]
    assert len(said) == lines
    strict = run([after_], now[1], fail_on_loosened=True)
    code = decide(
        strict, base, rows={"s1": after_}, traces=traces.get, digests=as_mapping([after_])
    ).exit_code
    assert (code == 1) is bool(lines)


def test_gold_of_a_row_without_other_labels_that_asks_for_less_is_loosened() -> None:
    two = row("h1", gold=["h1-gold", "h1-more"])
    base = run([two], [result(two, good(two))], id="0001")
    for less in (row("h1"), row("h1", gold=["h1-gold", {"any_of": ["h1-more", "x"]}])):
        verdict = decide(
            run([less], [result(less, good(two))]),
            base,
            rows={"h1": less},
            traces={"h1": [good(two)[0]]}.get,
            digests=as_mapping([less]),
        )
        assert [line for line in verdict.diff.loosened if line.startswith("row h1: ")]
