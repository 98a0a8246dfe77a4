"""Which passages of a list came before."""

from collections.abc import Sequence

from evalrag.schema.trace import Passage


def repeats(passages: Sequence[Passage], ids: Sequence[str]) -> list[bool] | None:
    """For each place: an earlier one has the same id, or, without an id, the same text.

    Args:
        passages: the list, in order.
        ids: their ids, "" for none.

    Returns:
        None where nothing repeats, which is nearly always.

    >>> repeats([{}, {}], ["a", "b"]), repeats([{}, {}], ["a", "a"])
    (None, [False, True])
    """
    distinct = set(ids)
    if len(distinct) == len(ids) and "" not in distinct:
        return None
    seen_ids: set[str] = set()
    seen_texts: set[str] = set()
    again: list[bool] = []
    for passage, key in zip(passages, ids, strict=True):
        text = passage.get("text")
        if key:
            again.append(key in seen_ids)
            seen_ids.add(key)
        else:
            again.append(bool(text) and text in seen_texts)
        if text:
            seen_texts.add(text)
    return again if any(again) else None
