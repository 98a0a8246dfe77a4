"""evalrag at the edges of its process: full disks, closed pipes, odd names, damaged files."""

import json
import shlex
import shutil
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from evalrag.cli.main import app
from evalrag.errors import PlanError
from evalrag.schema.run import FORMAT
from tests.workspace import BOT, ROWS, Done, Workspace


def shell(shop: Workspace, command: str) -> Done:
    """A line of a shell, where `evalrag` is this one."""
    line = f'evalrag() {{ {shlex.quote(sys.executable)} -m evalrag "$@"; }}\n{command}'
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=shop.path,
        env=shop.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def advised(done: Done) -> list[str]:
    said = (done.out + done.err).splitlines()
    return [line.removeprefix("next: ") for line in said if line.startswith("next: ")]


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
sys.argv = ["evalrag", "run", "plan.yaml"]
from evalrag.cli.main import main
main()
"""


def test_a_disk_that_is_full_interrupts_the_run_and_it_goes_on_later(shop: Workspace) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED],
        cwd=shop.path,
        env=shop.environment() | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 130, done.stderr
    assert "the run cannot be written (File too large)" in done.stderr
    assert "Traceback" not in done.stderr
    assert "next: make room, then: evalrag run plan.yaml --resume" in done.stderr
    assert shop.evalrag("run", "--resume").code == 4


@pytest.mark.process  # the pipeline ends it
def test_code_that_changed_is_not_gone_on_with(shop: Workspace) -> None:
    shop.plan(pipeline={"watch": None})
    stopping = BOT + "\n    import os\n    def late(question, passages): os._exit(9)\n"
    shop.write("bot.py", stopping)
    shop.plan(pipeline={"watch": None, "generator": {"use": "bot:late"}})
    assert shop.evalrag("run", "plan.yaml").code == 9
    shop.write("bot.py", stopping.replace("os._exit(9)", "return 'Another version.'"))

    done = shop.evalrag("run", "--resume")

    assert done.code == 2
    assert "the code of the pipeline has changed" in done.err


def test_an_output_that_cannot_be_written_keeps_the_exit_code(shop: Workspace) -> None:
    shop.accepted()

    full = shell(shop, "evalrag gate latest > /dev/full")
    closed = shell(shop, "evalrag gate latest >&-")
    untold = shell(shop, "evalrag gate nothing 2> /dev/full")
    neither = shell(shop, "evalrag gate latest >&- 2>&-")

    assert (full.code, full.err) == (0, "stdout cannot be written: No space left on device\n")
    assert (closed.code, closed.err) == (0, "stdout cannot be written: it is closed\n")
    assert (untold.code, neither.code) == (2, 0)
    after = shell(shop, "evalrag gate latest -o /dev/full")
    assert (after.code, "No space left" in after.err) == (2, True)
    odd = shop.evalrag("show", "latest", "\x1b[31m\u202eh1")
    assert odd.code == 2
    assert not {"\x1b", "\u202e"} & set(odd.err)


@pytest.mark.parametrize("epoch", ["²", "9" * 30, "-1", "soon"])
def test_a_day_that_is_none(shop: Workspace, epoch: str) -> None:
    done = shop.evalrag("check", "plan.yaml", SOURCE_DATE_EPOCH=epoch)

    assert done.code == 2
    assert "SOURCE_DATE_EPOCH" in done.err


def test_what_would_fail_at_the_end_is_found_out_before_the_pipeline_is_called(
    shop: Workspace,
) -> None:
    shop.accepted()
    called = BOT.replace(
        "def retrieve(question, top_k):",
        'def retrieve(question, top_k):\n        open("called", "w").close()',
    )
    shop.write("bot.py", called)
    shop.write("file", "")
    for output, said in {
        "report.pdf": "there is no report for .pdf",
        ".": "Is a directory",
        "file/report.json": "cannot be written",
    }.items():
        done = shop.evalrag("run", "plan.yaml", "-o", output)
        assert (done.code, said in done.err) == (2, True), done
    rows = shop.path / "baseline/rows.jsonl"
    rows.write_text(rows.read_text().replace('"id"', '"di"', 1))

    damaged = shop.evalrag("run", "plan.yaml")

    assert damaged.code == 2
    assert "baseline/rows.jsonl" in damaged.err
    assert not (shop.path / "called").exists()
    assert "baseline/rows.jsonl" in shop.evalrag("check", "plan.yaml").err
    assert shop.evalrag("run", "plan.yaml", "--no-baseline", "-o", "out/r.log").code in (0, 3)
    head = shop.path / "baseline/run.json"
    head.write_text(head.read_text().replace(f'"format": {FORMAT}', '"format": 99'))
    assert shop.evalrag("run", "plan.yaml").code == 4


def test_a_baseline_keeps_what_is_not_evalrags_and_follows_a_link(shop: Workspace) -> None:
    (shop.path / "real").mkdir()
    (shop.path / "baseline").symlink_to("real")
    shop.write("real/.gitattributes", "*.jsonl -diff")
    shop.write("real/notes/README.md", "ours")
    (shop.path / "real/notes").rename(shop.path / "notes")
    shop.accepted()
    (shop.path / "notes").rename(shop.path / "real/notes")

    again = shop.evalrag("baseline", "accept", "latest", "--reason", "second")
    over = shop.evalrag("baseline", "accept", "--to", ".evalrag/runs/0001", "--reason", "x")

    assert again.code == 0, again
    assert (shop.path / "baseline").is_symlink()
    assert (shop.path / "real/run.json").is_file()
    assert (shop.path / "real/.gitattributes").read_text() == "*.jsonl -diff"
    assert (shop.path / "real/notes/README.md").read_text() == "ours"
    assert (over.code, "this is a run" in over.err) == (2, True)


def test_rescoring_leaves_no_row_out_in_silence_and_says_what_works(shop: Workspace) -> None:
    shop.accepted()
    shop.evalrag("run", "plan.yaml")

    done = shop.evalrag("rescore", "baseline", "--plan", "plan.yaml")
    [command] = advised(done)
    assert command == "evalrag gate .evalrag/runs/0002 --baseline .evalrag/runs/0003"
    assert shell(shop, command).code == 0

    shop.rows(ROWS[1:])
    gone = shop.evalrag("rescore", "baseline", "--plan", "plan.yaml")
    assert (gone.code, "any more: h1" in gone.err) == (2, True)
    shop.rows(ROWS)
    traces = shop.path / ".evalrag/runs/0002/traces.jsonl"
    traces.write_text("".join(traces.read_text().splitlines(keepends=True)[1:]))
    bare = shop.evalrag("rescore", "0002", "--plan", "plan.yaml")
    assert (bare.code, "keep no traces" in bare.err, "h1" in bare.err) == (2, True, True)
    shutil.rmtree(shop.path / ".evalrag/runs/0003")


def test_the_next_command_can_be_typed_as_it_stands(shop: Workspace) -> None:
    (shop.path / "my plans").mkdir()
    shop.plan("my plans/a plan.yaml", dataset={"path": "../golden.jsonl"}, runs=None)
    (shop.path / "bot.py").rename(shop.path / "my plans/bot.py")
    shop.rows([ROWS[1] | {"id": "-h1"}, ROWS[0] | {"id": "a  'b' #"}])
    where = shop.path / "my plans/a plan.yaml"

    checked = shop.evalrag("check", "my plans/a plan.yaml")
    [run] = advised(checked)
    assert shlex.split(run) == ["evalrag", "run", "my plans/a plan.yaml"]
    shell(shop, run)
    accepted = shop.evalrag("baseline", "accept", "latest", "--reason", "x")
    assert advised(accepted) == ["git add 'my plans/baseline'"]
    passing = shop.evalrag("run", str(where), "--failing")
    assert (passing.code, "every row passed in run 0001" in passing.err) == (2, True)
    shop.write(
        "my plans/bot.py",
        BOT.replace("TEXTS[name]}", "''}").replace("names =", "first = []; names ="),
    )
    failed = shop.evalrag("run", str(where), "--format", "json")
    assert failed.json["next"] == ["evalrag show 0002 -- -h1"], failed.json["next"]
    assert shell(shop, failed.json["next"][0]).code == 0
    typo = shop.evalrag("show", "latest", "a  'b'")
    assert shell(shop, advised(typo)[0]).code == 0


def test_a_passage_that_is_handed_over_twice_is_shown_at_its_own_places(shop: Workspace) -> None:
    twice = BOT.replace(
        "return [passage(name) for name in names][:top_k]",
        'return [passage(name) for name in ("returns#0", "wrap#0", "returns#0", "other#0")]',
    )
    shop.write("bot.py", twice)
    shop.plan(pipeline={"context_k": 3})
    shop.evalrag("run", "plan.yaml", "--row", "h1")

    shown = shop.evalrag("show", "latest", "h1").out

    windows = [line.split()[:2] for line in shown.splitlines() if "[" in line and "#0" in line]
    assert windows == [["1", "[1]"], ["2", "[2]"], ["3", "[3]"]], shown


def test_files_that_cannot_be_read_are_no_bug(shop: Workspace) -> None:
    shop.accepted()
    accepted = shop.path / "baseline/accepted.json"
    accepted.write_text("null")
    null = shop.evalrag("baseline", "show", "baseline")
    run = shop.path / ".evalrag/runs/0001"
    (run / "timings.jsonl").write_text("{}\n")
    untimed = shop.evalrag("gate", "latest")
    (run / "traces.jsonl").unlink()
    (run / "traces.jsonl").mkdir()
    folder = shop.evalrag("show", "latest", "h1")
    digit = shop.evalrag("show", "²", "x")

    for done in (null, untimed, folder, digit):
        assert done.code == 2, done
        assert advised(done)
    (shop.path / "golden.jsonl").unlink()
    (shop.path / "golden.jsonl").mkdir()
    assert shop.evalrag("check", "plan.yaml").code == 2


@pytest.mark.parametrize("command", ["--help", "run --help", "--version", ""])
def test_a_help_whose_reader_has_gone_is_no_failed_gate(shop: Workspace, command: str) -> None:
    done = shell(shop, f"evalrag {command} | true; echo ${{PIPESTATUS[0]}}")

    assert (done.out, done.err) == ("0\n", "")


def test_a_run_leaves_the_handler_of_sigterm_as_it_was() -> None:
    before = signal.getsignal(signal.SIGTERM)

    ended = CliRunner().invoke(app, ["run", "there is no such plan.yaml"])

    assert isinstance(ended.exception, PlanError)
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_command_that_is_advised_can_be_pasted_whatever_the_plan_is_called(
    shop: Workspace,
) -> None:
    (shop.path / "plan.yaml").rename(shop.path / "my plan.yaml")
    shop.evalrag("run", "my plan.yaml")
    shop.evalrag("baseline", "accept", "latest", "--reason", "first")
    body = json.loads((shop.path / "my plan.yaml").read_text()) | {
        "thresholds": {"faithfulness": 0.1}
    }
    (shop.path / "my plan.yaml").write_text(json.dumps(body))
    shop.evalrag("run", "my plan.yaml", "--row", "h1")

    done = shop.evalrag("baseline", "accept", "latest", "--reason", "r")

    assert done.code == 2
    assert "evalrag run 'my plan.yaml'" in done.err
