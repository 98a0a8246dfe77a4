"""Small stories over one small shop: two runs, of which the second differs in what a story says.

Gold stands first in the window and every answer is right, but for what the story changes. Answers
are judged by the real offline judge over stored runs, or by a model over loopback; `shell=True`
plays a story as a user does, with commands in a folder.
"""

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalrag.schema.result import Verdicts
from evalrag.schema.row import Row
from evalrag.schema.trace import Passage, Trace
from evalrag.schema.verdict import Verdict
from tests.builders import Run, as_mapping, decide, judged, result, row, run, scoring
from tests.judges.scripted import honest
from tests.provider.said import Script
from tests.provider.server import KEY, ProviderServer
from tests.workspace import Workspace

# --- the shop ---

ASKED = {
    "h1": "How long is the return window?",
    "h2": "What does gift wrapping cost?",
    "h3": "Which cards does the shop accept?",
    "h4": "Where is the head office?",
    "h5": "When does the hotline open?",
    "n1": "How long do marketplace returns take?",
    "n2": "How many users does the Team plan allow?",
    "n3": "How heavy may a parcel to Norway be?",
    "n4": "How much is a gold membership?",
    "m1": "From where do express parcels leave, and how long do they take?",
    "m2": "Who signs refunds, and how are they paid?",
    "m3": "Which machine washes the rugs, and at what temperature?",
    "s1": "What is the delivery charge?",
    "s2": "How long is the warranty?",
    "s3": "How many parcels may a customer store?",
    "u1": "How high is the student discount?",
    "u2": "Who won the rugby final?",
    "u3": "How high is the pet stipend?",
}
TEXTS = {
    "h1-gold": "The return window is 30 days from delivery.",
    "h1-other": "The return window is 14 days from delivery.",
    "h2-gold": "Gift wrapping costs 4 euros for each parcel.",
    "h3-gold": "The shop accepts Visa and Mastercard.",
    "h4-gold": "The head office is in Lisbon.",
    "h5-gold": "The hotline opens at 8 am.",
    "n1-gold": "Marketplace returns take 10 working days.",
    "n1-sibling": "Store returns take 5 working days.",
    "n2-gold": "The Team plan allows 25 users.",
    "n2-sibling": "The Solo plan allows 2 users.",
    "n3-gold": "A parcel to Norway may weigh 20 kilograms.",
    "n3-sibling": "A parcel to Sweden may weigh 31 kilograms.",
    "n4-gold": "A gold membership costs 90 euros a year.",
    "n4-sibling": "A silver membership costs 45 euros a year.",
    "m1-gold": "Express parcels leave from Porto.",
    "m1-gold2": "Express parcels take 2 days.",
    "m1-old2": "Express parcels take 6 days.",
    "m2-gold": "Refunds are signed by the finance team.",
    "m2-gold2": "Refunds are paid to the card of the order.",
    "m3-gold": "The rugs are washed in the drum machine.",
    "m3-gold2": "The drum machine runs at 40 degrees.",
    "s1-gold": "The delivery charge is 5 euros.",
    "s1-old": "The delivery charge is 3 euros.",
    "s1-sibling": "The pallet charge is 70 euros.",
    "s2-gold": "The warranty lasts 36 months.",
    "s2-old": "The warranty lasts 24 months.",
    "s2-sibling": "The battery warranty lasts 12 months.",
    "s3-gold": "A customer may store 12 parcels.",
    "s3-old": "A customer may store 9 parcels.",
    "u1-near": "The staff discount is 15%.",
    "u2-near": "Rugby balls are sold on the second floor.",
    "u3-near": "The travel stipend is 200 euros.",
} | {
    f"x-{n}": f"Shelf {n} holds {thing}."
    for n, thing in enumerate(("lamps", "plates", "mirrors", "candles", "vases", "towels"), 1)
}
KINDS = {
    "h": "happy-path",
    "n": "near-miss",
    "m": "multi-hop",
    "s": "stale-policy",
    "u": "unanswerable",
}
DECLINE = "I do not have information about that."
PARAPHRASE = "You have about a month to send things back."
WRONG = TEXTS["h1-other"]


