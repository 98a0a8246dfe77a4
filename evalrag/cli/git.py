"""What git says of a folder, where there is a git and it knows."""

import subprocess
from pathlib import Path


def git_says(folder: Path, *arguments: str) -> str | None:
    """What a command of git prints, without white space at its ends; None where it says nothing."""
    try:
        found = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, UnicodeDecodeError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None if found.returncode == 0 else None
