"""Golden rows in bulk: held as their lines, and made whole one at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, overload

from pydantic_core import from_json

from evalrag.schema.row import Row, Turn
from evalrag.schema.words import Form, Kind, Split


@dataclass(slots=True)
class PlainRow:
    """A row of texts and chunk ids, each of which stands in it once. Most rows are.

    It is had from a line in a tenth of the time of a `Row`.
    """

    id: str
    kind: Kind
    question: str
    gold: Sequence[str]
    acceptable: Sequence[str]
    superseded: Sequence[str]
    near_miss: Sequence[str]
    about: Mapping[str, Any]
    source: Mapping[str, Any]
    """All that the line says."""

    history: ClassVar[tuple[Turn, ...]] = ()
    reference_facts: ClassVar[tuple[str, ...]] = ()
    expect: ClassVar[tuple[Form, ...]] = ()

    def row(self) -> Row:
        """The same as a model."""
        return Row.model_validate(self.source)


Golden: TypeAlias = Row | PlainRow


def whole_row(golden: Golden) -> Row:
    return golden.row() if isinstance(golden, PlainRow) else golden


def plain_row(said: Mapping[str, Any]) -> PlainRow | None:
    """A JSON object as a plain row, where it is one and nothing is wrong with it.

    None says nothing of it: pydantic has to look.
    """
    if not _FIELDS.issuperset(said) or not _NEEDED.issubset(said):
        return None
    chunks: list[Any] = []
    for name, value in said.items():
        if name in _LISTS:
            if type(value) is not list:
                return None
            chunks += value
        elif type(value) is not str:
            return None
    try:
        distinct = set(chunks)
        "".join(chunks)
    except TypeError:  # an evidence that is no chunk id
        return None
    kind = _KINDS.get(said["kind"])
    if kind is None or "" in distinct or len(distinct) != len(chunks):
        return None
    identity: str = said["id"]
    if not identity or identity != identity.strip() or not identity.isprintable():
        return None
    about = {name: said[name] for name in _ABOUT if name in said}
    found = _plain(kind, about, said)
    if not found.question.strip() or not said.get(_ASKS[kind]):
        return None
    if not found.gold or (kind is Kind.MULTI_HOP and len(found.gold) < 2):
        return None
    return found


def _plain(kind: Kind, about: Mapping[str, Any], said: Mapping[str, Any]) -> PlainRow:
    had = said.get
    return PlainRow(
        said["id"],
        kind,
        said["question"],
        had("gold", ()),
        had("acceptable", ()),
        had("superseded", ()),
        had("near_miss", ()),
        about,
        said,
    )


_ASKS = {
    Kind.HAPPY_PATH: "gold",
    Kind.MULTI_HOP: "gold",
    Kind.STALE_POLICY: "superseded",
    Kind.NEAR_MISS: "near_miss",
}
"""What a row of each kind cannot be without. What an unanswerable one needs is not plain."""
_KINDS = {kind.value: kind for kind in _ASKS}
_NEEDED = {"id", "kind", "question"}
_LISTS = {"gold", "superseded", "near_miss", "acceptable"}
_ABOUT = ("intent", "labelled_by", "reviewed_by")
"""In the order in which a result names them."""
_FIELDS = {*_NEEDED, *_LISTS, *_ABOUT, "reference_answer", "note"}


@dataclass(slots=True)
class Card:
    """What a row is chosen and counted by. It is not written to once it is made."""

    id: str
    kind: Kind
    split: Split
    tags: tuple[str, ...]
    about: Mapping[str, Any]
    """What a gate's `where` can name."""
    source: bytes | Row
    """The line that it was read from and found right, where that says all; else the row."""
    plain: bool = False
    """The line is that of a plain row."""

    def row(self) -> Row:
        """The whole row, made anew each time: a thousand rows as objects are megabytes."""
        return self.source if isinstance(self.source, Row) else Row.model_validate(self._said())

    def golden(self) -> Golden:
        """The same, as a plain row where it is one."""
        return _plain(self.kind, self.about, self._said()) if self.plain else self.row()

    def _said(self) -> dict[str, Any]:
        assert isinstance(self.source, bytes)
        said: dict[str, Any] = from_json(self.source, cache_strings="keys")
        return said


class Rows(Sequence[Row]):
    """Rows in file order. Go through them once where that is enough, or through their `cards`."""

    def __init__(self, cards: Sequence[Card]) -> None:
        self.cards = cards

    def __len__(self) -> int:
        return len(self.cards)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> "Rows": ...
    def __getitem__(self, place: int | slice) -> "Row | Rows":
        if isinstance(place, slice):
            return Rows(self.cards[place])
        return self.cards[place].row()

    def __iter__(self) -> Iterator[Row]:
        return (card.row() for card in self.cards)


def ids_of(rows: Sequence[Row]) -> list[str]:
    """The rows' ids, without making the rows."""
    if isinstance(rows, Rows):
        return [card.id for card in rows.cards]
    return [row.id for row in rows]


def goldens_of(rows: Sequence[Row]) -> Iterator[Golden]:
    """The rows, made no further than they have to be."""
    if isinstance(rows, Rows):
        return (card.golden() for card in rows.cards)
    return iter(rows)
