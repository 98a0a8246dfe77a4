"""Reports of every ending, made as the command line makes them, for all formats' tests."""

from collections.abc import Callable, Mapping
from typing import Any

from evalrag.schema.gate import Gate
from evalrag.schema.plan import Quarantine, Waiver
from evalrag.schema.report import Report
from tests.builders import Run, changed, decide, good, good_run, row, run, trace, verdicts

ROWS = [
    row("h1"),
    row("h2"),
    row("hop", "multi-hop"),
    row("near", "near-miss"),
    row("u1", "unanswerable"),
]
BASE = good_run(ROWS)
MISSED = (trace(["x-1"], answer="An answer."), verdicts())
RIVAL = (trace(["near-sibling", "near-gold", "x-1"], answer="An answer."), verdicts())
UNSURE = (good(ROWS[1])[0], verdicts("ANSWERED", "UNRESOLVED"))
CRASHED = (trace([], answer=None, error="RuntimeError: no index", error_stage="retrieval"), None)
HELD = (Gate.model_validate({"name": "held", "metric": "faithfulness", "must": "not_drop"}),)


def report_of(now: Run, before: Run | None = BASE, **comparison: Any) -> Report:
    """A report whose dataset stands in `golden.jsonl`, a row a line."""
    verdict = decide(now, before, **comparison)
    return Report(
        verdict,
        now[0],
        "0002",
        more="evalrag gate 0002 --full",
        lines=lambda: {golden.id: n for n, golden in enumerate(ROWS, 1)},
        results=lambda: now[1],
        files=("out/report.html", ".evalrag/runs/0002"),
    )


def after(fields: Mapping[str, Any] | None = None, **attempts: Any) -> Run:
    return run(ROWS, changed(BASE, ROWS, **attempts), **(fields or {}))


def passed() -> Report:
    return report_of(after())


def failed() -> Report:
    return report_of(after(h2=MISSED, near=RIVAL))


def failed_as_a_whole() -> Report:
    """A gate that no row fails, since it looks at none."""
    gate = {"name": "none", "metric": "outcome", "must": "not_break", "where": {"tags": "x"}}
    gates = (Gate.model_validate(gate),)
    return report_of(after({"gates": gates}, h2=MISSED), good_run(ROWS, gates=gates))


def undecided() -> Report:
    base = good_run(ROWS, gates=HELD)
    return report_of(run(ROWS, changed(base, ROWS, h2=UNSURE), gates=HELD), base)


def errored() -> Report:
    return report_of(after(h1=CRASHED))


def no_baseline() -> Report:
    return report_of(after(), None)


def not_compared() -> Report:
    """Under `--no-baseline`: relative gates are left out."""
    return report_of(after(), None, wanted=False)


def nothing_gated() -> Report:
    gates = (Gate.model_validate({"name": "g", "metric": "context_recall", "must": "not_drop"}),)
    return report_of(after({"gates": gates}), None, wanted=False)


def set_aside() -> Report:
    """One row waived and one in quarantine, which is also loosened."""
    waiver = {
        "row": "h2",
        "gate": "evidence is retrieved",
        "until": "2999-01-01",
        "reason": "later",
    }
    kept = {"row": "near", "until": "2999-01-01", "owner": "ann", "reason": "moving"}
    fields = {
        "waivers": (Waiver.model_validate(waiver),),
        "quarantine": (Quarantine.model_validate(kept),),
    }
    return report_of(after(fields, h2=MISSED, near=RIVAL))


def removed() -> Report:
    rest = [golden for golden in ROWS if golden.id != "hop"]
    return report_of(run(rest, [one for one in BASE[1] if one.id != "hop"]))


ENDINGS: dict[str, Callable[[], Report]] = {
    made.__name__: made
    for made in (
        passed,
        failed,
        failed_as_a_whole,
        undecided,
        errored,
        no_baseline,
        not_compared,
        nothing_gated,
        set_aside,
        removed,
    )
}
