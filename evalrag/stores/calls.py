"""The calls of a judge as lines: what each cost and, in the model's own words, what it said."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from evalrag.judging.tasks import Heard
from evalrag.schema.verdict import Spent
from evalrag.stores.lines import line_of, lines_saying
from evalrag.stores.runs import CALLS, TIMINGS, StoredRun

CallLine = Callable[[str, int, Heard], bytes]
_MILLION = 1_000_000


def call_line(price: Mapping[str, float] | None) -> CallLine:
    """How a call is written. `price` is in US dollars for a million tokens; None is not known."""

    def line(row: str, repeat: int, heard: Heard) -> bytes:
        said: dict[str, Any] = {"id": row, "repeat": repeat, "task": heard.task}
        for name in ("probe", "model", "finish", "tokens_in", "tokens_out", "problem", "raw"):
            value = getattr(heard, name)
            if value is not None:
                said[name] = value
        if heard.seconds is not None:
            said["seconds"] = round(heard.seconds, 4)
        if heard.cached:
            said["cached"] = True
        if heard.dropped:
            said["dropped"] = list(heard.dropped)
        cost = cost_of(heard, price)
        if cost is not None:
            said["cost"] = cost
        return line_of(said)

    return line


def cost_of(heard: Heard, price: Mapping[str, float] | None) -> float | None:
    """US dollars of a call; None where its tokens or their price are not known."""
    if price is None or heard.tokens_in is None or heard.tokens_out is None:
        return None
    spent = heard.tokens_in * price["input"] + heard.tokens_out * price["output"]
    return round(spent / _MILLION, 8)


def spent_on(run: StoredRun) -> tuple[Spent, ...]:
    """What the pipeline and the judge of a run took, apart. What nobody counted is None."""
    return (
        *_sum("pipeline", _usages(run.path / TIMINGS)),
        *_sum("probes", _probes(run)),
        *_sum("judge", lines_saying(run.path / CALLS)),
    )


def _usages(path: Path) -> Iterable[Mapping[str, Any]]:
    for line in lines_saying(path, b'"usage"'):
        usage = line.get("usage")
        if isinstance(usage, dict) and usage:
            yield {
                "tokens_in": usage.get("input_tokens"),
                "tokens_out": usage.get("output_tokens"),
                "cost": usage.get("cost"),
            }


def _probes(run: StoredRun) -> Iterable[Mapping[str, Any]]:
    """What the probes took. A call that failed took what nobody knows."""
    if not run.record.probes:
        return
    for line in lines_saying(run.path / TIMINGS):
        costs = line.get("probe_costs")
        for cost in costs.values() if isinstance(costs, dict) else ():
            usage = cost.get("usage") or {}
            yield {
                "tokens_in": usage.get("input_tokens"),
                "tokens_out": usage.get("output_tokens"),
                "cost": usage.get("cost"),
                "cached": cost.get("kept"),
            }


def _sum(what: str, lines: Iterable[Mapping[str, Any]]) -> tuple[Spent, ...]:
    calls = kept = failed = 0
    totals: dict[str, float | None] = {"tokens_in": 0, "tokens_out": 0, "cost": 0.0}
    for line in lines:
        if line.get("cached"):
            kept += 1
            continue
        calls += 1
        failed += "problem" in line
        for name, so_far in totals.items():
            value = line.get(name)
            if so_far is None or not isinstance(value, int | float) or isinstance(value, bool):
                totals[name] = None
            else:
                totals[name] = so_far + value
    if not calls and not kept:
        return ()
    tokens = [totals["tokens_in"], totals["tokens_out"]]
    counts = [None if count is None else int(count) for count in tokens]
    return (
        Spent(
            what=what,
            calls=calls,
            kept=kept,
            failed=failed,
            tokens_in=counts[0],
            tokens_out=counts[1],
            cost=totals["cost"],
        ),
    )
