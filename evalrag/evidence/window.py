"""What the model sees of the candidates, where the pipeline does not say it."""

from collections.abc import Sequence

from evalrag.schema.trace import Passage


def window(
    candidates: Sequence[Passage],
    *,
    context_k: int | None = None,
    context_chars: int | None = None,
) -> list[Passage]:
    """The candidates that fit, in their order.

    By number, by characters of text, or by the smaller of both; all where neither is given. By
    characters whole passages alone are taken, and the first that does not fit ends the window:
    a smaller one behind it does not move up, since a prompt is filled in order. A first passage
    that is larger than the window leaves it empty.

    >>> window([{"text": "abc"}, {"text": "defgh"}, {"text": "i"}], context_chars=5)
    [{'text': 'abc'}]
    """
    chosen = list(candidates if context_k is None else candidates[:context_k])
    if context_chars is None:
        return chosen
    room = context_chars
    for at, passage in enumerate(chosen):
        room -= len(passage.get("text") or "")
        if room < 0:
            return chosen[:at]
    return chosen
