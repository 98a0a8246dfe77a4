"""What a run took: the pipeline and the judge apart, and what nobody counted said to be unknown."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from evalrag.reporters.drawing import hanging, title
from evalrag.schema.verdict import Spent


def spending(spent: Sequence[Spent]) -> Iterator[RenderableType]:
    """A line each for the pipeline, its probes and the judge, where anything is known of them."""
    if spent:
        yield title("Cost")
    for one in spent:
        yield hanging("- ", Text(f"{one.what}: {_calls(one)}, {_tokens(one)}, cost {_cost(one)}"))


def _calls(one: Spent) -> str:
    said = [f"{one.calls} call{'' if one.calls == 1 else 's'}"]
    if one.failed:
        said.append(f"{one.failed} without a verdict")
    if one.kept:
        said.append(f"{one.kept} {'verdicts ' * (one.what == 'judge')}kept from before")
    return f"{said[0]} ({', '.join(said[1:])})" if said[1:] else said[0]


def _tokens(one: Spent) -> str:
    if one.tokens_in is None and one.tokens_out is None:
        return "tokens unknown"
    into = "unknown" if one.tokens_in is None else f"{one.tokens_in:,}"
    out = "unknown" if one.tokens_out is None else f"{one.tokens_out:,}"
    return f"{into} tokens in and {out} out"


def _cost(one: Spent) -> str:
    return "unknown" if one.cost is None else f"${one.cost:.4f}"
