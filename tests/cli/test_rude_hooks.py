"""Hooks that do to the process what they should not: the run and its report stay whole."""

import json

import pytest

from tests.workspace import BOT, Workspace

RUDE = {
    "chdir at import": ("    os.chdir('/')\n", ""),
    "chdir at every call": ("", "os.chdir('/')"),
    "chdir to what is removed": (
        "    gone = tempfile.mkdtemp(); os.chdir(gone); os.rmdir(gone)\n",
        "",
    ),
    "print": ("    print('imported')\n", "print('asked')"),
    "writes past Python": ("    os.write(1, b'imported')\n", "os.write(1, b'asked')"),
    "a child that prints": (
        "    subprocess.run(['echo', 'imported'])\n",
        "subprocess.run(['echo', 'asked'])",
    ),
    "another stdout": ("    sys.stdout = open(os.devnull, 'w')\n", ""),
    "a thread that stays": ("    threading.Thread(target=time.sleep, args=(60,)).start()\n", ""),
}
HEAD = "    import os, subprocess, sys, tempfile, threading, time\n"


def rude(kind: str) -> str:
    at_import, at_call = RUDE[kind]
    first = "first = FIRST.get(question, [])"
    code = BOT.replace(first, f"{first}\n        {at_call}")
    return HEAD + at_import + code


NEEDS_A_PROCESS = {"a thread that stays"}


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=[pytest.mark.process] if kind in NEEDS_A_PROCESS else [])
        for kind in RUDE
    ],
)
def test_the_report_and_the_run_are_as_ever(shop: Workspace, kind: str) -> None:
    shop.accepted()
    whole = shop.run_files("0001")
    shop.write("bot.py", rude(kind))

    done = shop.evalrag("run", "plan.yaml", "--format", "json", "-o", "out/report.txt")

    assert done.code == 0, done
    assert json.loads(done.out)["verdict"] == "passed"
    assert shop.run_files("0002") == whole
    assert (shop.path / "out/report.txt").exists()
    assert "stored as .evalrag/runs/0002" in done.err


def test_code_that_went_elsewhere_stays_there_while_it_runs(shop: Workspace) -> None:
    shop.write("data/first.txt", "returns#0")
    reads = BOT.replace("first = FIRST.get(question, [])", "first = [open('first.txt').read()]")
    shop.write("bot.py", "    import os\n    os.chdir('data')\n" + reads)

    done = shop.evalrag("run", "plan.yaml", "--format", "json")

    assert done.json["errored"] == []
    assert (shop.path / ".evalrag/runs/0001/run.json").exists()


@pytest.mark.parametrize(
    "act",
    [
        "sys.exit(0)",
        "sys.exit('bye')",
        "raise KeyboardInterrupt",
        "raise GeneratorExit",
        "raise asyncio.CancelledError",
        "raise type('Mine', (BaseException,), {})",
    ],
)
@pytest.mark.parametrize("word", ["def", "async def"])
def test_an_exit_costs_its_row(shop: Workspace, act: str, word: str) -> None:
    code = BOT.replace(
        "first = FIRST.get(question, [])",
        f"first = FIRST.get(question, [])\n        if 'gift wrapping cost' in question: {act}",
    ).replace("def retrieve", f"{word} retrieve")
    shop.write("bot.py", "    import asyncio, sys\n" + code)

    done = shop.evalrag("run", "plan.yaml", "--format", "json")

    assert done.json["errored"] == ["h2"]
    assert done.code in (3, 4)
