"""Where text goes: stdout for results, stderr for the rest, files as they were asked for."""

import os
import sys
from typing import TYPE_CHECKING

from evalrag.errors import UsageError

if TYPE_CHECKING:
    from evalrag.schema.run import RunRecord
    from evalrag.schema.verdict import Verdict

FORMATS = ("text", "json")


def check_format(name: str) -> None:
    """Refuse an unknown format before anything runs."""
    if name not in FORMATS:
        raise UsageError(
            f"--format {name!r} is not known", hint=f"use --format {' or --format '.join(FORMATS)}"
        )


def say(text: str) -> None:
    """Write to stdout; a character that its encoding lacks is replaced, a closed pipe is left."""
    _write(sys.stdout, text if text.endswith("\n") else text + "\n")


def note(text: str) -> None:
    """Write to stderr, for people."""
    _write(sys.stderr, text if text.endswith("\n") else text + "\n")


def _write(stream: object, text: str) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write(text.encode(encoding, "replace").decode(encoding))  # type: ignore[attr-defined]
        stream.flush()  # type: ignore[attr-defined]
    except BrokenPipeError:
        # The reader has gone (`| head`). What is left to say goes nowhere, the exit code stands.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def colored() -> bool:
    """Colours on a terminal, unless NO_COLOR asks for none; FORCE_COLOR asks for them."""
    if os.environ.get("NO_COLOR"):
        return False
    return sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))


def width() -> int:
    """Columns of the terminal; 80 where there is none, so that a log reads the same anywhere."""
    import shutil

    return min(shutil.get_terminal_size((80, 24)).columns, 120) if sys.stdout.isatty() else 80


def report(verdict: "Verdict", record: "RunRecord", *, form: str, files: list[str]) -> None:
    """Print the report and write it to every file that was asked for."""
    say(_drawn(verdict, record, form=form, color=colored() and form == "text", columns=width()))
    for path in files:
        suffix = "json" if path.endswith(".json") else "text"
        write_file(path, _drawn(verdict, record, form=suffix, color=False, columns=80))


def _drawn(verdict: "Verdict", record: "RunRecord", *, form: str, color: bool, columns: int) -> str:
    if form == "json":
        from evalrag.reporters.as_json import as_json

        return as_json(verdict, record)
    from evalrag.reporters.terminal import render

    return render(verdict, record, width=columns, color=color)


def write_file(path: str, text: str) -> None:
    """Write a file, making its folder."""
    from pathlib import Path

    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot be written: {error.strerror}", where=path, hint="give another --output"
        ) from None
