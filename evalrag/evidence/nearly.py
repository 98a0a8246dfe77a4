"""A gold evidence that no candidate is, although one nearly is: by its spelling, or its metadata.

Ids and values are compared letter by letter, so that nothing is found by chance. What differs in
its writing alone is not found either, and looks like a fault of the search until somebody says so.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from evalrag.evidence.match import QuoteLeaf, equal, leaf_of
from evalrag.schema.evidence import Evidence
from evalrag.schema.result import Nearly
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage

MOST = 5
"""Names of what is there that are kept."""


def nearly(evidence: Evidence, candidates: Sequence[Passage], reading: Reading) -> Nearly | None:
    """What stands among the candidates in the place of an evidence that none of them finds.

    Args:
        evidence: a gold one that was not found.
        candidates: what the retriever returned; with `[]` nothing is said.
        reading: the plan's settings.
    """
    for leaf in evidence.leaves():
        found = next(_of_leaf(leaf, candidates, reading), None)
        if found is not None:
            return found
    return None


def _of_leaf(leaf: Evidence, candidates: Sequence[Passage], reading: Reading) -> Iterator[Nearly]:
    field, name = ("id", leaf.chunk) if leaf.chunk is not None else ("doc", leaf.doc)
    if name is not None:
        yield from _by_name(leaf, field, name, candidates)
    for key, wanted in leaf.metadata.items():
        keys = dict.fromkeys(k for p in candidates for k in p.get("metadata") or {})
        if candidates and key not in keys:
            yield _made("key", key, wanted, keys, 0)
    if leaf.quote is not None and leaf.doc is not None:
        words = leaf_of(leaf.model_copy(update={"doc": None, "metadata": {}}), reading)
        assert isinstance(words, QuoteLeaf)
        for number, passage in enumerate(candidates, start=1):
            touch = words.touch(passage) if passage.get("doc") != leaf.doc else None
            if touch is not None and touch.alone:
                yield _made("document", "doc", leaf.doc, [passage.get("doc")], number)


def _by_name(
    leaf: Evidence, field: str, name: str, candidates: Sequence[Passage]
) -> Iterator[Nearly]:
    for number, passage in enumerate(candidates, start=1):
        there: Any = passage.get(field)
        if there == name:
            yield from _by_metadata(leaf, passage, number)
        elif there is not None and folded(there) == folded(name):
            yield _made("spelling", field, name, [there], number)


def _by_metadata(leaf: Evidence, passage: Passage, number: int) -> Iterator[Nearly]:
    metadata: Mapping[str, Any] = passage.get("metadata") or {}
    for key, wanted in leaf.metadata.items():
        if key not in metadata:
            yield _made("key", key, wanted, metadata, number)
        elif not equal(metadata[key], wanted) and _written(metadata[key]) == _written(wanted):
            yield _made("value", key, wanted, [metadata[key]], number)


def _made(why: Any, field: str, wanted: Any, there: Any, candidate: int) -> Nearly:
    return Nearly(
        why=why, field=field, wanted=wanted, there=list(there)[:MOST], candidate=candidate
    )


@lru_cache(maxsize=8192)
def folded(name: str) -> str:
    r"""A name without what people and file systems write in two ways.

    >>> folded("Docs\\Re\u0301sume\u0301.md") == folded("./docs/r\u00e9sum\u00e9.md")
    True
    """
    plain = unicodedata.normalize("NFKC", _unquoted(name)).casefold().replace("\\", "/")
    parts = [part.strip() for part in plain.split("/")]
    return "/".join(part for part in parts if part not in ("", "."))


def _unquoted(name: str) -> str:
    """The name with the octets that a URL writes as %20 put back, where they make a text."""

    def octets(found: re.Match[str]) -> str:
        try:
            return bytes.fromhex(found[0].replace("%", "")).decode()
        except UnicodeDecodeError:
            return found[0]

    return re.sub(r"(?:%[0-9A-Fa-f]{2})+", octets, name)


def _written(value: Any) -> str:
    """A metadata value as a person would type it: 3, 3.0 and "3" are one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return folded(str(value))
    return f"{value:g}"


def in_words(found: Nearly) -> str:
    """For people: what was looked for, and what is there."""
    at = f"candidate {found['candidate']}"
    there = ", ".join(map(repr, found["there"])) or "nothing"
    if found["why"] == "document":
        return f"the same words stand in {at}, of another document ({there})"
    if found["why"] == "key":
        who = at if found["candidate"] else "every candidate"
        return f"it asks for the metadata key {found['field']!r}, and {who} has {there}"
    if found["why"] == "spelling":
        return f"{at} has the {found['field']} {there}, in another writing"
    return f"{at} has {found['field']} {there}, in another writing than {found['wanted']!r}"
