"""Draws `.github/failing-demo.svg` from the real output of the failing demo.

python -m tests.screenshot
"""

import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / ".github" / "failing-demo.svg"
LINES = 48
"""As much as a reader sees first: the verdict, the paragraph, and the rows that broke."""


def output() -> str:
    """What a terminal of 80 columns shows, with its colours."""
    done = subprocess.run(
        [sys.executable, "-m", "evalrag", "run", "configs/demo-halved-chunks.yaml"],
        cwd=ROOT,
        env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": "80", "NO_COLOR": ""},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return "\n".join(done.stdout.splitlines()[:LINES])


def draw(text: str) -> str:
    console = Console(record=True, width=82, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(Text.from_ansi("$ evalrag run configs/demo-halved-chunks.yaml\n" + text))
    return console.export_svg(title="evalrag")


if __name__ == "__main__":
    PICTURE.write_text(draw(output()), encoding="utf-8")
