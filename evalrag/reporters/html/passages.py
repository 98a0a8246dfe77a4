"""The texts of passages, each kept once however many rows fetched it."""

from collections.abc import Mapping
from typing import Any

from evalrag.reporters.html.escaping import cut, script_json

TEXT = 8_000
"""Characters of a passage."""
NAME = 400
_TOLD = 6
"""Keys of a passage's metadata that are shown."""


class Passages:
    """Every passage that some row fetched, in the order in which they came."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], int] = {}
        self._kept: list[tuple[str, Mapping[str, Any]]] = []
        self._asked: dict[int, None] = {}

    def place(self, name: str, passage: Mapping[str, Any]) -> int:
        """The number of this passage, under this name and with this text."""
        key = name, passage.get("text", "")
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self._kept)
            self._kept.append((name, passage))
        self._asked[place] = None
        return place

    def asked(self) -> list[int]:
        """The places that were asked for since the last time."""
        found = list(self._asked)
        self._asked.clear()
        return found

    def __len__(self) -> int:
        return len(self._kept)

    def bare(self, place: int) -> str:
        """The JSON of its name alone."""
        return script_json([cut(self._kept[place][0], NAME)])

    def whole(self, place: int) -> str:
        """The JSON of its name, document, metadata and text."""
        name, passage = self._kept[place]
        text = passage.get("text")
        if text is None:
            return self.bare(place)
        metadata = [f"{key}: {value}" for key, value in (passage.get("metadata") or {}).items()]
        about = " · ".join(metadata[:_TOLD])
        return script_json([cut(name, NAME), cut(about, NAME), cut(text, TEXT)])
