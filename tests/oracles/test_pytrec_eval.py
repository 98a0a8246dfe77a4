"""Our numbers against trec_eval's code, through its Python binding, on rankings of any shape."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.oracles.trec import ours, theirs_by_our_names

pytrec_eval = pytest.importorskip("pytrec_eval")

CUTS = (1, 2, 3, 5, 10)
NAMES = {f"{name}.{','.join(map(str, CUTS))}" for name in ("recall", "P", "success", "ndcg_cut")}
names = st.sampled_from([f"d{at}" for at in range(12)])
judged = st.dictionaries(names, st.integers(0, 3), min_size=1).filter(lambda of: any(of.values()))
scored = st.dictionaries(names, st.sampled_from([0.0, 0.5, 1.0, 2.5]), min_size=1)


@example({"d1": 1, "d2": 3}, {"d1": 1.0, "d2": 1.0})  # a tie, broken by the id
@example({"d9": 2}, {"d10": 1.0, "d9": 1.0})  # ids are compared as strings
@example({"d1": 0, "d2": 1}, {"d1": 1.0})  # judged and not relevant
@given(judged, scored)
def test_any_ranking_agrees(grades: dict[str, int], scores: dict[str, float]) -> None:
    measure = pytrec_eval.RelevanceEvaluator({"q": grades}, NAMES | {"recip_rank"})
    theirs = measure.evaluate({"q": scores})["q"]
    ranking = sorted(scores, key=lambda name: (scores[name], name), reverse=True)
    for k in CUTS:
        wanted = theirs_by_our_names(theirs, k)
        got = ours(ranking, grades, k)
        assert len(wanted) == 6
        assert {name: got[name] for name in wanted} == pytest.approx(wanted, abs=1e-9), k
