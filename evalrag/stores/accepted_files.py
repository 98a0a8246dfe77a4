"""The files of a baseline by digest: one that was changed since is no accepted one."""

import os
import shlex
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from evalrag.errors import RunError
from evalrag.loading.jsonl import LFS_POINTER, WHAT_IS_LFS
from evalrag.stores.lines import reading

_BLOCK = 1 << 20


class ChangedBaseline(RunError):
    """A file of a baseline is not the one that was accepted."""


def digest_of(path: Path) -> str:
    r"""The SHA-256 of a file, with `\r\n` read as `\n`, since git may write the one for the other.

    Nothing can hide in the difference: a text in JSON has no bare line end.
    """
    found = sha256()
    with reading(path), path.open("rb") as file:
        while block := file.read(_BLOCK):
            while block.endswith(b"\r") and (more := file.read(1)):
                block += more
            found.update(block.replace(b"\r\n", b"\n") if b"\r" in block else block)
    return found.hexdigest()


def digests_of(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """Of those of the files that are there."""
    return {name: digest_of(folder / name) for name in names if os.path.lexists(folder / name)}


def refuse_changed(
    folder: Path, names: Sequence[str], accepted: Mapping[str, str], *, since: str, hint: str
) -> None:
    """Every file that may stand in a baseline is the accepted one, or was not there either.

    Raises:
        ChangedBaseline: the first that is not, with how.
    """
    for name in names:
        path, wanted = folder / name, accepted.get(name)
        if not os.path.lexists(path):
            if wanted is None:
                continue
            what = "is gone"
        elif wanted is None:
            what = "was put there"
        elif digest_of(path) != wanted:
            what = "was changed"
        else:
            continue
        begins = _beginning(path) if what == "was changed" else b""
        if begins.startswith(LFS_POINTER):
            raise RunError(WHAT_IS_LFS, where=str(path), hint="git lfs pull")
        if b"\n<<<<<<< " in b"\n" + begins:
            what = "has the marks of a merge in it, and was changed"
        raise ChangedBaseline(
            f"this file of the baseline {what} after it was accepted ({since})",
            where=str(path),
            hint=hint.format(file=shlex.quote(str(path))),
        )


def _beginning(path: Path) -> bytes:
    with reading(path), path.open("rb") as file:
        return file.read(_BLOCK)