def golden(name: str, **labels: Any) -> Row:
    if name == "u3":
        labels = {"unanswerable_because": "false-premise"} | labels
    return row(name, KINDS[name[0]], question=ASKED[name], **labels)


ROWS = {name: golden(name) for name in ASKED}
ANSWERABLE = " ".join(name for name in ASKED if name[0] != "u")


def page(name: str) -> Passage:
    """A passage of the shop; an old version is of the document that it is a version of."""
    doc = name.replace("-old", "-gold").replace("x-", "shelf-")
    return {"id": name, "doc": doc, "text": TEXTS.get(name, f"Shelf {name} is empty.")}


def shelves(first: int, last: int) -> str:
    return " ".join(f"x-{n}" for n in range(first, last + 1))


def best(name: str) -> tuple[list[str], str]:
    """The window in which all is right, and the right answer."""
    own = [key for key in TEXTS if key.startswith(f"{name}-")]
    gold = [key for key in own if "-gold" in key]
    rivals = [key for key in own if key == f"{name}-{'old' if name[0] == 's' else 'sibling'}"]
    window = [*gold, *rivals, *(key for key in own if key.endswith("-near")), "x-1", "x-2"][:3]
    return window, " ".join(TEXTS[key] for key in gold) or DECLINE


def at(name: str, window: str = "", answer: str | None = None, more: str = "x-7 x-8") -> Trace:
    """An attempt at a row; what is not said is as it is where all is right."""
    right, said = best(name)
    shown = window.split() or right
    return {
        "candidates": [page(one) for one in (*shown, *more.split())],
        "context": [page(one) for one in shown],
        "answer": said if answer is None else answer,
    }


def answers(**said: str) -> "Traces":
    return {name: at(name, answer=answer) for name, answer in said.items()}


def chunks(answer: str, *context: Passage, candidates: Sequence[Passage] = ()) -> Trace:
    """An attempt whose pipeline says itself what it gave."""
    return {
        "candidates": [*(candidates or context), page("x-7")],
        "context": [*context],
        "told": True,
        "answer": answer,
    }


Traces = Mapping[str, Trace | Sequence[Trace]]


@dataclass(frozen=True)
class Story:
    """One line of the table: what happened, and what must be said of it."""

    id: str
    what: str
    exit: int
    by: Mapping[str, str] = field(default_factory=dict)
    """The gates that failed (exit 3: that are undecided), each with the rows that it names."""
    also: Callable[[Verdict], object] | None = None
    rows: str | Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The only rows of both runs, or labels that rows have in both."""
    relabelled: Mapping[str, Row | None] = field(default_factory=dict)
    """Rows of the second run: None is deleted."""
    before: Traces = field(default_factory=dict)
    now: Traces = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Fields of both run records."""
    settings_now: Mapping[str, Any] = field(default_factory=dict)
    shell: bool = False
    model: Script | None = None
    """A model judges, and this is what it says in the second run; it is honest in the first."""
    use: str = "openai"
    """The protocol of that model."""
    other_judge: bool = False
    """The model judges the second run alone."""
    baseline: bool = True
    arguments: str = ""
    """Of the second run."""
    plan_now: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the plan of the second run."""
    decided: str = ""
    """What a person decides, as arguments of `judge decide`, before the baseline is accepted."""

    @property
    def rows_before(self) -> dict[str, Row]:
        if isinstance(self.rows, str):
            return {name: ROWS[name] for name in self.rows.split()}
        return ROWS | {name: golden(name, **labels) for name, labels in self.rows.items()}

    @property
    def rows_now(self) -> dict[str, Row]:
        there = {**self.rows_before, **self.relabelled}
        return {one.id: one for one in there.values() if one is not None}


# --- the two ways to play a story ---


@functools.cache
def verdicts_on(golden: str, trace: str) -> Verdicts:
    return judged(Row.model_validate_json(golden), json.loads(trace))


def attempts(rows: Mapping[str, Row], traces: Traces) -> dict[str, Sequence[Trace]]:
    every: dict[str, Sequence[Trace]] = {}
    for name in rows:
        there = traces.get(name) or at(name)
        every[name] = there if isinstance(there, Sequence) else [there]
    return every


def stored(rows: Mapping[str, Row], traces: Traces, **settings: Any) -> Run:
    """The run that these traces make, judged by the offline judge."""
    generates = settings.get("generates", True)
    given = {key: settings[key] for key in ("reading", "thresholds") if key in settings}
    how = scoring(generates, **given)
    results = []
    for name, seen in attempts(rows, traces).items():
        if not generates:
            seen = [{"candidates": t["candidates"], "context": t["context"]} for t in seen]
        one = rows[name]
        said = [
            verdicts_on(one.model_dump_json(), json.dumps(t)) if generates else None for t in seen
        ]
        results.append(result(one, *zip(seen, said, strict=True), how=how))
    return run([*rows.values()], results, **settings)


def from_stored_runs(story: Story) -> Verdict:
    rows = story.rows_now
    old = stored(story.rows_before, story.before, **{"id": "0001", **story.settings})
    new = stored(rows, story.now, **{**story.settings, **story.settings_now})
    return decide(
        new,
        old if story.baseline else None,
        rows=rows,
        digests=as_mapping([*rows.values()]),
        traces=attempts(story.rows_before, story.before).get,
    )


BOT = """
    import json
    import pathlib

    WORLD = json.loads(pathlib.Path(__file__).with_name("world.json").read_text())

    def retrieve(question, top_k):
        if WORLD[question] is None:
            raise RuntimeError("the index is down")
        return WORLD[question]["candidates"][:top_k]

    def generate(question, passages):
        return WORLD[question]["answer"]
