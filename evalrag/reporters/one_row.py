"""One row of a run on a terminal: what was asked, fetched, seen, said, and why it is what it is."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from evalrag.regression.exits import decide_command, quoted
from evalrag.regression.narrative import counted
from evalrag.regression.placing import texts_of
from evalrag.regression.settling import settled_by
from evalrag.reporters.drawing import command_line, draw, hanging, title
from evalrag.reporters.main_metrics import MAIN
from evalrag.reporters.one_answer import answer_parts
from evalrag.reporters.one_probe import probe_parts
from evalrag.reporters.one_result import diagnoses, scores
from evalrag.reporters.plain import number, safe
from evalrag.schema.result import Attempt, Place, RowResult
from evalrag.schema.row import Row
from evalrag.schema.run import RunRecord
from evalrag.schema.trace import Passage
from evalrag.schema.words import Mark, Outcome, Stage

_MARKS = {
    Mark.RELEVANT: "fine",
    Mark.SUPERSEDED: "OLD",
    Mark.NEAR_MISS: "RIVAL",
    Mark.PARTIAL: "part",
    Mark.REPEAT: "again",
    Mark.UNJUDGED: "",
}
_STYLES = {
    Mark.RELEVANT: "green",
    Mark.SUPERSEDED: "red",
    Mark.NEAR_MISS: "red",
    Mark.PARTIAL: "yellow",
}
_EXCERPT = 200
"""Characters of a passage that are shown."""
_ABOUT = 120
"""Characters of its document and its metadata."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What there is to show of a row."""

    result: RowResult
    record: RunRecord
    lines: Sequence[Mapping[str, Any]]
    """Its stored traces, one an attempt; none where the run keeps none."""
    row: Row | None
    """The golden row, where the dataset still holds it."""
    before: RowResult | None
    ref: str
    took: Sequence[str] = ()
    """What the stages of each attempt took."""
    full: bool = False
    """Also candidates that nothing is known of below the window, and every score."""
    notes: Sequence[str] = ()
    """What is to be known first: the dataset's file has changed, the baseline is not read."""


def listing(results: Sequence[RowResult], *, ref: str, full: bool = False) -> str:
    """Rows of a run in a line each, worst first: those not passed or flaky, or all if `full`."""
    order = {Outcome.FAIL: 0, Outcome.ERROR: 1, Outcome.UNRESOLVED: 2}
    shown = [r for r in results if full or r.flaky or r.outcome is not Outcome.PASS]
    ranked = sorted(shown, key=lambda r: (order.get(r.outcome, 3), r.kind.value))
    said = [
        f"{result.outcome.value:<10} {result.kind.value:<12} {safe(result.id)}"
        + (f"  {why}" if (why := result.diagnosis or result.empty) else "")
        + ("  flaky" if result.flaky else "")
        for result in ranked
    ]
    passed = len(results) - len(shown)
    if passed:
        verb = "passes" if passed == 1 else "pass"
        said.append(
            f"{counted(passed, 'row')} {verb}; listed by: evalrag show {quoted(ref)} --full"
        )
    return "\n".join([*said, f"next: evalrag show {quoted(ref)} ROW"])


def render(shown: Shown, *, width: int = 80, color: bool = False) -> str:
    return draw(_parts(shown), width=width, color=color)


def _parts(shown: Shown) -> Iterator[RenderableType]:
    result = shown.result
    yield from _head(shown)
    yield from diagnoses(result)
    yield from _gold(shown)
    attempts = result.attempts or (result,)
    quotes = _quotes(shown)
    for number_, attempt in enumerate(attempts):
        line = shown.lines[number_] if number_ < len(shown.lines) else {}
        if len(attempts) > 1:
            yield title(f"Attempt {number_ + 1} of {len(attempts)}: {attempt.outcome}")
        yield from _candidates(attempt, line, quotes, full=shown.full)
        yield from answer_parts(attempt)
        yield from probe_parts(attempt, line)
    yield from _baseline(shown)
    yield from scores(result, full=shown.full)
    if shown.took:
        yield title("Took")
        yield from (hanging("", Text(one)) for one in shown.took)
    yield Text()
    yield command_line(_next(shown))
    options = settled_by(result, "outcome") if result.outcome is Outcome.UNRESOLVED else None
    if options is not None:
        yield command_line(decide_command(quoted(shown.ref), result.id, options))


