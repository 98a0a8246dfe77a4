"""Going through a list of passages in order, adding up what they cover."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evalrag.evidence.match import Group, Leaf, Touch
from evalrag.evidence.tree import Node

Touches = Mapping[int, Touch]
"""What one passage does, by index of the leaf."""


@dataclass(slots=True)
class Walk:
    """What a list of passages holds of a row's evidences, after all of them."""

    leaves: Sequence[Leaf]
    held: list[dict[Group, list[tuple[int, Touch]]]] = field(default_factory=list)
    """By leaf and group: the positions (from 0) that do something for it."""
    flags: list[bool] = field(default_factory=list)
    """By leaf: it is found."""
    completed: dict[int, int] = field(default_factory=dict)
    """Position (from 0) that completes a node, by index of the node."""

    def share(self, leaf: int) -> float:
        """The best group's share; groups never add up."""
        return max(
            (
                self.leaves[leaf].share([touch for _, touch in touches])
                for touches in self.held[leaf].values()
            ),
            default=0.0,
        )

    def credited(self, leaf: int) -> Iterator[int]:
        """The positions that make a found leaf found, in order.

        One that adds firm cover worth the name; and one that adds less, if without it the leaf
        would not be found. So a passage that happens to end in the quote's first word is nobody's
        evidence, nor is a sibling that shares all but the number, and a sliver of a sentence cut
        near its end is.
        """
        judge = self.leaves[leaf]
        for touches in self.held[leaf].values():
            if not judge.found([touch for _, touch in touches]):
                continue
            taken: list[Touch] = []
            for at, touch in touches:
                grows = touch.solid and judge.firm([*taken, touch]) > judge.firm(taken)
                if grows or not judge.found([other for there, other in touches if there != at]):
                    taken.append(touch)
                    yield at


def walk(
    order: Sequence[int | None],
    touched: Sequence[Touches],
    leaves: Sequence[Leaf],
    nodes: Sequence[Node],
) -> Walk:
    """Go through the passages.

    Args:
        order: for each place of the list, the index of its passage in `touched`; None for a repeat.
        touched: what each distinct passage does.
        leaves: all leaves of the row.
        nodes: the evidences to complete.
    """
    result = Walk(leaves, [{} for _ in leaves], [False] * len(leaves))
    for at, passage in enumerate(order):
        if passage is None:
            continue
        news = False
        for leaf, touch in touched[passage].items():
            touches = result.held[leaf].setdefault(touch.group, [])
            touches.append((at, touch))
            if not result.flags[leaf]:
                result.flags[leaf] = touch.alone or leaves[leaf].found([t for _, t in touches])
                news = news or result.flags[leaf]
        if news:
            for index, node in enumerate(nodes):
                if index not in result.completed and node.holds(result.flags):
                    result.completed[index] = at
    return result
