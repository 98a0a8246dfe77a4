"""The gates of a plan that writes none, and when each is installed (SPEC 9)."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from evalrag.schema.gate import Gate, GateEntry, Missing, Rule
from evalrag.schema.words import Kind

ANSWER = "answer"
ANSWERABLE = ("happy-path", "near-miss", "multi-hop", "stale-policy")


class Default(NamedTuple):
    gate: Gate
    needs: str | None
    """What must be had: `ANSWER` is an answer, whose form plain code reads; else what the judge
    must offer; None where retrieval alone is looked at."""
    unguarded: str


def _gate(name: str, kinds: tuple[str, ...], metric: str, rule: Rule, **more: str) -> Gate:
    where = {} if not kinds else {"kind": kinds[0] if len(kinds) == 1 else list(kinds)}
    return Gate.model_validate(
        {"name": name, "where": where, "metric": metric, "must": [rule.model_dump()], **more}
    )


_NOT_DROP, _NOT_RISE = Rule(must="not_drop"), Rule(must="not_rise")
DEFAULTS = (
    Default(
        _gate("evidence holds", ANSWERABLE, "context_recall", _NOT_DROP),
        None,
        "evidence that leaves the window goes unseen",
    ),
    Default(
        _gate(
            "nothing is invented",
            ("unanswerable",),
            "hard_fail",
            Rule(must="total_at_most", value=0),
        ),
        "hard_fail",
        "an invented answer goes unseen",
    ),
    Default(
        _gate("old policies stay down", ("stale-policy",), "current_precision", _NOT_DROP),
        None,
        "an old policy that climbs goes unseen",
    ),
    Default(
        _gate(
            "rivals do not climb",
            ("near-miss", "multi-hop", "stale-policy"),
            "rival_first",
            _NOT_RISE,
        ),
        None,
        "a sibling or an old version that climbs goes unseen",
    ),
    Default(
        _gate("what can be answered is answered", (), "stage.boundary", Rule(must="not_break")),
        ANSWER,
        "a bot that refuses, or answers what it cannot know, goes unseen",
    ),
    Default(
        _gate(
            "no new contradictions",
            ANSWERABLE,
            "hard_fail",
            _NOT_RISE,
            on_unresolved="ignore",
        ),
        "hard_fail",
        "an answer that contradicts its context goes unseen",
    ),
)


def with_defaults(entries: Iterable[GateEntry]) -> tuple[Gate, ...]:
    """A plan's list with the six gates in the place of the word `defaults`.

    A gate that stands in for the word may be empty, which tells it, in a stored run as well, from
    one of the same words that the plan writes itself and that has to look at a row.
    """
    found: list[Gate] = []
    for entry in entries:
        found += [entry] if isinstance(entry, Gate) else _STANDING_IN
    return tuple(found)


_STANDING_IN = tuple(default.gate.model_copy(update={"allow_empty": True}) for default in DEFAULTS)


def default_names(gates: Iterable[Gate] | None) -> frozenset[str]:
    """Names of a run's gates that are default ones: all, where its plan wrote none."""
    standing = _STANDING_IN if gates is None else [g for g in gates if g in _STANDING_IN]
    return frozenset(gate.name for gate in standing)


def default_gates(
    kinds: Mapping[str, int],
    *,
    generates: bool,
    offers: Collection[str],
    judge: str,
    kept: Collection[str] | None = None,
) -> tuple[tuple[Gate, ...], tuple[Missing, ...]]:
    """Split the defaults into those to install and those that cannot look at anything.

    Args:
        kinds: rows of each kind, in the dataset or the baseline.
        generates: False in a retrieval-only plan, which has no answer to judge.
        offers: what the judge measures.
        judge: its name, for the reason.
        kept: retrieval metrics that the plan keeps; None for all.
    """
    installed: list[Gate] = []
    missing: list[Missing] = []
    for gate, needs, unguarded in DEFAULTS:
        judged = needs if needs != ANSWER else None
        looked_at = _kinds(gate)
        why = None
        if needs is not None and not generates:
            why = "the plan generates no answers"
        elif needs is None and kept is not None and gate.metric not in kept:
            why = f"the plan's `metrics` leave {gate.metric} out"
        elif judged is not None and judged not in offers:
            why = f"{judge} does not measure {judged}"
        elif not any(kinds.get(str(kind), 0) for kind in looked_at):
            why = f"no {' or '.join(looked_at)} rows"
        if why is None:
            installed.append(gate)
        else:
            missing.append(Missing(name=gate.name, why=why, unguarded=unguarded))
    return tuple(installed), tuple(missing)


def _kinds(gate: Gate) -> list[str]:
    match gate.where.get("kind"):
        case str() as kind:
            return [kind]
        case list() as kinds:
            return [str(kind) for kind in kinds]
        case _:
            return [kind.value for kind in Kind]
