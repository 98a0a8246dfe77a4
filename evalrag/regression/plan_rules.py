"""What a plan's gates may ask: names that exist, rules that fit their metric."""

import difflib
from collections.abc import Collection, Iterator, Sequence

from evalrag.metrics.table import MEASURES
from evalrag.regression.default_gates import DEFAULTS
from evalrag.regression.measured import COSTS, Measurable, measurable, measurable_names
from evalrag.regression.probing import cannot
from evalrag.regression.scoring import NEEDED
from evalrag.regression.where import FIELDS, META, known_field
from evalrag.schema.gate import Gate, Rule
from evalrag.schema.plan import Plan
from evalrag.schema.words import Direction, Kind, Origin, Split

_CLOSED = {"kind": tuple(Kind), "split": tuple(Split), "origin": tuple(Origin)}

_TOLERANT = ("not_drop", "not_rise")

PlanProblem = tuple[tuple[str | int, ...], str]
"""Key path in the plan, and what is wrong there."""


def plan_problems(plan: Plan) -> Iterator[PlanProblem]:
    """Everything about metrics and gates that the plan's own types cannot see."""
    for index, name in enumerate(plan.metrics or ()):
        if name not in MEASURES:
            yield (
                ("metrics", index),
                f"no retrieval metric is called {name!r}{_near(name, MEASURES)}",
            )
    for index, probe in enumerate(plan.probes):
        why = cannot(probe, plan.pipeline)
        if why is not None:
            yield ("probes", index), why
    kept = None if plan.metrics is None else {*plan.metrics, *NEEDED}
    entries = plan.gates or ()
    taken = {default.gate.name for default in DEFAULTS} if "defaults" in entries else set()
    for index, gate in enumerate(entries):
        if not isinstance(gate, Gate):
            continue
        if gate.name in taken:
            message = f"`defaults` has a gate called {gate.name!r}: give this one another name"
            yield ("gates", index, "name"), message
        for field, message in _gate(gate, kept):
            yield ("gates", index, *field), message


_TEXTS = frozenset(FIELDS) - {"turn"}


def _gate(gate: Gate, kept: Collection[str] | None) -> Iterator[PlanProblem]:
    for name, wanted in gate.where.items():
        if not known_field(name):
            near = _near(name, FIELDS)
            yield ("where", name), f"rows have no field {name!r}{near}; also {META}KEY"
            continue
        options = wanted if isinstance(wanted, list) else [wanted]
        for option in options:
            if name in _TEXTS and isinstance(option, bool | int | float):
                written = str(option).lower() if isinstance(option, bool) else str(option)
                yield (
                    ("where", name),
                    f"{name} is text in every row, and {written} without quotes is none: no row "
                    f'could match; write "{written}" as the dataset has it',
                )
                continue
            known = _CLOSED.get(name)
            if known and option not in known:
                yield ("where", name), f"no {name} is called {option!r}{_near(str(option), known)}"
    metric = measurable(gate.metric)
    if metric is None:
        names = measurable_names()
        yield ("metric",), f"no metric is called {gate.metric!r}{_near(gate.metric, names)}"
        return
    if kept is not None and gate.metric in MEASURES and gate.metric not in kept:
        yield ("metric",), f"`metrics` of the plan leaves {gate.metric} out"
    if gate.tolerance and not any(rule.must in _TOLERANT for rule in gate.must):
        yield ("tolerance",), "tolerance is of not_drop and not_rise: this gate has neither"
    for rule in gate.must:
        for message in _rule(rule, metric):
            yield ("must",), message


def _rule(rule: Rule, metric: Measurable) -> Iterator[str]:
    if rule.relative and metric.name in COSTS:
        yield f"{rule.must} cannot be held: a baseline keeps no {metric.name}; use at_most"
    elif rule.must == "not_break" and not metric.stage:
        yield "not_break is for stage.NAME and outcome; use not_drop or not_rise"
    elif rule.must == "not_drop" and metric.direction is Direction.DOWN:
        yield f"{metric.name} is better when it is lower: use not_rise"
    elif rule.must == "not_rise" and metric.direction is Direction.UP:
        yield f"{metric.name} is better when it is higher: use not_drop"
    elif rule.must in ("at_least", "mean_at_least") and metric.direction is Direction.DOWN:
        yield f"{metric.name} is better when it is lower: use at_most or total_at_most"
    elif rule.must == "rate_at_least" and metric.direction is Direction.DOWN:
        yield f"{metric.name} is better when it is lower: use total_at_most"
    elif rule.must == "rate_at_least" and not metric.binary:
        yield f"rate_at_least is for what is 0 or 1; use mean_at_least for {metric.name}"


def _near(name: str, known: Collection[str]) -> str:
    found: Sequence[str] = difflib.get_close_matches(name, [str(k) for k in known], n=1, cutoff=0.5)
    return f" (did you mean {found[0]!r}?)" if found else ""
