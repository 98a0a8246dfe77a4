"""Thin shell: parse, call, print, exit. Every command's own imports wait until it is called."""

import sys
from typing import Annotated, NoReturn

import typer

from evalrag.cli import baseline, check, diff, explain, gate, rescore, run, schema, show
from evalrag.errors import EvalragError

app = typer.Typer(
    name="evalrag",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="rich",
    epilog="Start with: evalrag check PLAN, then evalrag run PLAN",
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


app.command()(run.run)
app.command()(diff.diff)
app.command()(gate.gate)
app.command()(rescore.rescore)
app.command()(show.show)
app.command()(check.check)
app.command()(explain.explain)
app.command()(schema.schema)
app.add_typer(baseline.app, name="baseline")


def main() -> None:
    """Map every deliberate error to its exit code; 1 always means that a gate failed."""
    _leave(_code())


def _code() -> int:
    try:
        app()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except EvalragError as error:
        typer.echo(f"error: {error}", err=True)
        return error.exit_code
    except KeyboardInterrupt:
        typer.echo("stopped", err=True)
        return 130
    except Exception:  # noqa: BLE001  the edge: anything else is a bug of ours
        sys.excepthook(*sys.exc_info())
        typer.echo(
            "\nThis is a bug in evalrag. Please report it with the lines above, the command, and\n"
            "what `evalrag --version` prints; leave out what your rows and passages say.",
            err=True,
        )
        return 70
    return 0


def _leave(code: int) -> NoReturn:
    """Exit, also where a thread that the user's code left behind would keep the process alive."""
    import os
    import threading

    alive = [t for t in threading.enumerate() if not t.daemon and t is not threading.main_thread()]
    if alive:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
