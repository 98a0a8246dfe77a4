"""Unfinished runs: full disks, folders that cannot be written, two at once, clocks that jump."""

import json
import os
import subprocess
import sys
import time

import pytest

from tests.workspace import BOT, Done, Workspace

LONG = BOT.replace('"Our shop opens at nine in the morning."', '"Our shop opens. " * 300')


def within(shop: Workspace, blocks: int, *arguments: str) -> Done:
    """Run a command that may write files of so many KiB each, as on a disk that is full then."""
    words = " ".join([sys.executable, "-m", "evalrag", *arguments])
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f {blocks}; exec {words}"],
        cwd=shop.path,
        env=shop.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def test_a_full_disk_keeps_what_was_written_and_the_run_goes_on(shop: Workspace) -> None:
    shop.write("bot.py", LONG)
    shop.plan(run={"concurrency": 1}, pipeline={"top_k": 6})
    assert shop.evalrag("run", "plan.yaml").code == 4
    whole = shop.run_files("0001")

    full = within(shop, 12, "run", "plan.yaml")

    assert (full.code, full.out) == (130, "")
    assert "the run cannot be written (File too large); 2 of 6 attempts are kept" in full.err
    assert "next: make room, then: evalrag run plan.yaml --resume" in full.err
    assert shop.evalrag("run", "--resume").code == 4
    assert shop.run_files("0002") == whole


def test_a_disk_that_is_full_at_the_end_keeps_all_attempts(shop: Workspace) -> None:
    shop.plan(run={"concurrency": 1})
    shop.evalrag("run", "plan.yaml")
    whole = shop.run_files("0001")
    sizes = {p.name: p.stat().st_size for p in (shop.path / ".evalrag/runs/0001").iterdir()}
    biggest = max(size for name, size in sizes.items() if name != "timings.jsonl")

    full = within(shop, biggest // 1024, "run", "plan.yaml")

    assert full.code == 130
    assert "6 of 6 attempts are kept" in full.err
    assert shop.evalrag("run", "--resume").code == 4
    assert shop.run_files("0002") == whole


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_only_be_read_is_said(shop: Workspace) -> None:
    (shop.path / ".evalrag/runs").mkdir(parents=True)
    (shop.path / ".evalrag/runs").chmod(0o500)

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 2
    assert "cannot be written" in done.err


def test_many_runs_at_once_are_all_kept(shop: Workspace) -> None:
    processes = [shop.start("run", "plan.yaml") for _ in range(5)]

    assert [process.wait(timeout=120) for process in processes] == [4] * 5
    assert sorted(p.name for p in (shop.path / ".evalrag/runs").iterdir()) == [
        "0001", "0002", "0003", "0004", "0005",
    ]  # fmt: skip
    assert len({str(shop.run_files(f"000{n}")) for n in range(1, 6)}) == 1


def test_a_run_that_is_going_on_is_not_gone_on_with(shop: Workspace) -> None:
    waits = "first = FIRST.get(question, [])\n        import time; time.sleep(30)"
    shop.write("bot.py", BOT.replace("first = FIRST.get(question, [])", waits))
    process = shop.start("run", "plan.yaml")
    deadline = time.monotonic() + 30
    while not list((shop.path / ".evalrag").rglob("journal.jsonl")):
        assert time.monotonic() < deadline
        time.sleep(0.05)

    done = shop.evalrag("run", "--resume")
    process.kill()
    process.wait()

    assert done.code == 2
    assert "another process is writing this run" in done.err


@pytest.mark.parametrize("epoch", ["0", "1000000000", "4000000000"])
def test_a_clock_that_jumps_changes_neither_day_nor_number(shop: Workspace, epoch: str) -> None:
    shop.plan(run={"concurrency": 1})
    shop.evalrag("run", "plan.yaml")
    assert shop.evalrag("run", "plan.yaml", "--max-seconds", "0.000001").code == 130

    done = shop.evalrag("run", "--resume", "--format", "json", SOURCE_DATE_EPOCH=epoch)

    assert done.code == 4
    heads = [
        json.loads((shop.path / f".evalrag/runs/{n}/run.json").read_text()) | {"id": ""}
        for n in ("0001", "0002")
    ]
    assert heads[0] == heads[1]


def test_a_number_that_was_just_taken_is_left(shop: Workspace) -> None:
    from evalrag.stores.runs import RunFolder

    folder = RunFolder(shop.path / "runs")
    first = folder.begin()
    real = folder._entries

    def ended_meanwhile() -> list[str]:
        names = real()
        first.rename(first.with_name("0001"))
        return [name for name in names if name != "0001.part"]

    folder._entries = ended_meanwhile  # type: ignore[method-assign]

    assert folder.begin().name == "0002.part"
    assert sorted(p.name for p in folder.path.iterdir()) == ["0001", "0002.part"]


@pytest.mark.parametrize("where", ["journal.jsonl", "paid.jsonl"])
def test_a_torn_last_line_is_cut_off(shop: Workspace, where: str) -> None:
    shop.plan(run={"concurrency": 1})
    shop.evalrag("run", "plan.yaml")
    whole = shop.run_files("0001")
    assert shop.evalrag("run", "plan.yaml", "--max-seconds", "0.000001").code == 130
    part = shop.path / ".evalrag/runs/0002.part"
    if where == "paid.jsonl":
        (part / where).write_bytes(b'{"cost":1.5}\n{"cost":2')
    else:
        with (part / where).open("ab") as file:
            file.write(b'{"id":"h1","repeat":0,"tra')

    done = shop.evalrag("run", "--resume")

    assert done.code == 4, done
    assert shop.run_files("0002") == whole


def test_what_is_no_cost_is_said(shop: Workspace) -> None:
    shop.plan(run={"concurrency": 1})
    assert shop.evalrag("run", "plan.yaml", "--max-seconds", "0.000001").code == 130
    part = shop.path / ".evalrag/runs/0001.part"
    (part / "paid.jsonl").write_text('{"cost":-1}\n')

    done = shop.evalrag("run", "--resume")

    assert done.code == 2
    assert "not what evalrag wrote (it says no cost)" in done.err
