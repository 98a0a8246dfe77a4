"""What the stages took: seconds, tokens and cost in columns of their own, apart from quality."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding

from evalrag.reporters.drawing import table, title
from evalrag.schema.verdict import StageCost


def running(costs: Sequence[StageCost]) -> Iterator[RenderableType]:
    """A line a stage. No gate looks at it but one on `seconds`, `tokens` or `cost`."""
    if not costs:
        return
    yield title("Running costs")
    columns = ("calls", "tries", "p50 s", "p95 s", "all s", "tokens in", "out", "cost")
    drawn = table("stage", *columns)
    for one in costs:
        tokens = [_count(one.tokens_in), _count(one.tokens_out)]
        seconds = [_seconds(one.p50), _seconds(one.p95), _seconds(one.seconds)]
        drawn.add_row(one.stage, str(one.calls), str(one.tries), *seconds, *tokens, _money(one))
    yield Padding(drawn, (0, 0, 0, 2))


def took(costs: Sequence[StageCost]) -> str:
    """The stages of one attempt in a line."""
    return "; ".join(_one(cost) for cost in costs)


def _one(cost: StageCost) -> str:
    said = [f"{_seconds(cost.seconds)} s" if cost.seconds is not None else "not timed"]
    if cost.tries > 1:
        said.append(f"{cost.tries} tries")
    if cost.tokens_in is not None or cost.tokens_out is not None:
        said.append(f"{_count(cost.tokens_in)} tokens in, {_count(cost.tokens_out)} out")
    if cost.cost is not None:
        said.append(_money(cost))
    return f"{cost.stage} {', '.join(said)}"


def _seconds(value: float | None) -> str:
    return "?" if value is None else f"{value:.3f}" if value < 10 else f"{value:,.1f}"


def _count(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"


def _money(cost: StageCost) -> str:
    return "?" if cost.cost is None else f"${cost.cost:.4f}"
