"""Under what a verdict is kept: everything that could have made it another one."""

from collections.abc import Mapping

from pydantic import JsonValue

from evalrag.schema.digest import whole_digest

KEYED = "verdict/1"
"""Another name makes every verdict that is kept unknown: for a change of what a key is made of."""


def cache_key(
    fingerprint: Mapping[str, JsonValue], task_name: str, sent: JsonValue, repeat: int, vote: int
) -> str:
    """The key of one reply of a judge, the same for the same content however it is ordered.

    Args:
        fingerprint: the judge's, with everything in it that can change a verdict.
        task_name: which task it is, since two tasks may send the same texts.
        sent: everything that this call sends, and nothing that differs from call to call: the
            random token of a fence would make every key another.
        repeat: the attempt at the row, so that repeats are asked apart.
        vote: the vote within the attempt, so that votes are asked apart.

    Returns:
        64 hexadecimal digits. Passages and answers are hostile: with fewer, a text could be made
        whose key is that of another, and be given its verdict.
    """
    return whole_digest([KEYED, dict(fingerprint), task_name, sent, repeat, vote])
