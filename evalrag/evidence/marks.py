"""What each passage is for a row: the first rule that fits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evalrag.evidence.tree import Forest, Node
from evalrag.evidence.walk import Touches, Walk, walk
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.words import Mark


@dataclass(frozen=True, slots=True)
class Labels:
    """A row's four lists of evidence, as trees over common leaves."""

    forest: Forest
    gold: tuple[Node, ...]
    acceptable: tuple[Node, ...]
    superseded: tuple[Node, ...]
    near_miss: tuple[Node, ...]
    forbidden: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Alone:
    """What one passage finds by itself, or is by the plan: it does not depend on the others."""

    gold: tuple[int, ...] = ()
    acceptable: bool = False
    rival: Mark | None = None
    listed: bool = False
    """Its rival is an entry of the row's; else it is superseded by the plan."""
    clash: str | None = None
    """A gold or acceptable evidence and a rival on this passage: the row's error."""


@dataclass(frozen=True, slots=True)
class Read:
    """A list of passages, read in order."""

    marks: tuple[Mark, ...]
    gold: tuple[tuple[int, ...], ...]
    found: tuple[bool, ...]
    covered: tuple[float, ...]
    completed_at: tuple[int | None, ...]
    superseded_at: tuple[int | None, ...] = ()
    """Position, from 1, of the passage that completes each of the row's superseded entries."""
    forbidden: frozenset[int] = frozenset()
    """Places, from 0, of passages that find a forbidden entry, or a part of one found."""


def labels_of(row: Row, reading: Reading) -> Labels:
    """Prepare the row's evidence."""
    forest = Forest(reading)
    return Labels(
        forest,
        forest.plant(row.gold),
        forest.plant(row.acceptable),
        forest.plant(row.superseded),
        forest.plant(row.near_miss),
        forest.plant(row.forbidden),
    )


def alone(labels: Labels, row: Row, touches: Touches, *, old: bool) -> Alone:
    """What the passage finds by itself. `old`: it is superseded by the plan, unless listed."""
    if not any(touch.alone for touch in touches.values()):
        return Alone(rival=Mark.SUPERSEDED) if old else Alone()
    flags = [False] * len(labels.forest.leaves)
    for leaf, touch in touches.items():
        flags[leaf] = touch.alone
    gold = tuple(at for at, node in enumerate(labels.gold) if node.holds(flags))
    acceptable = _first(labels.acceptable, flags)
    superseded, near_miss = _first(labels.superseded, flags), _first(labels.near_miss, flags)
    if superseded is None and near_miss is None:
        listed = bool(gold) or acceptable is not None
        rival = Mark.SUPERSEDED if old and not listed else None
        return Alone(gold, acceptable is not None, rival)
    rival = Mark.SUPERSEDED if superseded is not None else Mark.NEAR_MISS
    if not gold and acceptable is None:
        return Alone(rival=rival, listed=True)
    wrong = row.superseded[superseded] if superseded is not None else row.near_miss[near_miss or 0]
    name, right = (
        ("gold", row.gold[gold[0]]) if gold else ("acceptable", row.acceptable[acceptable or 0])
    )
    clash = f"{name} and rival on one passage: {right.label()} and {rival} {wrong.label()}"
    return Alone(gold, acceptable is not None, rival, True, clash)


def read(
    labels: Labels,
    order: Sequence[int | None],
    touched: Sequence[Touches],
    judged: Sequence[Alone],
) -> Read:
    """Mark each place of a list, and say what the list holds of each gold."""
    supports = (*labels.gold, *labels.acceptable)
    nodes = (*supports, *labels.superseded, *labels.forbidden)
    walked = walk(order, touched, labels.forest.leaves, nodes)
    golds = range(len(labels.gold))
    credit = _credit(walked, supports)
    partial = _partial(walked, labels.gold)
    marks: list[Mark] = []
    indexes: list[tuple[int, ...]] = []
    for at, passage in enumerate(order):
        if passage is None:
            marks.append(Mark.REPEAT)
            indexes.append(())
            continue
        own = judged[passage]
        adds, covers = credit.get(at, set()), partial.get(at, set())
        marks.append(_mark(own, bool(adds), bool(covers)))
        indexes.append(tuple(g for g in golds if g in own.gold or g in adds or g in covers))
    shares = [walked.share(leaf) for leaf in range(len(walked.leaves))] if golds else []
    places = [walked.completed.get(node) for node in range(len(nodes))]
    positions = [None if place is None else place + 1 for place in places]
    return Read(
        tuple(marks),
        tuple(indexes),
        tuple(place is not None for place in places[: len(golds)]),
        tuple(node.share(shares) for node in labels.gold),
        tuple(positions[: len(golds)]),
        tuple(positions[len(supports) : len(nodes) - len(labels.forbidden)]),
        frozenset(_forbidden(walked, labels.forbidden)),
    )


def _mark(own: Alone, adds: bool, covers: bool) -> Mark:
    if own.rival is not None:
        return own.rival
    if own.gold or own.acceptable or adds:
        return Mark.RELEVANT
    return Mark.PARTIAL if covers else Mark.UNJUDGED


def _forbidden(walked: Walk, nodes: Sequence[Node]) -> Iterator[int]:
    for node in nodes:
        for leaf in node.bearing(walked.flags):
            yield from walked.credited(leaf)
            for touches in walked.held[leaf].values():
                yield from (at for at, touch in touches if touch.alone)


def _credit(walked: Walk, nodes: Sequence[Node]) -> dict[int, set[int]]:
    """By place: the found evidences that it adds cover to."""
    credit: dict[int, set[int]] = {}
    for index, node in enumerate(nodes):
        if index not in walked.completed:
            continue
        for leaf in node.bearing(walked.flags):
            for at in walked.credited(leaf):
                credit.setdefault(at, set()).add(index)
    return credit


def _partial(walked: Walk, gold: Sequence[Node]) -> dict[int, set[int]]:
    """By place: the gold that was not found and that it covers in part."""
    partial: dict[int, set[int]] = {}
    for index, node in enumerate(gold):
        if index in walked.completed:
            continue
        for leaf in node.leaves():
            for touches in walked.held[leaf].values():
                for at, touch in touches:
                    if touch.part:
                        partial.setdefault(at, set()).add(index)
    return partial


def _first(nodes: Sequence[Node], flags: Sequence[bool]) -> int | None:
    return next((at for at, node in enumerate(nodes) if node.holds(flags)), None)
