"""Our numbers against trec_eval's own output files, ties and unsorted run files included."""

import json
from collections import defaultdict
from statistics import fmean

import pytest

from tests.oracles.trec import ours, read_grades, read_rankings, shared, theirs_by_our_names

CUTS = (1, 3, 5, 10, 15, 20, 30, 100, 200, 500)
CLOSE = 1e-4


def official() -> dict[str, dict[str, float]]:
    """By topic, `all` included: `out.test.aq`, which `trec_eval -m all_trec -q` wrote."""
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for line in shared("trec_eval/out.test.aq").read_text(encoding="utf-8").splitlines():
        name, topic, value = line.split()
        if name not in ("runid", "relstring"):
            values[topic][name] = float(value)
    return dict(values)


def test_every_topic_of_trec_evals_own_test_agrees() -> None:
    grades = read_grades(shared("trec_eval/qrels.test"))
    rankings = read_rankings(shared("trec_eval/results.test"))
    compared = 0
    for topic, expected in official().items():
        if topic == "all":
            continue
        for k in CUTS:
            wanted = theirs_by_our_names(expected, k)
            got = ours(rankings[topic], grades[topic], k)
            assert {name: got[name] for name in wanted} == pytest.approx(wanted, abs=CLOSE), (
                topic,
                k,
            )
            compared += len(wanted)
    assert compared > 120


@pytest.mark.parametrize("name", ["out.test", "out.test.aq"])
def test_the_means_of_trec_evals_own_test_agree(name: str) -> None:
    grades = read_grades(shared("trec_eval/qrels.test"))
    rankings = read_rankings(shared("trec_eval/results.test"))
    lines = shared(f"trec_eval/{name}").read_text(encoding="utf-8").splitlines()
    split = [line.split() for line in lines]
    expected = {of: float(value) for of, topic, value in split if topic == "all" and of != "runid"}
    compared = 0
    for k in CUTS:
        wanted = theirs_by_our_names(expected, k)
        each = [ours(rankings[topic], grades[topic], k) for topic in sorted(rankings)]
        for measure, value in wanted.items():
            assert fmean(one[measure] for one in each) == pytest.approx(value, abs=CLOSE), (
                measure,
                k,
            )
            compared += 1
    assert compared >= 15


def test_the_relevant_passages_stand_where_trec_eval_sees_them() -> None:
    """`num_rel_ret` and, at the first ten places, `relstring`."""
    grades = read_grades(shared("trec_eval/qrels.test"))
    rankings = read_rankings(shared("trec_eval/results.test"))
    for line in shared("trec_eval/out.test.aq").read_text(encoding="utf-8").splitlines():
        name, topic, value = line.split()
        if topic == "all":
            continue
        if name == "relstring":
            seen = "".join(
                "1" if grades[topic].get(one, 0) else "0" for one in rankings[topic][:10]
            )
            assert seen == value.strip("'")
        if name == "num_rel_ret":
            got = ours(rankings[topic], grades[topic])
            assert got["context_precision"] * len(rankings[topic]) == pytest.approx(float(value))


def test_a_plain_ranking_of_282_queries_agrees() -> None:
    grades = read_grades(shared("multihop.qrels"))
    rankings = read_rankings(shared("multihop.run"))
    expected = json.loads(shared("multihop.expected.json").read_text(encoding="utf-8"))
    assert len(expected["per_query"]) == expected["queries"] == 282
    means: dict[tuple[str, int], list[float]] = defaultdict(list)
    for query, theirs in expected["per_query"].items():
        for k in (1, 3, 5, 10, 20):
            wanted = theirs_by_our_names(theirs, k)
            got = ours(rankings[query], grades[query], k)
            assert {name: got[name] for name in wanted} == pytest.approx(wanted, abs=1e-9), (
                query,
                k,
            )
            for name in wanted:
                means[name, k].append(got[name])
    for (name, k), each in means.items():
        wanted = theirs_by_our_names(expected["mean"], k)
        assert fmean(each) == pytest.approx(wanted[name], abs=1e-9), (name, k)


def test_the_order_of_ties_matters_in_these_files() -> None:
    """Else the agreement above would say nothing of ties."""
    lines = [
        line.split() for line in shared("multihop.run").read_text(encoding="utf-8").splitlines()
    ]
    scores = [(query, score) for query, _, _, _, score, _ in lines]
    assert len(set(scores)) < len(scores)


def test_ranked_precision_is_average_precision_over_what_came() -> None:
    """By design it is not `map_cut`.

    trec_eval divides the sum of precisions at relevant places by *all* relevant documents, so a
    document that was not retrieved lowers it; ours divides by the relevant passages that came, and
    leaves the missing ones to `context_recall`. Times recall, the two are the same.
    """
    grades = read_grades(shared("multihop.qrels"))
    rankings = read_rankings(shared("multihop.run"))
    expected = json.loads(shared("multihop.expected.json").read_text(encoding="utf-8"))
    differ = 0
    for query, theirs in expected["per_query"].items():
        for k in (5, 10, 20):
            got = ours(rankings[query], grades[query], k)
            product = got["ranked_precision"] * got["context_recall"]
            assert product == pytest.approx(theirs[f"map_cut_{k}"], abs=1e-9)
            differ += got["ranked_precision"] > theirs[f"map_cut_{k}"] + 1e-6
    assert differ > 100
