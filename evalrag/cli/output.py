"""Where text goes: stdout for results, stderr for the rest, files as they were asked for."""

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

from evalrag.cli.secrecy import hide
from evalrag.errors import UsageError
from evalrag.redaction import raised
from evalrag.reporters.plain import disarmed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalrag.reporters.build import ToFile
    from evalrag.schema.report import Report

FORMATS = ("text", "json", "junit", "markdown", "github", "sarif")
COMMANDS = "github"
"""The one format whose lines a CI server is meant to obey."""


def check_format(name: str, known: "Sequence[str]" = FORMATS) -> None:
    """Refuse an unknown format before anything runs."""
    if name not in known:
        raise UsageError(
            f"--format {name!r} is not known", hint=f"use --format {' or --format '.join(known)}"
        )


def say(text: str, *, obeyed: bool = False) -> None:
    """Write to stdout; a character that its encoding lacks is replaced, a closed pipe is left.

    Nothing in it is a command to a CI server, unless it is meant to be `obeyed`.
    Where stdout cannot be written the exit code stands all the same, and stderr says so.
    """
    why = _write(sys.stdout, text, 1, obeyed=obeyed)
    if why is not None:
        note(f"stdout cannot be written: {why}")


def note(text: str, *, obeyed: bool = False) -> None:
    """Write to stderr, for people. Where that cannot be written nobody can be told."""
    _write(sys.stderr, text, 2, obeyed=obeyed)


def _write(stream: TextIO | None, text: str, number: int, *, obeyed: bool) -> str | None:
    """Write a text without secrets; why not, if not. A reader that has gone (`| head`) is fine."""
    if stream is None:  # `>&-`
        return "it is closed"
    text = hide(text if text.endswith("\n") else text + "\n")
    if not obeyed:
        text = disarmed(text)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write(text.encode(encoding, "replace").decode(encoding))
        stream.flush()
    except (OSError, ValueError) as error:
        with contextlib.suppress(OSError):  # what is buffered goes nowhere, also at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
        if not isinstance(error, BrokenPipeError):
            return getattr(error, "strerror", None) or str(error)
    return None


def colored() -> bool:
    """Colours on a terminal, unless NO_COLOR asks for none; FORCE_COLOR asks for them."""
    if os.environ.get("NO_COLOR"):
        return False
    return _on_terminal() or bool(os.environ.get("FORCE_COLOR"))


def _on_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def width() -> int:
    """Columns of the terminal; 80 where there is none, so that a log reads the same anywhere."""
    import shutil

    asked = os.environ.get("COLUMNS", "")
    if asked.isascii() and asked.isdecimal():
        return max(40, min(int(asked), 400))
    return min(shutil.get_terminal_size((80, 24)).columns, 120) if _on_terminal() else 80


class Drawing(NamedTuple):
    """How the report on stdout is drawn."""

    form: str
    full: bool
    quiet: bool = False


def drawing(form: str, *, full: bool, quiet: bool) -> Drawing:
    """How stdout is drawn, checked before anything runs.

    Raises:
        UsageError: the format is unknown, or the report is to be long and short.
    """
    check_format(form)
    if full and quiet:
        raise UsageError("--full and --quiet ask for two reports", hint="leave out one of them")
    return Drawing(form, full, quiet)


def report(found: "Report", drawing: Drawing, files: "Sequence[ToFile]") -> int:
    """Print the report and write it to every file that was asked for. Returns the exit code."""
    say(_drawn(found, drawing), obeyed=drawing.form == COMMANDS)
    code = int(found.verdict.exit_code)
    done = []
    for asked in files:
        try:
            text = asked.reporter.render(found)
        except Exception as error:  # noqa: BLE001 - a reporter may be the user's
            note(f"error: reporter {asked.reporter.name} raised {raised(error, hide)}")
            code = code or UsageError.exit_code
            continue
        if asked.path is None:
            _beside(text, asked.reporter.name, drawing.form)
            continue
        if written(asked.path, text):
            done.append(asked.path)
        else:
            code = code or UsageError.exit_code
    if not drawing.quiet:
        tell(done, drawing.form)
    return code


def _beside(text: str, name: str, form: str) -> None:
    """Print a second report after the first: on stderr where stdout is for a machine."""
    if name == form:
        return
    tell_it = say if form == "text" else note
    tell_it(text, obeyed=name == COMMANDS)


def tell(files: "Sequence[str]", form: str) -> None:
    """Name the files that were written, last: on stderr where stdout is for a machine."""
    from evalrag.reporters.plain import safe

    for path in files:
        (say if form == "text" else note)(f"report: {safe(path)}")


def written(path: str, text: str) -> bool:
    """Write a file; where it cannot be, stderr says so."""
    try:
        write_file(path, text)
    except UsageError as error:
        note(f"error: {error}")
        return False
    return True


def _drawn(found: "Report", drawing: Drawing) -> str:
    if drawing.form != "text":
        from evalrag.reporters.build import reporter

        return reporter(drawing.form).render(found)
    if drawing.quiet:
        from evalrag.reporters.quiet import render as short

        return short(found.verdict, found.record, width=width(), color=colored())
    from evalrag.reporters.terminal import render

    return render(
        found.verdict,
        found.record,
        width=width(),
        color=colored(),
        full=drawing.full,
        more=found.more,
    )


def write_file(path: str, text: str) -> None:
    """Write a file, making its folder."""
    try:
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(hide(text), encoding="utf-8")
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None


def check_output(files: list[str] | None) -> None:
    """Refuse, before anything runs, what could not be written at the end.

    Raises:
        UsageError: a folder, or a place that cannot be written.
    """
    for path in files or ():
        try:
            _try(Path(path))
        except (OSError, ValueError) as error:
            raise _unwritable(path, error) from None


def _try(target: Path) -> None:
    there = target.exists()
    if there and not target.is_file() and not target.is_dir():
        return  # a pipe or a device: opening it now would be seen at its other end
    target.parent.mkdir(parents=True, exist_ok=True)
    target.open("ab").close()
    if not there:
        target.unlink()


def _unwritable(path: str, error: OSError | ValueError) -> UsageError:
    return UsageError(
        f"cannot be written: {getattr(error, 'strerror', None) or error}",
        where=path,
        hint="give another --output",
    )
