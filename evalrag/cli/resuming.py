"""The unfinished run that `--resume` goes on with."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evalrag.cli.prepare import Setting
    from evalrag.stores.journal import Journal
    from evalrag.stores.secrecy import Redact


def unfinished_plan() -> str | None:
    """The plan of the newest unfinished run here."""
    from pathlib import Path

    from evalrag.cli.options import RUNS
    from evalrag.stores.journal import unfinished
    from evalrag.stores.runs import RunFolder

    plans = (head.get("plan") for _, head in unfinished(RunFolder(Path(RUNS)).parts()))
    return next((str(plan) for plan in plans if plan), None)


def resumed(setting: "Setting", redact: "Redact") -> "Journal":
    """The newest unfinished run of this plan, or else of any: which is then refused by its key."""
    from evalrag.cli.prepare import quoted
    from evalrag.errors import UsageError
    from evalrag.loading.show import relative
    from evalrag.stores.journal import Journal, unfinished

    found = list(unfinished(setting.runs.parts()))
    own = relative(setting.loaded.path)
    parts = [part for part, head in found if head.get("plan") == own] or [p for p, _ in found]
    if not parts:
        raise UsageError(
            "there is no unfinished run to go on with",
            where=str(setting.runs.path),
            hint=f"evalrag run {quoted(setting.loaded.file)}",
        )
    return Journal.resume(parts[0], redact)


def refuse_another(journal: "Journal", head: "Mapping[str, Any]", part: "Path") -> None:
    """A journal of other questions, or of another pipeline, is not gone on with."""
    from evalrag.errors import UsageError

    why = None
    if journal.head.get("key") != head["key"]:
        why = "the unfinished run is of another plan, dataset or pipeline than there is now"
    elif journal.head.get("code") != head["code"]:
        why = "the code of the pipeline has changed since the unfinished run was begun"
    if why is not None:
        journal.close()
        raise UsageError(
            why,
            where=str(part),
            hint="undo the change and resume, or start anew without --resume",
        )
