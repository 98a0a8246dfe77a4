"""The gates of a plan that writes none, and when each is installed (SPEC 9)."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from evalrag.metrics.table import MEASURES
from evalrag.schema.gate import Gate, GateEntry, Missing, Rule
from evalrag.schema.words import Kind

ANSWERABLE = ("happy-path", "near-miss", "multi-hop", "stale-policy")


class Default(NamedTuple):
    gate: Gate
    unguarded: str
    answers: bool = False
    """It looks at answers, which a retrieval-only plan has not."""
    offers: tuple[str, ...] = ()
    """What the judge must offer, one of them; empty where no judge is read."""
    labels: tuple[str, ...] = ()
    """Labels (`Row.labels`) of which a row must carry one for the metric to ask anything of it."""


def _gate(name: str, kinds: tuple[str, ...], metric: str, rule: Rule, **more: str) -> Gate:
    where = {} if not kinds else {"kind": kinds[0] if len(kinds) == 1 else list(kinds)}
    return Gate.model_validate(
        {"name": name, "where": where, "metric": metric, "must": [rule.model_dump()], **more}
    )


_NOT_DROP, _NOT_RISE, _NOT_BREAK = (
    Rule(must="not_drop"),
    Rule(must="not_rise"),
    Rule(must="not_break"),
)
_NONE = Rule(must="total_at_most", value=0)
DEFAULTS = (
    Default(
        _gate("evidence is retrieved", ANSWERABLE, "context_recall", _NOT_DROP),
        "evidence that leaves the window goes unseen",
        labels=("gold",),
    ),
    Default(
        _gate(
            "facts stay supported", ANSWERABLE, "claim_recall", _NOT_DROP, on_unresolved="ignore"
        ),
        "on rows without gold, passages that no longer hold the facts go unseen",
        offers=("claim_recall",),
        labels=("facts alone",),
    ),
    Default(
        _gate("nothing is invented", ("unanswerable",), "hard_fail", _NONE),
        "an invented answer goes unseen",
        answers=True,
        offers=("hard_fail",),
    ),
    Default(
        _gate("superseded passages stay out", ("stale-policy",), "current_precision", _NOT_DROP),
        "an old version that comes into the window goes unseen",
    ),
    Default(
        _gate("rivals stay below the evidence", ANSWERABLE, "rival_first", _NOT_RISE),
        "a sibling or an old version that climbs goes unseen",
        labels=("rivals",),
    ),
    Default(
        _gate("nothing forbidden is retrieved", (), "forbidden_retrieved", _NONE),
        "a passage that its reader may not see goes unseen",
        labels=("forbidden",),
    ),
    Default(
        _gate("answerable rows are answered", (), "stage.boundary", _NOT_BREAK),
        "a bot that refuses, or answers what it cannot know, goes unseen",
        answers=True,
    ),
    Default(
        _gate("no new contradictions", ANSWERABLE, "hard_fail", _NOT_RISE, on_unresolved="ignore"),
        "an answer that contradicts its context goes unseen",
        answers=True,
        offers=("hard_fail",),
    ),
    Default(
        _gate(
            "answers stay faithful",
            ANSWERABLE,
            "stage.generation",
            _NOT_BREAK,
            on_unresolved="ignore",
        ),
        "an answer that its context does not support goes unseen",
        answers=True,
        offers=("hard_fail", "faithfulness", "answer_relevancy"),
    ),
    Default(
        _gate(
            "right answers stay right",
            ANSWERABLE,
            "stage.answer",
            _NOT_BREAK,
            on_unresolved="ignore",
        ),
        "a wrong answer goes unseen",
        answers=True,
        labels=("answer checks", "reference"),
    ),
)
LABELLED = frozenset(default.gate.name for default in DEFAULTS if default.labels)
"""Default gates that ask nothing of a row without a label, whatever its kind."""


def with_defaults(entries: Iterable[GateEntry]) -> tuple[Gate, ...]:
    """A plan's list with the ten gates in the place of the word `defaults`.

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


class Held(NamedTuple):
    """What a plan, its judge and its rows can give a default gate to look at."""

    kinds: Mapping[str, int]
    """Rows of each kind, in the dataset or the baseline."""
    labels: Mapping[str, int]
    """Rows that carry each label (`Row.labels`), in the dataset or the baseline."""
    generates: bool = True
    """False in a retrieval-only plan, which has no answer to judge."""
    offers: Collection[str] = ()
    """What the judge measures."""
    judge: str = "no judge"
    kept: Collection[str] | None = None
    """Retrieval metrics that the plan keeps; None for all."""
    outdated: bool = False
    """The plan says of passages that they are superseded, whatever a row says."""


_OPTIONAL = (("facts alone",), ("forbidden",))
"""Labels that a dataset may well do without."""


def default_gates(held: Held) -> tuple[tuple[Gate, ...], tuple[Missing, ...]]:
    """Split the defaults into those to install and those that cannot look at anything."""
    installed: list[Gate] = []
    missing: list[Missing] = []
    for default in DEFAULTS:
        why = _why_not(default, held)
        if why is None:
            installed.append(default.gate)
        else:
            name, optional = default.gate.name, default.labels in _OPTIONAL
            missing.append(
                Missing(name=name, why=why, unguarded=default.unguarded, optional=optional)
            )
    return tuple(installed), tuple(missing)


def _why_not(default: Default, held: Held) -> str | None:
    gate = default.gate
    looked_at = _kinds(gate)
    if default.answers and not held.generates:
        return "the plan generates no answers"
    if gate.metric in MEASURES and held.kept is not None and gate.metric not in held.kept:
        return f"the plan's `metrics` leave {gate.metric} out"
    if default.offers and held.offers and not set(default.offers) & set(held.offers):
        return f"{held.judge} does not measure {' or '.join(default.offers)}"
    if default.offers and not held.offers:
        return f"{held.judge} measures nothing"
    if not any(held.kinds.get(str(kind), 0) for kind in looked_at):
        return f"no {' or '.join(looked_at)} rows"
    if not default.labels:
        return None
    if "rivals" in default.labels and held.outdated:
        return None
    labels = default.labels
    if "answer_correctness" not in held.offers:
        labels = tuple(label for label in labels if label != "reference")
    if any(held.labels.get(label, 0) for label in labels):
        return None
    if labels != default.labels and held.labels.get("reference", 0):
        return f"no row with {' or '.join(labels)}, and {held.judge} reads no reference"
    return f"no row with {' or '.join(labels)}"


def _kinds(gate: Gate) -> list[str]:
    match gate.where.get("kind"):
        case str() as kind:
            return [kind]
        case list() as kinds:
            return [str(kind) for kind in kinds]
        case _:
            return [kind.value for kind in Kind]
