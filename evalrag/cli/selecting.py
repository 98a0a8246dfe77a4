"""The rows that the flags of a command ask for."""

from collections.abc import Collection, Sequence

from evalrag.cli.prepare import Setting
from evalrag.errors import UsageError
from evalrag.schema.rows import Rows
from evalrag.schema.run import Selection
from evalrag.schema.words import Kind, Split


def select(setting: Setting, selection: Selection, failing: Collection[str] | None) -> Rows:
    """The rows that were asked for, in dataset order.

    Raises:
        UsageError: a name that no row has, or nothing left to run.
    """
    unknown = [name for name in selection.row if name not in setting.dataset.digests]
    if unknown:
        raise UsageError(
            f"the dataset has no row {', '.join(map(repr, unknown))}",
            where=setting.dataset.path,
            hint="name a row by its id: --row ID",
        )
    chosen = [
        row
        for row in setting.dataset.rows.cards
        if (row.split._value_ in selection.split or row.id in selection.row)
        and (not selection.kind or row.kind._value_ in selection.kind)
        and (not selection.row or row.id in selection.row)
        and (not selection.tag or set(selection.tag) & set(row.tags))
        and (failing is None or row.id in failing)
    ]
    if not chosen:
        asked = selection.words() or "the dev split"
        raise UsageError(
            f"no row is left to run ({asked})",
            where=setting.dataset.path,
            hint="ask for less, or for the holdout rows: --split holdout",
        )
    return Rows(chosen)


def selection_of(
    kind: Sequence[str], row: Sequence[str], tag: Sequence[str], split: Sequence[str]
) -> Selection:
    """The flags as data, with unknown words refused."""
    for given, known, flag in ((kind, Kind, "--kind"), (split, Split, "--split")):
        wrong = [word for word in given if word not in tuple(known)]
        if wrong:
            raise UsageError(
                f"{flag} {wrong[0]!r} is not known", hint=f"one of: {', '.join(known)}"
            )
    return Selection(
        kind=tuple(kind), row=tuple(row), tag=tuple(tag), split=tuple(split) or ("dev",)
    )
