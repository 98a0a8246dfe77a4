"""Golden rows in bulk: held as their lines, and made whole one at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from pydantic_core import from_json

from evalrag.schema.evidence import Evidence
from evalrag.schema.frozen import made
from evalrag.schema.row import Row
from evalrag.schema.words import Kind, Split


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

    def row(self) -> Row:
        """The whole row, made anew each time: a thousand rows as objects are megabytes."""
        source = self.source
        if isinstance(source, Row):
            return source
        return _plain(source) or _validated(source)


def _validated(source: bytes) -> Row:
    found: Row = Row.__pydantic_validator__.validate_json(source)
    return found


def _plain(source: bytes) -> Row | None:
    """A row of texts and chunk ids, which needs no second look; None where it has more to it."""
    said: dict[str, Any] = from_json(source)
    if not _PLAIN.issuperset(said):
        return None
    for name in _LISTS:
        if name in said:
            chunks = said[name]
            if any(type(chunk) is not str for chunk in chunks):
                return None
            said[name] = tuple([_chunk(chunk) for chunk in chunks])
    said["kind"] = Kind(said["kind"])
    return made(Row, _UNSAID | said)


def _chunk(chunk: str) -> Evidence:
    return made(Evidence, _BARE | {"chunk": chunk, "metadata": {}})


_LISTS = ("gold", "superseded", "near_miss", "acceptable")
_TEXTS = ("id", "question", "reference_answer", "intent", "note", "labelled_by", "reviewed_by")
_PLAIN = {"kind", *_LISTS, *_TEXTS}
_UNSAID = {
    name: field.get_default(call_default_factory=True, validated_data={})
    for name, field in Row.model_fields.items()
}
_BARE = {
    name: field.get_default(call_default_factory=True, validated_data={})
    for name, field in Evidence.model_fields.items()
}


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
