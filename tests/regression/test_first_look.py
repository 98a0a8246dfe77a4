"""Small runs in which one thing was changed: the first place to look is that thing."""

from typing import Any

import pytest

from evalrag.regression.narrative import moved_as
from evalrag.regression.pipeline_changes import causes
from evalrag.schema.diff import Change, Look
from evalrag.schema.result import Claim, FactVerdict
from evalrag.schema.run import PipelinePrint
from evalrag.schema.words import FactLabel, Label, Outcome, Stage
from tests.builders import (
    JUDGE,
    decide,
    good_run,
    passage,
    pipeline,
    record,
    result,
    row,
    run,
    scoring,
    trace,
    verdicts,
)

H = [row(f"h{n}") for n in range(1, 5)]
S = [row(f"s{n}", "stale-policy") for n in range(1, 5)]
N = [row(f"n{n}", "near-miss") for n in range(1, 5)]
U = [row(f"u{n}", "unanswerable") for n in range(1, 5)]
FACTS = [row(f"f{n}", reference_facts=["fact"]) for n in range(1, 5)]
FAR = ["a", "b", "c", "d", "e", "f"]
WRONG = verdicts("ANSWERED", "CONTRADICTED")
DECLINED = verdicts("DECLINED")


def seen(rows: Any, window: list[str], *more: str, said: Any = None, **fields: Any) -> Any:
    """The same for every row: `gold`, `old` and `sibling` are the row's own."""

    def own(golden: Any, name: str) -> str:
        return f"{golden.id}-{name}" if name in ("gold", "old", "sibling") else name

    made = []
    for golden in rows:
        names = [own(golden, name) for name in window]
        behind = [own(golden, name) for name in more]
        found = {
            key: [passage(own(golden, name)) for name in value] if key == "reranked" else value
            for key, value in fields.items()
        }
        given: Any = {"answer": "An answer."} | found
        attempt = trace(names, *behind, **given)
        how = scoring(offers=frozenset({*JUDGE.offers, "answer_correctness"}))
        made.append(result(golden, (attempt, said or verdicts()), how=how))
    return made


def shown(files: dict[str, str] | None = None, *, parts: Any = None, **settings: Any) -> Any:
    """A pipeline's fingerprint, as a plan with these settings would have it."""
    return pipeline(**(parts or {})).model_copy(update={"shown": settings, "files": files or {}})


RETRIEVER = {"use": "bot:find", "with": {"chunk": 400}}
GENERATOR = {"use": "bot:answer", "with": {"prompt": "v1"}, "model": "m-1"}
PLAIN: dict[str, Any] = {
    "retriever": RETRIEVER,
    "generator": GENERATOR,
    "top_k": 20,
    "context_k": 3,
}
GOOD = (["gold", "x"], "y")


def with_(place: str, **settings: Any) -> dict[str, Any]:
    entry = PLAIN[place]
    return PLAIN | {place: entry | {"with": entry["with"] | settings}}


def look(rows: Any, before: Any, after: Any, was: PipelinePrint, now: PipelinePrint) -> Look:
    old = run(rows, before, id="0001", pipeline=was)
    verdict = decide(run(rows, after, pipeline=now), old)
    assert verdict.diff.look is not None
    return verdict.diff.look


def good(rows: Any) -> Any:
    return seen(rows, *GOOD)


def deep(rows: Any, place: int, window: int, **fields: Any) -> Any:
    """The gold at this place of the candidates, and this many of them seen."""
    names = [*FAR[: place - 1], "gold", "z"]
    return seen(rows, names[:window], *names[window:], **fields)


