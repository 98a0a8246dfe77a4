"""Rankings and judgements of TREC, as rows and traces of ours."""

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from evalrag.evidence.assess import assess
from evalrag.metrics.table import retrieval_scores
from evalrag.schema.evidence import Evidence
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.score import Scored
from evalrag.schema.trace import Passage

SHARED = Path(os.environ.get("EVALRAG_SHARED") or Path(__file__).parents[3] / "shared")
"""Public data that is not part of the repository: beside it, or where the variable points."""

Grades = Mapping[str, int]


def shared(name: str) -> Path:
    """A file of TREC's."""
    return public("ir", name)


def public(*name: str) -> Path:
    """A file of the public data; the test is skipped where it is not there."""
    path = SHARED.joinpath("data", *name)
    if not path.exists():
        pytest.skip(f"no public data: {path} is missing (EVALRAG_SHARED says where it is)")
    return path


def read_grades(path: Path) -> dict[str, dict[str, int]]:
    """A qrels file: query, 0, document, grade."""
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        grades[query][document] = int(grade)
    return dict(grades)


def read_rankings(path: Path) -> dict[str, list[str]]:
    """A run file, ranked as trec_eval ranks: by score, then by document id as a string, falling."""
    scores: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        scores[query].append((float(score), document))
    return {
        query: [name for _, name in sorted(each, reverse=True)] for query, each in scores.items()
    }


def ours(ranking: Sequence[str], grades: Grades, k: int | None = None) -> dict[str, float]:
    """Our values, the candidates being the ranking and the context its first `k`."""
    relevant = {name: grade for name, grade in grades.items() if grade > 0}
    gold = tuple(Evidence(chunk=name, grade=grade) for name, grade in relevant.items())
    row = Row(id="q", kind="happy-path", question="?", gold=gold)
    candidates = [Passage(id=name) for name in ranking]
    reading = Reading(context_k=k, top_k=1000)
    seen = assess(row, candidates, candidates[:k], reading)
    scores = retrieval_scores(row, seen, reading=reading, candidates=candidates)
    return {name: score.value for name, score in scores.items() if isinstance(score, Scored)}


def theirs_by_our_names(theirs: Mapping[str, float], k: int) -> dict[str, float]:
    """What trec_eval says with cut-off `k`, under the names that we give the same thing."""
    pairs = {
        "context_recall": f"recall_{k}",
        "evidence_coverage": f"recall_{k}",
        "precision_at_k": f"P_{k}",
        "hit": f"success_{k}",
        "ndcg": f"ndcg_cut_{k}",
        "reciprocal_rank": "recip_rank",
    }
    return {name: theirs[of] for name, of in pairs.items() if of in theirs}