def _next(shown: Shown) -> str:
    """The page of its diagnosis; of an errored row, the run to make again; or the list of rows."""
    plan = shown.record.plan_path
    if shown.result.diagnosis:
        return f"evalrag explain {shown.result.diagnosis}"
    if shown.result.outcome is Outcome.ERROR and plan:
        return f"evalrag run {quoted(plan)} --row={shlex.quote(shown.result.id)}"
    return f"evalrag show {quoted(shown.ref)}"


def _head(shown: Shown) -> Iterator[RenderableType]:
    result, line = shown.result, shown.lines[0] if shown.lines else {}
    against = f", baseline {shown.before.outcome.value}" if shown.before else ""
    style = {Outcome.PASS: "bold green", Outcome.FAIL: "bold red"}.get(result.outcome, "yellow")
    flaky = ", flaky" if result.flaky else ""
    yield Text(
        f"{safe(result.id)}  {result.kind}  {result.outcome.value.upper()}{flaky}{against}",
        style=style,
    )
    yield from (hanging("", Text(f"note: {safe(note)}")) for note in shown.notes)
    yield Text(f"stages: {_stages(result)}")
    for turn in line.get("history", ()):
        yield hanging("", Text(f"{turn['role']}: {safe(turn['content'], 2000)}", style="dim"))
    question = line.get("question") or (shown.row.question if shown.row else None)
    yield Text(f"question: {safe(question, 2000) if question else 'not kept in this run'}")
    if "query" in line and line["query"] != line.get("question"):
        yield Text(f"searched for: {safe(line['query'], 2000)}")
    if result.empty:
        yield Text(result.empty, style="red")
    if result.error:
        at = f"error at {result.error_stage}" if result.error_stage else "error"
        yield Text(f"{at}: {safe(result.error, 2000)}", style="red")


def _stages(result: RowResult) -> str:
    decided = {stage: o for stage, o in result.stages.items() if o is not Outcome.NA}
    if len(decided) > 1 and set(decided.values()) == {Outcome.ERROR}:
        return "every one error"
    return ", ".join(f"{stage} {outcome}" for stage, outcome in decided.items()) or "none decided"


def _gold(shown: Shown) -> Iterator[RenderableType]:
    labels = [evidence.label() for evidence in shown.row.gold] if shown.row else []
    if not shown.result.evidence:
        return
    yield title("Evidence")
    for index, sought in enumerate(shown.result.evidence):
        name = labels[index] if index < len(labels) else f"evidence {index + 1}"
        if sought["context"]:
            where = "in the context"
        elif sought["candidates"]:
            where = f"candidate {sought.get('rank', '?')}, outside the context"
        elif sought.get("corpus") == 0:
            where = "not in the corpus"
        else:
            where = "not among the candidates"
        if 0.0 < sought["covered"] < 1.0:
            where += f", {sought['covered']:.0%} of it covered"
        yield hanging("- ", Text(f"{safe(name)}: {where}"))


def _quotes(shown: Shown) -> list[str]:
    """Words that a reader looks for in a passage: the row's quotes, and what claims rest on."""
    row, verdicts = shown.row, shown.result.verdicts
    lists = (row.gold, row.superseded, row.near_miss, row.acceptable) if row else ()
    found = [leaf.quote for one in lists for evidence in one for leaf in evidence.leaves()]
    found += [claim.quote for claim in (verdicts.claims if verdicts else ())]
    return [" ".join(quote.split()) for quote in found if quote]


