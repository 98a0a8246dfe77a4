"""Golden rows in bulk: held as their lines, and made whole one at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, overload

from pydantic_core import from_json

from evalrag.schema.evidence import Evidence
from evalrag.schema.row import Row, Turn, Wordings
from evalrag.schema.words import Form, Kind, Split


@dataclass(slots=True)
class PlainRow:
    """A row of texts and chunk ids, each of which stands in it once. Most rows are.

    It takes little room, so that it is its own card, and is not written to once it is made.
    """

    id: str
    kind: Kind
    question: str
    gold: Sequence[str]
    acceptable: Sequence[str]
    superseded: Sequence[str]
    near_miss: Sequence[str]
    about: Mapping[str, Any]
    """What a gate's `where` can name."""
    more: Mapping[str, str]
    """Its other texts."""

    split: ClassVar[Split] = Split.DEV
    tags: ClassVar[tuple[str, ...]] = ()
    history: ClassVar[tuple[Turn, ...]] = ()
    reference_facts: ClassVar[tuple[Wordings, ...]] = ()
    answer_contains: ClassVar[tuple[Wordings, ...]] = ()
    answer_excludes: ClassVar[tuple[str, ...]] = ()
    forbidden: ClassVar[tuple[Evidence, ...]] = ()
    inputs: ClassVar[Mapping[str, Any]] = {}
    expect: ClassVar[tuple[Form, ...]] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """As `Row.labels`: a plain row has gold, and texts alone beside it."""
        rivals = ("rivals",) if self.superseded or self.near_miss else ()
        return ("gold", *rivals, *(("reference",) if "reference_answer" in self.more else ()))

    def row(self) -> Row:
        """The same as a model."""
        said = {"id": self.id, "kind": self.kind, "question": self.question}
        chunks = {name: getattr(self, name) for name in _LISTS}
        return Row.model_validate({**said, **chunks, **self.about, **self.more})

    def golden(self) -> "PlainRow":
        return self


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
    question, gold = said["question"], said.get("gold", ())
    if not question.strip() or not gold or (kind is Kind.MULTI_HOP and len(gold) < 2):
        return None
    rival = _RIVAL.get(kind)
    if rival is not None and not said.get(rival):
        return None
    plainest = len(said) == len(_PLAINEST) and _PLAINEST.issuperset(said)
    return PlainRow(
        identity,
        kind,
        question,
        gold,
        said.get("acceptable", ()),
        said.get("superseded", ()),
        said.get("near_miss", ()),
        _NOTHING if plainest else {name: said[name] for name in _ABOUT if name in said},
        _NOTHING if plainest else {name: said[name] for name in _MORE if name in said},
    )


_NOTHING: Mapping[str, Any] = {}
_RIVAL = {Kind.STALE_POLICY: "superseded", Kind.NEAR_MISS: "near_miss"}
"""What a row of these kinds cannot be without, beside gold."""
_KINDS = {kind.value: kind for kind in Kind if kind is not Kind.UNANSWERABLE}
_NEEDED = {"id", "kind", "question"}
_PLAINEST = {*_NEEDED, "gold"}
_LISTS = {"gold", "superseded", "near_miss", "acceptable"}
_ABOUT = ("intent", "labelled_by", "reviewed_by")
"""In the order in which a result names them."""
_MORE = ("reference_answer", "note")
_FIELDS = {*_NEEDED, *_LISTS, *_ABOUT, *_MORE}


@dataclass(slots=True)
class Card:
    """What a row is chosen and counted by. It is not written to once it is made."""

    id: str
    kind: Kind
    split: Split
    tags: tuple[str, ...]
    about: Mapping[str, Any]
    """What a gate's `where` can name."""
    labels: tuple[str, ...]
    source: bytes | Row
    """The line that it was read from and found right, where that says all; else the row."""

    def row(self) -> Row:
        """The whole row, made anew each time: a thousand rows as objects are megabytes."""
        source = self.source
        return source if isinstance(source, Row) else Row.model_validate(from_json(source))

    def golden(self) -> Row:
        return self.row()


class Rows(Sequence[Row]):
    """Rows in file order. Go through them once where that is enough, or through their `cards`."""

    def __init__(self, cards: Sequence[Card | PlainRow]) -> None:
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
