"""Who is at work here: as a command line, the environment of a build, or git says."""

import os
from pathlib import Path

from evalrag.cli.git import git_says

_BUILDS = ("GITHUB_ACTOR", "GITLAB_USER_LOGIN")


def person(given: str | None, folder: Path) -> str | None:
    """A name in one line: what was given, a build's actor, git's user.name; None where unknown."""
    for name in (given, *map(os.environ.get, _BUILDS)):
        found = " ".join((name or "").split())
        if found:
            return found
    named = git_says(folder, "config", "user.name")
    return " ".join(named.split()) if named else None
