"""Where a workflow has evalrag from: this release, or the address that it was installed from."""

import json
import re
from urllib.parse import urlsplit, urlunsplit

from evalrag.errors import UsageError

_WORDS = re.compile(r"[A-Za-z0-9._~:/@+=,\[\]-]+( [A-Za-z0-9._~:/@+=,\[\]-]+)*")
"""Words that YAML and a shell read as they stand, since they are written into both."""


def requirement(asked: str | None) -> str:
    """What pip is to install in a workflow.

    The version that wrote the plan is the one that reads it: another may judge otherwise. One that
    was installed from version control is no release, and is named by its address and commit, as
    `direct_url.json` of PEP 610 says it.

    Raises:
        UsageError: `asked` has a character that a workflow would not hand on as it stands.
    """
    from evalrag import __version__

    if asked is not None:
        if not _WORDS.fullmatch(asked) or asked.startswith("-"):
            raise UsageError(
                "--install takes requirements of pip, parted by single spaces, without quotes",
                hint="evalrag init --install git+https://HOST/OWNER/evalrag@COMMIT",
            )
        return asked
    return address_of(_said()) or f"evalrag=={__version__}"


def from_a_folder() -> bool:
    """This evalrag was installed from files that are here: an index may not have it."""
    return "dir_info" in _said() or "archive_info" in _said()


def _said() -> str:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution("evalrag").read_text("direct_url.json") or "{}"
    except PackageNotFoundError:
        return "{}"


def address_of(direct_url: str) -> str | None:
    """A requirement of pip for what `direct_url.json` says; None of a folder, or of an archive."""
    try:
        said = json.loads(direct_url)
        parts, vcs = urlsplit(said["url"]), said["vcs_info"]
        host = parts.netloc.rpartition("@")[2]  # never with the name and key that pip was given
        url = urlunsplit((parts.scheme, host, parts.path, "", ""))
        found = f"{vcs['vcs']}+{url}@{vcs['commit_id']}"
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    return found if parts.scheme in ("https", "http") and _WORDS.fullmatch(found) else None
