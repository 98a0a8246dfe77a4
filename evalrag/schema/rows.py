"""Golden rows in bulk: held as their lines, and made whole one at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from pydantic_core import from_json

from evalrag.schema.evidence import Evidence
from evalrag.schema.frozen import made
from evalrag.schema.row import Row, wrong_with
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
        said: dict[str, Any] = from_json(source)
        return _plain(said) or Row.model_validate(said)


def plain_row(said: dict[str, Any]) -> Row | None:
    """A row of texts and chunk ids, as pydantic makes it of a JSON object, in half the time.

    None where there is more to it, or something wrong with it, which is pydantic's to say.
    """
    found = _plain(said)
    if found is None or not found.id or wrong_with(found):
        return None
    return found


def _plain(said: dict[str, Any]) -> Row | None:
    if not _PLAIN.issuperset(said) or not _NEEDED.issubset(said):
        return None
    found = _UNSAID | said
    for name, value in said.items():
        if name in _LISTS:
            if type(value) is not list or not all(type(c) is str and c for c in value):
                return None
            found[name] = tuple([_chunk(chunk) for chunk in value])
        elif type(value) is not str:
            return None
    kind = _KINDS.get(said["kind"])
    if kind is None:
        return None
    found["kind"] = kind
    return made(Row, found)


def _chunk(chunk: str) -> Evidence:
    return made(Evidence, _BARE | {"chunk": chunk, "metadata": {}})


_KINDS = {kind.value: kind for kind in Kind}
_NEEDED = {"id", "kind", "question"}
_LISTS = ("gold", "superseded", "near_miss", "acceptable")
_TEXTS = ("id", "question", "reference_answer", "intent", "note", "labelled_by", "reviewed_by")
_PLAIN = {"kind", *_LISTS, *_TEXTS}
_UNSAID = {
    name: field.get_default(call_default_factory=True, validated_data={})
    for name, field in Row.model_fields.items()
}
"""In the order of the model's fields."""
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
