"""Thin shell: parse, call, print, exit. Every command's own imports wait until it is called."""

import contextlib
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from evalrag.cli import (
    baseline,
    cache,
    check,
    diff,
    explain,
    gate,
    history,
    init,
    judge,
    rescore,
    run,
    schema,
    show,
)
from evalrag.cli.commands import Commands
from evalrag.errors import EvalragError

app = typer.Typer(
    name="evalrag",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="rich",
    epilog="Start with: evalrag init, or evalrag check PLAN, then evalrag run PLAN",
)


def _version(asked: bool) -> None:
    if asked:
        from evalrag import __version__

        typer.echo(f"evalrag {__version__}")
        raise typer.Exit


@app.callback()
def evalrag(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Gate CI for RAG pipelines on the rows that broke, by name."""


app.command()(init.init)
app.command()(run.run)
app.command()(diff.diff)
app.command()(gate.gate)
app.command()(history.history)
app.command()(rescore.rescore)
app.command()(show.show)
app.command()(check.check)
app.command()(explain.explain)
app.command()(schema.schema)
app.add_typer(baseline.app, name="baseline")
app.add_typer(cache.app, name="cache")
app.add_typer(judge.app, name="judge")


def main() -> None:
    """Map every deliberate error to its exit code; 1 always means that a gate failed."""
    _hold_places()
    _leave(invoke())


def _hold_places() -> None:
    """Where stdin, stdout or stderr is closed, no file of ours may get its number."""
    import os

    with contextlib.suppress(OSError):
        while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(number)


def invoke(arguments: Sequence[str] | None = None) -> int:
    """Run one command, of this process by default, in this process. Returns its exit code.

    Secrets of its plan are forgotten when it ends: they would be hidden in what the next one says.
    """
    try:
        return _invoked(arguments)
    finally:
        if "evalrag.cli.secrecy" in sys.modules:
            sys.modules["evalrag.cli.secrecy"].forget()


def _invoked(arguments: Sequence[str] | None) -> int:
    try:
        app(args=arguments, prog_name="evalrag")
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):
            return 0  # typer says 1 of a help whose reader has gone (`| head`): no gate failed
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except EvalragError as error:
        _complain(f"error: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        _complain("stopped")
        return 130
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _complain(
            f"error: {place}the system says: {error.strerror or error}\n"
            "next: check that the file is there and can be read and written, then try again"
        )
        return 2
    except Exception:  # noqa: BLE001  the edge: anything else is a bug of ours
        import traceback

        _complain(
            f"{traceback.format_exc()}\n"
            "This is a bug in evalrag. Please report it with the lines above, the command, and\n"
            "what `evalrag --version` prints; leave out what your rows and passages say."
        )
        return 70
    return 0


def _complain(text: str) -> None:
    """Say on stderr what is wrong: no secrets, and nothing that a terminal would obey."""
    from evalrag.cli.output import note
    from evalrag.cli.secrecy import hide
    from evalrag.loading.show import clean

    note("\n".join(clean(line, _LONGEST) for line in hide(text).split("\n")))


_LONGEST = 4_000


def _leave(code: int) -> NoReturn:
    """Exit, also where a thread that the user's code left behind would keep the process alive."""
    import os
    import threading

    alive = [t for t in threading.enumerate() if not t.daemon and t is not threading.main_thread()]
    if alive:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(code)
    sys.exit(code)
