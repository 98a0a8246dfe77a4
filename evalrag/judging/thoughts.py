"""What a model wrote while it thought: no part of the answer."""

import re

_MARK = re.compile(r"<(/?)think(?:ing)?(?:\s[^<>]{0,200})?>", re.IGNORECASE)


def spoken(answer: str) -> str:
    """The answer with every thought blanked out, so that each character keeps its place.

    A thought that never ends goes on to the end; one that never began goes back to the beginning.

    >>> spoken("<think>14 days?</think>30 days.").strip()
    '30 days.'
    """
    kept, depth, begin = list(answer), 0, 0
    for number, mark in enumerate(_MARK.finditer(answer)):
        if not mark[1]:
            begin = begin if depth else mark.start()
            depth += 1
            continue
        if not depth:
            begin = mark.start() if number else 0
        depth = max(0, depth - 1)
        if not depth:
            kept[begin : mark.end()] = " " * (mark.end() - begin)
    if depth:
        kept[begin:] = " " * (len(answer) - begin)
    return "".join(kept)
