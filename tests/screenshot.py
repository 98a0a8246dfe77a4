"""Draws `.github/failing-demo.svg` from the real output of the failing demo.

python -m tests.screenshot
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / ".github" / "failing-demo.svg"


def output() -> str:
    """What a terminal of 80 columns shows of a first run in a fresh checkout, with its colours."""
    with tempfile.TemporaryDirectory() as checkout:
        for name in ("configs", "datasets"):
            shutil.copytree(ROOT / name, Path(checkout) / name)
        done = subprocess.run(
            [sys.executable, "-m", "evalrag", "run", "configs/demo-halved-chunks.yaml"],
            cwd=checkout,
            env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": "80", "NO_COLOR": ""},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    return done.stdout


def draw(text: str) -> str:
    console = Console(record=True, width=82, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(Text.from_ansi("$ evalrag run configs/demo-halved-chunks.yaml\n" + text))
    return console.export_svg(title="evalrag")


if __name__ == "__main__":
    PICTURE.write_text(draw(output()), encoding="utf-8")