"""
DOWN: Any = "down"
"""In the place of a trace: the retriever raises."""


class Shop(Workspace):
    """The shop in a folder, with its plan and a bot that plays traces."""

    def play(self, rows: Mapping[str, Row], traces: Traces, **plan: Any) -> None:
        self.write("bot.py", BOT)
        world = {
            one.question: None if traces.get(name) == DOWN else traces.get(name) or at(name)
            for name, one in rows.items()
        }
        self.write("world.json", json.dumps(world))
        shown = [one.model_dump(mode="json", exclude_defaults=True) for one in rows.values()]
        self.rows(shown)
        pipeline = {"top_k": 20, "context_k": 3, "watch": ["bot.py", "world.json"]}
        self.plan(pipeline=pipeline | plan.pop("pipeline", {}), **plan)

    def go(self, *arguments: str) -> Verdict:
        keys: Any = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
        done = self.evalrag("run", "plan.yaml", "--format", "json", *arguments, **keys)
        body = {key: value for key, value in done.json.items() if key in Verdict.model_fields}
        del body["diff"]["paragraph"]
        for one in body["diff"]["changes"]:
            del one["answers"]
        assert done.code == body["exit_code"]
        return Verdict.model_validate(body)

    def decide(self, *said: str) -> None:
        done = self.evalrag("judge", "decide", "0001", *said, "--reason", "read", "--by", "Ana")
        assert done.code == 0, done

    def accept(self) -> None:
        done = self.evalrag("baseline", "accept", "latest", "--reason", "first")
        assert done.code == 0, done


def from_commands(story: Story, folder: Path, server: ProviderServer | None = None) -> Verdict:
    shop = Shop(folder)
    judge: dict[str, Any] | None = None
    if server is not None:
        model, url = {
            "openai": ("gpt-5.5-2026-04-23", server.openai_url),
            "anthropic": ("claude-haiku-4-5-20251001", server.anthropic_url),
        }[story.use]
        judge = {"use": story.use, "with": {"model": model, "base_url": url, "retries": 0}}
    if story.baseline:
        shop.play(story.rows_before, story.before, judge=None if story.other_judge else judge)
        assert shop.go().exit_code == 4
        if story.decided:
            shop.decide(*story.decided.split())
            assert shop.go().exit_code == 4
        shop.accept()
    if server is not None and story.model is not None:
        server.script = story.model
    shop.play(story.rows_now, story.now, judge=judge, **story.plan_now)
    return shop.go(*story.arguments.split())


def verdict_of(story: Story, folder: Path) -> Verdict:
    if story.model is not None:
        with ProviderServer(honest) as server:
            return from_commands(story, folder, server)
    return from_commands(story, folder) if story.shell else from_stored_runs(story)
