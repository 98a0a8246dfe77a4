"""How much of a character range passages cover together."""

Ranges = tuple[tuple[int, int], ...]
"""Ranges [start, end) in order, apart from each other."""


def overlap(span: tuple[int, int], passage: tuple[int, int]) -> Ranges:
    """The part of `span` that the passage's range holds; empty for none.

    >>> overlap((10, 20), (15, 40))
    ((15, 20),)
    """
    start, end = max(span[0], passage[0]), min(span[1], passage[1])
    return ((start, end),) if start < end else ()


def union(one: Ranges, two: Ranges) -> Ranges:
    """Both, merged where they touch.

    >>> union(((0, 4), (8, 9)), ((4, 6),))
    ((0, 6), (8, 9))
    """
    merged: list[tuple[int, int]] = []
    for start, end in sorted(one + two):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def length(ranges: Ranges) -> int:
    """Characters in the ranges.

    >>> length(((0, 6), (8, 9)))
    7
    """
    return sum(end - start for start, end in ranges)
