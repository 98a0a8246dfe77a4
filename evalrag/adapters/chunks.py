"""Documents cut into passages: raw slices with their spans, cut at white space."""

from collections.abc import Iterator

from evalrag.schema.trace import Passage


def spans(text: str, size: int, overlap: int = 0) -> Iterator[tuple[int, int]]:
    """Where each chunk of `text` starts and ends.

    Without overlap the chunks, put together, are the text. A chunk has at most `size` characters
    and ends behind white space, unless one word is longer than that. With an overlap a chunk
    starts that many characters before the end of the last one, or at the next word behind that.
    """
    start, length = 0, len(text)
    while start < length:
        end = _end(text, start, size)
        yield start, end
        if end >= length:
            return
        start = _next_start(text, start, end, size, overlap)


def chunked(passage: Passage, size: int, overlap: int = 0) -> Iterator[Passage]:
    """The chunks of one record, with ids `id#0`, `id#1`, ...

    Spans count in the document: a record that is itself a part of one says where it starts.
    """
    text = passage.get("text", "")
    offset = passage["span"][0] if "span" in passage else 0
    name = passage["id"] if "id" in passage else passage.get("doc", "")
    for number, (start, end) in enumerate(spans(text, size, overlap)):
        chunk: Passage = {
            "id": f"{name}#{number}",
            "doc": passage.get("doc", name),
            "text": text[start:end],
            "span": (offset + start, offset + end),
        }
        if passage.get("metadata"):
            chunk["metadata"] = passage["metadata"]
        yield chunk


def _end(text: str, start: int, size: int) -> int:
    """Behind the last white space within `size` characters; a longer word is cut."""
    end = start + size
    if end >= len(text):
        return len(text)
    for cut in range(end, start, -1):
        if text[cut - 1].isspace():
            return cut
    return end


def _next_start(text: str, start: int, end: int, size: int, overlap: int) -> int:
    """The first word of the overlap from which a chunk gets further than the last one did."""
    for cut in range(max(end - overlap, start + 1), end):
        begins = text[cut - 1].isspace() and not text[cut].isspace()
        if begins and _end(text, cut, size) > end:
            return cut
    return end
