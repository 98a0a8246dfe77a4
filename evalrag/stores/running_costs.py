"""What a run took, stage by stage and row by row: read from its timings and its judge's calls."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from evalrag.schema.verdict import StageCost
from evalrag.schema.words import Stage
from evalrag.stores.lines import lines_saying
from evalrag.stores.runs import CALLS, TIMINGS, StoredRun

_ORDER = (Stage.REWRITE, Stage.RETRIEVAL, Stage.GENERATION, Stage.ANSWER)
JUDGE = "judge"
_MOST = 1e15
"""More seconds, tokens or money than there are."""


def running_costs(run: StoredRun) -> tuple[StageCost, ...]:
    """A line a stage of the pipeline that was called, in their order, and the judge's last.

    Tokens and cost stand at the stage that answers, since hooks report them with the answer.
    Verdicts that were kept from before took nothing and are not counted. Empty where nothing was
    timed, as in a run of recorded outputs.
    """
    found = {stage.value: _Total() for stage in _ORDER}
    judge = _Total()
    for line in lines_saying(run.path / TIMINGS, b'"seconds"'):
        for took in _stages(line):
            found[took.stage].add(took)
    for call in lines_saying(run.path / CALLS, b'"seconds"'):
        if not call.get("cached"):
            judge.add(_of_call(call))
    named = {**found, JUDGE: judge}
    return tuple(total.cost(stage) for stage, total in named.items() if total.calls)


def row_costs(run: StoredRun, row: str) -> list[list[StageCost]]:
    """The same of one row: for each of its attempts, what each stage took."""
    found: dict[int, list[StageCost]] = {}
    for line in lines_saying(run.path / TIMINGS, b'"seconds"'):
        if line.get("id") == row:
            one = found.setdefault(int(line.get("repeat", 0)), [])
            for took in _stages(line):
                total = _Total()
                total.add(took)
                one.append(total.cost(took.stage))
    return [found[repeat] for repeat in sorted(found)]


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed (the nearest rank).

    Args:
        values: At least one, in any order.
        share: In (0, 1].

    NumPy calls it `inverted_cdf`. It is always a value that was measured.

    >>> percentile([4.0, 1.0, 3.0, 2.0], 0.5)
    2.0
    """
    ranked = sorted(values)
    return ranked[max(ceil(round(share * len(ranked), 9)), 1) - 1]


@dataclass(slots=True)
class _Took:
    stage: str
    seconds: float | None
    tries: int = 1
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None


@dataclass(slots=True)
class _Total:
    calls: int = 0
    tries: int = 0
    seconds: list[float] = field(default_factory=list)
    sums: dict[str, float] = field(default_factory=dict)

    def add(self, took: _Took) -> None:
        self.calls += 1
        self.tries += took.tries
        if took.seconds is not None:
            self.seconds.append(took.seconds)
        for name in ("tokens_in", "tokens_out", "cost"):
            value = getattr(took, name)
            if value is not None:
                self.sums[name] = self.sums.get(name, 0) + value

    def cost(self, stage: str) -> StageCost:
        tokens = {n: int(self.sums[n]) for n in ("tokens_in", "tokens_out") if n in self.sums}
        return StageCost(
            stage=stage,
            calls=self.calls,
            tries=self.tries,
            seconds=round(sum(self.seconds), 4) if self.seconds else None,
            p50=percentile(self.seconds, 0.5) if self.seconds else None,
            p95=percentile(self.seconds, 0.95) if self.seconds else None,
            cost=self.sums.get("cost"),
            **tokens,
        )


def _stages(line: Mapping[str, Any]) -> Iterator[_Took]:
    """What each stage of an attempt took, in the order of the stages."""
    seconds, tries, usage = (_mapping(line, name) for name in ("seconds", "attempts", "usage"))
    answers = next((s for s in (Stage.ANSWER, Stage.GENERATION) if s.value in seconds), None)
    for stage in _ORDER:
        if stage.value not in seconds:
            continue
        said = usage if stage is answers else {}
        yield _Took(
            stage.value,
            _number(seconds.get(stage.value)),
            int(_number(tries.get(stage.value)) or 1),
            _whole(said.get("input_tokens")),
            _whole(said.get("output_tokens")),
            _number(said.get("cost")),
        )


def _of_call(call: Mapping[str, Any]) -> _Took:
    tokens = _whole(call.get("tokens_in")), _whole(call.get("tokens_out"))
    return _Took(JUDGE, _number(call.get("seconds")), 1, *tokens, _number(call.get("cost")))


def _mapping(line: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = line.get(name)
    return found if isinstance(found, dict) else {}


def _number(value: Any) -> float | None:
    """A count or an amount; a line of another program that says neither says nothing here."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value <= _MOST else None


def _whole(value: Any) -> int | None:
    number = _number(value)
    return None if number is None else int(number)
