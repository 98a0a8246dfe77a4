"""Who is at work here: as a command line, the environment of a build, or git says."""

import os
import subprocess
from pathlib import Path

_BUILDS = ("GITHUB_ACTOR", "GITLAB_USER_LOGIN")


def person(given: str | None, folder: Path) -> str | None:
    """A name in one line: what was given, a build's actor, git's user.name; None where unknown."""
    for name in (given, *map(os.environ.get, _BUILDS)):
        found = " ".join((name or "").split())
        if found:
            return found
    return _git_name(folder)


def _git_name(folder: Path) -> str | None:
    try:
        found = subprocess.run(
            ["git", "config", "user.name"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        ).stdout
    except (OSError, UnicodeDecodeError, subprocess.SubprocessError):
        return None
    return " ".join(found.split()) or None
