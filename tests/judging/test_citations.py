"""Citations: ids against the context, and claims against the passages that are cited."""

from typing import Any

import pytest

from evalrag.judging.citations import Citations, citation_support, citation_validity, citations_of
from evalrag.schema.result import Claim, Verdicts
from evalrag.schema.score import NotApplicable, Score, Scored, Unresolved
from evalrag.schema.words import Form, Label

CONTEXT = ["a", "b", "c"]


def claim(label: str, *passages: int) -> Claim:
    return Claim(id="c", text="t", label=Label(label), passages=passages)


def said(*claims: Claim, **more: Any) -> Verdicts:
    return Verdicts(judge="j", claims=claims, **{"form": Form.ANSWERED, **more})


@pytest.mark.parametrize(
    ("cited", "score"),
    [
        pytest.param(["a", "b"], Scored(1.0), id="all in the context"),
        pytest.param(["a", "z"], Scored(0.5), id="one invented"),
        pytest.param(["a", "a", "z"], Scored(0.5), id="an id counts once"),
        pytest.param([], NotApplicable("nothing is cited"), id="nothing"),
    ],
)
def test_validity(cited: list[str], score: Score) -> None:
    assert citation_validity(Citations(cited, CONTEXT)) == score


@pytest.mark.parametrize(
    ("cited", "verdicts", "score"),
    [
        pytest.param(["a"], said(claim("SUPPORTED", 1)), Scored(1.0), id="its passage is cited"),
        pytest.param(["b"], said(claim("SUPPORTED", 1)), Scored(0.0), id="another is cited"),
        pytest.param(
            ["b"], said(claim("SUPPORTED", 1, 2), claim("ABSENT")), Scored(0.5), id="one of two"
        ),
        pytest.param(
            ["a"], said(claim("CONTRADICTED", 1)), Scored(0.0), id="a contradiction is no support"
        ),
        pytest.param([], said(claim("SUPPORTED", 1)), Scored(0.0), id="nothing is cited"),
        pytest.param(
            ["a"],
            said(claim("SUPPORTED", 1), claim("UNRESOLVED")),
            Unresolved("1 of 2 claims", 0.5, 1.0),
            id="an open claim gives bounds",
        ),
        pytest.param(
            ["a"],
            said(claim("SUPPORTED")),
            Unresolved("1 of 1 claims", 0.0, 1.0),
            id="a judge that does not say where",
        ),
        pytest.param(["a"], said(form=Form.DECLINED), NotApplicable("declined"), id="a decline"),
        pytest.param(["a"], said(), NotApplicable("no claim"), id="no claim"),
        pytest.param(
            ["a"],
            said(unresolved={"claims": "cut off"}),
            Unresolved("cut off", 0.0, 1.0),
            id="claims that could not be had",
        ),
        pytest.param(["a"], None, Unresolved("not judged", 0.0, 1.0), id="not judged"),
    ],
)
def test_support(cited: list[str], verdicts: Verdicts | None, score: Score) -> None:
    assert citation_support(Citations(cited, CONTEXT), verdicts) == score


def test_a_pipeline_that_tells_no_citations_is_not_asked() -> None:
    untold = citations_of({"candidates": [], "context": []})
    assert untold.cited is None
    assert citation_validity(untold) == NotApplicable("no citations")
    assert citation_support(untold, said(claim("SUPPORTED", 1))) == NotApplicable("no citations")


def test_a_trace_that_cites_nothing_tells_so() -> None:
    passage: Any = {"id": "a"}
    found = citations_of({"candidates": [], "context": [passage, {}], "citations": []})
    assert found == Citations([], ["a", None])