def _excerpt(text: str, quotes: Sequence[str]) -> str:
    """The part of a passage that holds one of the quotes, or the longest beginning of one."""
    flat = " ".join(text.split())
    low = flat.casefold()
    for size in (80, 40, 24):
        for quote in quotes:
            at = low.find(quote[:size].casefold())
            if at >= 0:
                start = max(0, at - 30)
                return ("... " if start else "") + flat[start : start + _EXCERPT]
    return flat


def _candidates(
    attempt: Attempt, line: Mapping[str, Any], quotes: Sequence[str], *, full: bool
) -> Iterator[RenderableType]:
    places = attempt.places()
    if not places:
        return
    seen = [place for place in places if place.window is not None]
    fetched = [place for place in places if place.rank is not None]
    yield title(f"Candidates ({len(fetched)}), of which the model was given {len(seen)}")
    last = max((place.rank for place in seen if place.rank is not None), default=0)
    texts = texts_of(attempt, line)
    below = left = 0
    for index, place in enumerate(places):
        if place.rank is not None and place.rank > last:
            below += 1
            if below == 1:
                yield Text(
                    "  ---- the window's edge: what stands below was not seen ----", style="bold"
                )
            if not full and place.mark in (Mark.UNJUDGED, Mark.REPEAT):
                left += 1
                continue
        yield from _passage(place, texts[index], quotes)
    if left:
        yield Text(f"  ({left} without a mark are left out: --full shows them)")


def _passage(place: Place, seen: Passage, quotes: Sequence[str]) -> Iterator[RenderableType]:
    rank = f"{place.rank:>3}" if place.rank is not None else "  -"
    window = f"[{place.window}]" if place.window is not None else "   "
    gold = "".join(f" evidence {index + 1}" for index in place.gold)
    said = Text(f"{rank} {window} {_sign(place):<6}", style=_STYLES.get(place.mark, ""))
    said.append(f"{safe(place.name)}{gold}")
    about = _about(seen)
    if about:
        said.append(f"  {safe(about, _ABOUT)}", style="dim")
    yield hanging("", said)
    text = _excerpt(seen.get("text", ""), quotes)
    if text:
        yield hanging("", Text(safe(text, _EXCERPT), style="dim"), indent=15)


def _about(seen: Passage) -> str:
    """Its document and its metadata, by which evidence can be matched."""
    doc = [f"doc {seen['doc']}"] if "doc" in seen else []
    metadata = (seen.get("metadata") or {}).items()
    pairs = [f"{key} {json.dumps(value, ensure_ascii=False)}" for key, value in metadata]
    return ", ".join([*doc, *pairs])


def _sign(place: Place) -> str:
    """What it is for the row: `fine` supports the answer without being the gold asked for."""
    return "GOLD" if place.mark is Mark.RELEVANT and place.gold else _MARKS[place.mark]


def _baseline(shown: Shown) -> Iterator[RenderableType]:
    before, now = shown.before, shown.result
    if before is None:
        return
    yield title(f"Baseline: {before.outcome}")
    stages = [
        f"{stage} {before.stages.get(stage, Outcome.NA)} -> {now.stages.get(stage, Outcome.NA)}"
        for stage in Stage
        if before.stages.get(stage, Outcome.NA) is not now.stages.get(stage, Outcome.NA)
    ]
    yield hanging("", Text(", ".join(stages) or "every stage as now"))
    moved = [
        f"{name} {number(before.scores[name])} -> {number(now.scores[name])}"
        for name in MAIN
        if name in before.scores and name in now.scores and before.scores[name] != now.scores[name]
    ]
    if moved:
        yield hanging("", Text(", ".join(moved)))
    if before.diagnosis != now.diagnosis:
        was, is_ = before.diagnosis or "none", now.diagnosis or "none"
        yield hanging("", Text(f"diagnosis {was} -> {is_}"))
    seen = [place for place in before.places() if place.window is not None]
    for place in sorted(seen, key=lambda place: place.window or 0):
        yield hanging("", Text(f"[{place.window}] {_sign(place):<6}{safe(place.name)}"), indent=4)
    if before.answer is not None and before.answer != now.answer:
        yield hanging("", Text(f"answered: {safe(before.answer, 600)}"))
