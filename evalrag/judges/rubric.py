"""A team's own words for a model judge: what stands in the file that `judge.with.rubric` names."""

from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from evalrag.errors import PluginError
from evalrag.judging.fence import seen
from evalrag.loading.show import clean
from evalrag.schema.digest import digest

LONGEST_RUBRIC = 8_000
"""Characters. It is sent with every call."""


class Rubric(NamedTuple):
    """The words, the name of their file for reports, and the digest of the words alone."""

    name: str
    text: str
    digest: str


def named(judge: str, rubric: Rubric | None) -> str:
    """A judge's name with that of its rubric, as reports show it."""
    return f"{judge} with {rubric.name}" if rubric else judge


def printed(rubric: Rubric | None) -> dict[str, JsonValue]:
    """What a judge's fingerprint says of its rubric: what it says, whatever its file is called."""
    return {"rubric": rubric.digest} if rubric else {}


def read_rubric(path: Path, *, shown: str | None = None) -> Rubric:
    """The rubric in a file of UTF-8. `shown` names the file to people.

    Raises:
        PluginError: it cannot be read, is no text, is empty, or is longer than `LONGEST_RUBRIC`.
    """
    name = clean(shown if shown is not None else str(path), 400)
    hint = "give a text file, relative to the plan, with what your judge should look at"
    try:
        with path.open("rb") as file:
            data = file.read(4 * LONGEST_RUBRIC + 4)
        text = seen(data.decode("utf-8-sig")).strip()
    except UnicodeDecodeError:
        whole = len(data) <= 4 * LONGEST_RUBRIC
        why = "is no UTF-8 text" if whole else f"is longer than {LONGEST_RUBRIC} characters"
        raise PluginError(f"with.rubric: {name} {why}", hint=hint) from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "bad path"
        raise PluginError(f"with.rubric: {name} cannot be read: {why}", hint=hint) from None
    if not text:
        raise PluginError(f"with.rubric: {name} is empty", hint=hint)
    if len(text) > LONGEST_RUBRIC:
        raise PluginError(
            f"with.rubric: {name} is longer than {LONGEST_RUBRIC} characters", hint=hint
        )
    return Rubric(clean(path.name, 80), text, digest(text))