TABLE: dict[str, Any] = {
    "top_k 20 -> 5": (
        H,
        deep(H, 6, 7),
        seen(H, FAR[:5], said=DECLINED),
        PLAIN,
        PLAIN | {"top_k": 5},
        {"window": "w2"},
        "top-k",
    ),
    "context_k 3 -> 1": (
        H,
        deep(H, 2, 3),
        deep(H, 2, 1, said=DECLINED),
        PLAIN,
        PLAIN | {"context_k": 1},
        {"window": "w2"},
        "window",
    ),
    "a reranker is added, by a setting": (
        H,
        deep(H, 1, 3),
        deep(H, 5, 3, said=DECLINED),
        PLAIN,
        with_("retriever", rerank=True),
        {"index": "i2"},
        "reranker",
    ),
    "a reranker is added, and says what it did": (
        H,
        deep(H, 1, 2),
        seen(H, ["b", "c"], "gold", "a", reranked=["b", "c", "a", "gold"], said=DECLINED),
        PLAIN,
        PLAIN,
        {},
        "reranker",
    ),
    "another chunk size": (
        H,
        good(H),
        seen(H, FAR[:3], said=DECLINED),
        PLAIN,
        with_("retriever", chunk=4000),
        {"index": "i2"},
        "index",
    ),
    "old pages come into the corpus and push the gold out": (
        H,
        good(H),
        deep(H, 5, 3, said=DECLINED),
        PLAIN,
        PLAIN,
        {"index": "i2"},
        "index hygiene",
    ),
    "old versions of the page stand first": (
        S,
        good(S),
        seen(S, ["old", "gold"]),
        PLAIN,
        PLAIN,
        {"index": "i2"},
        "index hygiene",
    ),
    "negations are dropped by the prompt": (
        H,
        good(H),
        good(H)[:1] + seen(H[1:], *GOOD, said=WRONG),
        PLAIN,
        with_("generator", prompt="v2"),
        {"prompt": "p2"},
        "prompt",
    ),
    "negations are dropped, and nobody knows by what": (
        H,
        seen(H, ["a", "b", "gold"]),
        seen(H, ["a", "b", "gold"], said=WRONG),
        PLAIN,
        PLAIN,
        {},
        "prompt",
    ),
    "another model contradicts": (
        H,
        good(H),
        seen(H, *GOOD, said=WRONG),
        PLAIN,
        PLAIN | {"generator": GENERATOR | {"model": "m-2"}},
        {"model": "m2"},
        "model",
    ),
    "the prompt refuses everything": (
        H,
        good(H),
        seen(H, *GOOD, said=DECLINED),
        PLAIN,
        with_("generator", prompt="v2"),
        {"prompt": "p2"},
        "prompt",
    ),
    "the prompt invents": (
        U,
        seen(U, ["x"], said=DECLINED),
        seen(U, ["x"]),
        PLAIN,
        with_("generator", prompt="v2"),
        {"prompt": "p2"},
        "prompt",
    ),
    "a fact is left out, by the file of prompts": (
        FACTS,
        seen(
            FACTS, *GOOD, said=verdicts(facts=(FactVerdict(fact="fact", label=FactLabel.STATED),))
        ),
        seen(
            FACTS, *GOOD, said=verdicts(facts=(FactVerdict(fact="fact", label=FactLabel.MISSING),))
        ),
        PLAIN,
        PLAIN,
        {"prompt": "p2"},
        "prompt",
    ),
    "a rewriter is added": (
        H,
        good(H),
        seen(H, FAR[:3], said=DECLINED),
        PLAIN,
        PLAIN | {"rewriter": {"use": "bot:rewrite"}},
        {"prompt": "p2"},
        "rewriter",
    ),
    "the ids are written otherwise": (
        H,
        good(H),
        [result(g, (trace([f"{g.id.upper()}-gold"], answer="A."), verdicts())) for g in H],
        PLAIN,
        with_("retriever", chunk=4000),
        {"index": "i2"},
        "labels",
    ),
    "siblings stand first, by another embedding": (
        N,
        good(N),
        seen(N, ["sibling", "gold"]),
        PLAIN,
        with_("retriever", embedding="e-2"),
        {"index": "i2"},
        "index",
    ),
    "the context grew, and the answers lost their way": (
        H,
        good(H),
        seen(H, ["a", "b", "gold", "c", "d", "e"], said=WRONG),
        PLAIN,
        PLAIN | {"context_k": 6},
        {"window": "w2"},
        "window",
    ),
    "retrieval lost one row, and the prompt three": (
        H,
        good(H),
        seen(H[:1], FAR[:3], said=DECLINED) + seen(H[1:], *GOOD, said=WRONG),
        PLAIN,
        with_("generator", prompt="v2"),
        {"prompt": "p2"},
        "prompt",
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_the_first_place_to_look(name: str) -> None:
    rows, before, after, was, now, parts, part = TABLE[name]

    found = look(rows, before, after, shown(**was), shown(parts=parts, **now))

    assert found.part == part


def test_the_answer_that_follows_the_old_page_is_the_prompts_where_the_context_stands() -> None:
    def rests(place: int) -> Claim:
        return Claim(id="c1", text="t", label=Label.SUPPORTED, passages=(place,))

    golden = row("s1", "stale-policy", reference_facts=["fact"])
    how = scoring(offers=frozenset({*JUDGE.offers, "answer_correctness"}))

    def made(label: FactLabel, *claims: Claim) -> Any:
        facts = (FactVerdict(fact="fact", label=label),)
        said = verdicts(facts=facts, claims=claims or (rests(1),))
        return result(golden, (trace(["s1-gold", "s1-old"], answer="A."), said), how=how)

    found = look(
        [golden],
        [made(FactLabel.STATED)],
        [made(FactLabel.CONTRADICTED, rests(2))],
        shown(**PLAIN),
        shown(parts={"prompt": "p2"}, **with_("generator", prompt="v2")),
    )

    assert found.part == "prompt"


def test_a_row_counts_for_the_first_of_its_stages_that_broke() -> None:
    missed = seen(H[:2], FAR[:3], said=WRONG)
    wrong = seen(H[2:3], *GOOD, said=WRONG)
    rows = H[:3]

    found = look(rows, good(rows), [*missed, *wrong], shown(), shown())

    assert (found.stage.value, found.rows, found.of) == ("retrieval", 2, 3)


def test_nothing_is_looked_for_where_nothing_broke() -> None:
    assert decide(good_run(H, id="0002"), good_run(H)).diff.look is None


def mixed(files: tuple[str, str], now: Any, parts: dict[str, str]) -> int:
    one = record(H, pipeline=shown({"bot.py": files[0]}, **PLAIN))
    two = record(H, pipeline=shown({"bot.py": files[1]}, parts=parts, **now))
    return causes(one, two)


def test_a_function_and_the_file_that_it_stands_in_are_one_cause() -> None:
    both = {"prompt": "p2", "index": "i2"}
    swapped = PLAIN | {"generator": GENERATOR | {"use": "bot:reply"}}

    assert mixed(("a", "b"), swapped, both) == 1
    assert mixed(("a", "b"), PLAIN, both) == 1
    assert mixed(("a", "a"), PLAIN, both) == 2
    assert mixed(("a", "a"), swapped | {"top_k": 5}, both | {"window": "w2"}) == 2
    assert mixed(("a", "b"), PLAIN | {"top_k": 5}, {"prompt": "p2", "window": "w2"}) == 2


def test_a_stage_that_had_nothing_to_decide_and_fails_now_is_named_as_moved() -> None:
    golden = row("u1", "unanswerable", expect=["CORRECTS", "ANSWERED"])

    def made(said: Any) -> Any:
        return result(golden, (trace(["x"], answer="A."), said))

    before, after = made(verdicts("CORRECTS")), made(WRONG)
    old = run([golden], [before], id="0001")

    (change,) = decide(run([golden], [after]), old).diff.changes

    assert change.change is Change.BROKE
    assert change.outcomes == {Stage.GENERATION: (Outcome.NA, Outcome.FAIL)}
    assert moved_as(change, Stage.GENERATION) is Change.BROKE
    assert moved_as(change, Stage.ANSWER) is None


def test_a_row_is_called_lost_for_the_stage_that_changed() -> None:
    unsure = verdicts("ANSWERED", "UNRESOLVED")
    old = run(H, good(H), id="0001")

    (first, *_) = decide(run(H, seen(H, *GOOD, said=unsure)), old).diff.changes

    assert first.change is Change.LOST
    assert first.outcomes == {Stage.GENERATION: (Outcome.PASS, Outcome.UNRESOLVED)}
