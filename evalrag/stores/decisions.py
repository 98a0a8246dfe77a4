"""Where people's decisions are kept: a line is added, and none is ever changed."""

from pathlib import Path

from evalrag.errors import RunError
from evalrag.schema.decision import Decision
from evalrag.stores.lines import line_of, sync, sync_folder
from evalrag.stores.secrecy import Redact, unredacted


def keep(path: Path, decision: Decision, redact: Redact = unredacted) -> None:
    """Add a decision to a file that was just read and found whole; it is made where there is none.

    Two that decide at once both add their line. A last line without its end, as some editors leave
    it, is ended first; of a line that the disk has no room for, nothing is left.

    Raises:
        RunError: the file cannot be written.
    """
    line = redact(line_of(decision.model_dump(mode="json", exclude_defaults=True)))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_bytes() if path.exists() else b""
        if before and not before.endswith(b"\n"):
            line = b"\n" + line
        with path.open("ab", buffering=0) as file:
            if file.write(line) != len(line):
                file.truncate(len(before))
                raise OSError("no room for a line")
            sync(file)
        sync_folder(path.parent)
    except OSError as error:
        raise RunError(
            f"the decision cannot be kept: {error.strerror or error}",
            where=str(path),
            hint="check the folder's rights and room, or name another file in the plan: "
            "judge: {decisions: PATH}",
        ) from None
