"""A request to a judge as whoever answers it reads it: the data between its markers, by name."""

import re
from dataclasses import dataclass, field

from tests.provider.said import Asked

MARKER = re.compile(r"^Marker: (\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for, and everything that was shown. `kind` is the task's name."""

    kind: str
    marker: str
    question: str = ""
    answer: str = ""
    passages: tuple[str, ...] = ()
    numbered: dict[str, str] = field(default_factory=dict)
    """Sentences, claims or facts by the id under which they are asked for."""
    doubts: tuple[str, ...] = ()
    shown: str = ""
    """All of the data, the names of the blocks left out."""


def request_of(asked: Asked) -> Request:
    """Read a request of the chat protocols, or of a decision."""
    marker = marker_of(asked)
    block = re.compile(
        rf"^<<{marker} (?P<name>[^\n]*?)>>\n(?P<text>.*?)\n<<{marker} end>>$", re.M | re.S
    )
    blocks = [(found["name"], found["text"]) for found in block.finditer(asked.user)]
    named = dict(blocks)
    numbered = {
        name.rpartition(" ")[2]: text
        for name, text in blocks
        if re.fullmatch(r"(?:claim|fact|answer) [cfs]\d+", name)
    }
    return Request(
        kind=_kind(asked, named, numbered),
        marker=marker,
        question=named.get("question", ""),
        answer=named.get("answer", "") or "\n".join(numbered.values()),
        passages=tuple(text for name, text in blocks if name.startswith("passage ")),
        numbered=numbered,
        doubts=tuple(text for name, text in blocks if name.startswith("doubt ")),
        shown="\n".join(text for _, text in blocks),
    )


def marker_of(asked: Asked) -> str:
    found = MARKER.search(asked.user)
    assert found is not None, "a request without a marker"
    return found[1]


def _kind(asked: Asked, named: dict[str, str], numbered: dict[str, str]) -> str:
    fields = (asked.schema or {}).get("properties", {})
    for name in ("sentences", "claims"):
        if name in fields:
            return name
    if "facts" in fields:
        return "facts" if "answer" in named else "recall"
    if fields:
        return "relevancy" if "padded" in fields else "form"
    return "decision"
