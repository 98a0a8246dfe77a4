"""`evalrag judge`: find out what the plan's judge is worth. One command a module."""

import typer

from evalrag.cli.commands import Commands
from evalrag.cli.judge_calibrate import calibrate
from evalrag.cli.judge_decide import decide

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Hold the plan's judge against people.")


@app.callback()
def judge() -> None:
    """Hold the plan's judge against people."""


app.command()(calibrate)
app.command()(decide)
