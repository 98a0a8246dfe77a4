"""`evalrag cache`: what is kept of judges' verdicts, and how to be rid of it."""

from typing import TYPE_CHECKING, Annotated

import typer

from evalrag.cli.commands import Commands
from evalrag.cli.options import Format

if TYPE_CHECKING:
    from pathlib import Path

    from evalrag.stores.verdict_cache import CacheStats, VerdictCache

app = typer.Typer(
    cls=Commands, no_args_is_help=True, help="Show or clear what is kept of judges' verdicts."
)

PATIENCE = 5.0
"""Seconds that a command of its own waits for a run that holds the file."""

CacheFile = Annotated[
    str | None,
    typer.Option(
        "--cache",
        envvar="EVALRAG_CACHE",
        metavar="FILE",
        help="The cache's file; .evalrag/cache/verdicts.sqlite by default.",
    ),
]


@app.command()
def stats(cache: CacheFile = None, form: Format = "text") -> None:
    """Show how many verdicts are kept, of which judges, and what they cost.

    Example: evalrag cache stats
    """
    from evalrag.cli.output import check_format, say
    from evalrag.stores.cache_problem import cannot

    check_format(form)
    kept = _cache(cache)
    try:
        found = kept.stats()
        if kept.why is not None:
            raise cannot("read", kept.why, kept.path)
    finally:
        kept.close()
    say(_json(found, kept.path) if form == "json" else _text(found, kept.path))


@app.command()
def clear(
    judge: Annotated[
        str | None,
        typer.Option(
            envvar="EVALRAG_CACHE_JUDGE",
            metavar="DIGEST",
            help="Only what this judge said; see stats.",
        ),
    ] = None,
    older_than: Annotated[
        int | None,
        typer.Option(
            envvar="EVALRAG_CACHE_OLDER_THAN",
            metavar="DAYS",
            min=0,
            max=100_000,
            help="Only what was kept before that many days ago.",
        ),
    ] = None,
    cache: CacheFile = None,
) -> None:
    """Clear the verdicts that are kept; without options all of them, and a file that is damaged.

    Example: evalrag cache clear --older-than 30
    """
    from datetime import date, timedelta

    from evalrag.cli.output import say
    from evalrag.cli.prepare import today
    from evalrag.reporters.plain import safe

    kept = _cache(cache)
    before = None
    if older_than is not None:
        before = date.fromisoformat(today()) - timedelta(days=older_than)
    try:
        gone = kept.clear(judge, before)
    finally:
        kept.close()
    where, following = safe(kept.path), "evalrag run PLAN"
    if kept.aside is not None:
        said = f"{where} was no verdict cache that can be used, and is now {safe(kept.aside)}"
    elif gone:
        said = f"cleared {_verdicts(gone)} from {where}"
    else:
        said = f"nothing to clear in {where}"
        following = "evalrag cache stats"
    say(f"{said}\nnext: {following}")


def _cache(file: str | None) -> "VerdictCache":
    from pathlib import Path

    from evalrag.stores.cache_file import DEFAULT
    from evalrag.stores.verdict_cache import VerdictCache

    return VerdictCache(Path(file) if file is not None else DEFAULT, wait=PATIENCE)


def _text(found: "CacheStats", path: "Path") -> str:
    from evalrag.reporters.plain import safe

    if not found.entries:
        return f"{safe(path)}: no verdict is kept\nnext: evalrag run PLAN"
    lines = [f"{safe(path)}: {_verdicts(found.entries)}, {found.bytes:,} bytes"]
    for judge in found.judges:
        lines.append(f"  judge {safe(judge.judge)}: {_verdicts(judge.entries)}")
        if judge.models:
            lines.append(f"    from {safe(', '.join(judge.models))}")
        counts = {"in": judge.tokens_in, "out": judge.tokens_out}
        tokens = ", ".join(f"{n:,} {way}" for way, n in counts.items() if n is not None)
        lines.append(f"    tokens: {tokens or 'unknown'}")
        lines.append(f"    kept: {safe(judge.first_day)} to {safe(judge.last_day)}")
    return "\n".join([*lines, "next: evalrag cache clear --older-than 30"])


def _json(found: "CacheStats", path: "Path") -> str:
    import json
    from dataclasses import asdict

    body = {
        "schema_version": 1,
        "path": str(path),
        "entries": found.entries,
        "bytes": found.bytes,
        "judges": [asdict(judge) for judge in found.judges],
    }
    return json.dumps(body, ensure_ascii=False, indent=2)


def _verdicts(count: int) -> str:
    return f"{count:,} verdict{'s' * (count != 1)}"
