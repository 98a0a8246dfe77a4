"""Which rows a gate looks at."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from evalrag.schema.row import Row
from evalrag.schema.rows import Golden, PlainRow
from evalrag.schema.words import Kind, Origin, Split

FIELDS = (
    "id",
    "kind",
    "split",
    "origin",
    "intent",
    "tags",
    "labelled_by",
    "reviewed_by",
    "labelled_on",
    "unanswerable_because",
    "turn",
)
DEFAULTS = {"split": "dev", "origin": "human", "turn": 1}
"""Of fields that a stored row leaves out where they say what goes without saying."""
META = "meta."


class Looked(Protocol):
    """What of a row a gate can name: a stored result has it, and so has a golden row."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def about(self) -> Mapping[str, Any]: ...


def known_field(name: str) -> bool:
    return name in FIELDS or (name.startswith(META) and len(name) > len(META))


def matches(where: Mapping[str, Any], result: Looked) -> bool:
    """Keys are and, a list is any-of; of a row's list (tags), any one that equals is enough."""
    return all(named(wanted, _field(result, name)) for name, wanted in where.items())


def looked_at(where: Mapping[str, Any]) -> Callable[[Looked], bool]:
    """`matches` for many rows: where kinds alone are named, they are looked up once."""
    if not where:
        return lambda result: True
    if where.keys() == {"kind"}:
        kinds = tuple([kind for kind in Kind if named(where["kind"], kind.value)])
        return lambda result: result.kind in kinds
    return lambda result: matches(where, result)


def _field(result: Looked, name: str) -> Any:
    if name == "id":
        return result.id
    if name == "kind":
        return result.kind.value
    if name.startswith(META):
        meta = result.about.get("meta")
        return meta.get(name.removeprefix(META)) if isinstance(meta, dict) else None
    return result.about.get(name, DEFAULTS.get(name))


def named(wanted: Any, value: Any) -> bool:
    """`wanted`, or one of its list, is `value`, or one of its list."""
    options = wanted if isinstance(wanted, list | tuple) else [wanted]
    values = value if isinstance(value, list | tuple) else [value]
    return any(equal(option, one) for option in options for one in values)


def equal(one: Any, other: Any) -> bool:
    """Equality as JSON has it: true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


_UNSAID = ("intent", "labelled_by", "reviewed_by", "labelled_on", "unanswerable_because")


def turn(row: Row) -> int:
    """The turn of the conversation that a row asks, from 1: the user's turns are counted."""
    return 1 + sum(one.role == "user" for one in row.history)


def about(row: Golden) -> Mapping[str, Any]:
    """The fields of a row that a gate's `where` can name, those that are set and not default."""
    if isinstance(row, PlainRow):
        return row.about
    if row.split is Split.DEV and row.origin is Origin.HUMAN and not row.tags and not row.meta:
        said = row.__dict__
        if not row.history and all(said[name] is None for name in _UNSAID):
            return {}
    found: dict[str, Any] = {}
    if row.split is not Split.DEV:
        found["split"] = row.split.value
    if row.origin is not Origin.HUMAN:
        found["origin"] = row.origin.value
    for name in ("intent", "labelled_by", "reviewed_by", "labelled_on"):
        value = getattr(row, name)
        if value is not None:
            found[name] = value
    if row.unanswerable_because is not None:
        found["unanswerable_because"] = row.unanswerable_because.value
    if row.history:
        found["turn"] = turn(row)
    if row.tags:
        found["tags"] = list(row.tags)
    if row.meta:
        found["meta"] = dict(row.meta)
    return found
