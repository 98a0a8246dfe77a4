"""`evalrag run` as a process: exit codes, files, and what a person reads."""

import json
import signal
import time
from pathlib import Path

import pytest

from tests.workspace import BOT, ROWS, Workspace


def test_a_first_run_has_no_baseline_and_says_how_to_make_one(shop: Workspace) -> None:
    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 4
    assert "NO BASELINE (exit 4)" in done.out
    assert 'next: evalrag baseline accept 0001 --reason "..."' in done.out


def test_a_second_run_passes(shop: Workspace) -> None:
    shop.accepted()

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 0, done.out
    assert "PASSED (exit 0)" in done.out


def test_json_is_alone_on_stdout(shop: Workspace) -> None:
    shop.write("bot.py", BOT + "\n    print('loaded')\n")
    shop.accepted()

    done = shop.evalrag("run", "plan.yaml", "--format", "json")

    assert done.json["schema_version"] == 1
    assert done.json["exit_code"] == done.code == 0
    assert {gate["status"] for gate in done.json["gates"]} == {"passed"}


def test_the_report_is_written_to_files_by_their_suffix(shop: Workspace) -> None:
    shop.evalrag("run", "plan.yaml", "-o", "out/report.json", "-o", "out/report.txt")

    assert json.loads((shop.path / "out/report.json").read_text())["verdict"] == "no baseline"
    assert "NO BASELINE" in (shop.path / "out/report.txt").read_text()


def test_two_runs_of_the_same_inputs_have_the_same_bytes(shop: Workspace) -> None:
    shop.evalrag("run", "plan.yaml")
    shop.plan(run={"concurrency": 1})
    shop.evalrag("run", "plan.yaml")

    assert shop.run_files("0001") == shop.run_files("0002")
    heads = [
        json.loads((shop.path / f".evalrag/runs/{n}/run.json").read_text())
        for n in ("0001", "0002")
    ]
    for head in heads:
        head.pop("id")
        head.pop("plan_digest")
    assert heads[0] == heads[1]


def test_a_broken_row_is_named_with_its_gate_and_the_next_command(shop: Workspace) -> None:
    shop.accepted()
    shop.write("bot.py", BOT.replace('["market#0", "returns#0"]', '["returns#0", "market#0"]'))

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 1
    assert "FAIL rivals stay below the evidence" in done.out
    assert "n1 near-miss ranking pass -> fail wrong-sibling" in " ".join(done.out.split())
    assert "next: evalrag show 0002 n1" in done.out


@pytest.mark.parametrize(
    ("answer", "code", "read"),
    [
        pytest.param(
            '"I cannot find that in the documents I was given."',
            1,
            "FAIL answerable rows are answered",
            id="a bot that refuses everything",
        ),
        pytest.param(
            'passages[0]["text"]', 1, "FAIL nothing is invented", id="a bot that never declines"
        ),
    ],
)
def test_a_bot_that_always_does_the_same(
    shop: Workspace, answer: str, code: int, read: str
) -> None:
    shop.accepted()
    same = BOT.replace("if question not in FIRST:", "if True:").replace(
        '"I do not have information about that."', answer
    )
    shop.write("bot.py", same)

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == code
    assert read in done.out


def test_a_bot_that_raises_on_every_third_row_is_undecided(shop: Workspace) -> None:
    shop.accepted()
    raising = """
    CALLS = []

    def generate(question, passages):
        CALLS.append(question)
        if question in ("How long is the return window?", "What is the delivery charge?"):
            raise RuntimeError("the model is down")
        return passages[0]["text"] if question in FIRST else "I do not have that information."
    """
    shop.write("bot.py", BOT.split("    def generate")[0] + raising)

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 3
    assert "2 rows errored: h1, s1" in done.out
    shown = shop.evalrag("show", "latest", "h1")
    assert "RuntimeError: the model is down" in shown.out


def test_a_selection_runs_those_rows_alone(shop: Workspace) -> None:
    shop.accepted()

    done = shop.evalrag("run", "plan.yaml", "--kind", "near-miss", "--format", "json")

    assert done.code == 0
    assert [change["id"] for change in done.json["diff"]["changes"]] == ["n1"]
    status = {gate["name"]: gate["status"] for gate in done.json["gates"]}
    assert status["nothing is invented"] == "not evaluated"


def test_failing_runs_what_did_not_pass_in_the_newest_run(shop: Workspace) -> None:
    shop.accepted()
    shop.write("bot.py", BOT.replace('["wrap#0"]', '["other#0", "market#0"]'))
    shop.evalrag("run", "plan.yaml")

    done = shop.evalrag("run", "plan.yaml", "--failing", "--format", "json")

    assert done.code == 1
    assert [change["id"] for change in done.json["diff"]["changes"]] == ["h2"]


def test_holdout_rows_run_when_they_are_asked_for(shop: Workspace) -> None:
    shop.rows([*ROWS[:-1], ROWS[-1] | {"split": "holdout"}])

    dev = shop.evalrag("run", "plan.yaml", "--format", "json").json
    held = shop.evalrag("run", "plan.yaml", "--split", "holdout", "--format", "json").json

    assert sum(sum(v.values()) for v in dev["outcomes"].values()) == 5
    assert list(held["outcomes"]) == ["unanswerable"]
    assert any("1 holdout row did not run" in line for line in dev["head"])
    assert any("were looked at once" in line for line in held["head"])
    again = shop.evalrag("run", "plan.yaml", "--split", "holdout", "--format", "json").json
    assert any("were looked at 2 times" in line for line in again["head"])


def test_repeats_keep_every_attempt_and_mark_a_flaky_row(shop: Workspace) -> None:
    shop.accepted()
    flaky = BOT.replace(
        "def retrieve(question, top_k):",
        "def retrieve(question, top_k, repeat):",
    ).replace(
        "first = FIRST.get(question, [])",
        "first = FIRST.get(question, [])\n        if repeat == 1: first = first[::-1]",
    )
    shop.write("bot.py", flaky)
    shop.plan(run={"repeats": 3})

    done = shop.evalrag("run", "plan.yaml", "--format", "json")

    assert done.code == 0
    assert done.json["flaky"] == ["n1", "s1"]
    lines = (shop.path / ".evalrag/runs/0002/traces.jsonl").read_text().splitlines()
    assert len(lines) == 3 * len(ROWS)
    assert "Attempt 2 of 3: fail" in shop.evalrag("show", "latest", "n1").out
    listed = shop.evalrag("show", "latest").out.splitlines()
    assert [line.split() for line in listed[:2]] == [
        ["pass", "near-miss", "n1", "flaky"],
        ["pass", "stale-policy", "s1", "flaky"],
    ]


SLOW = BOT.replace(
    "def retrieve(question, top_k):",
    """def retrieve(question, top_k):
        import pathlib, time
        with pathlib.Path("calls.txt").open("a") as file:
            file.write(question + "\\n")
        if pathlib.Path("slow").exists() and len(
            pathlib.Path("calls.txt").read_text().splitlines()
        ) > 15:
            time.sleep(60)""",
)


def many(n: int = 20) -> list[dict[str, object]]:
    return [
        {
            "id": f"q{i}",
            "kind": "unanswerable",
            "question": f"Question {i}?",
            "unanswerable_because": "out-of-scope",
        }
        for i in range(n)
    ]


def journal_lines(shop: Workspace) -> int:
    journals = list((shop.path / ".evalrag/runs").glob("*.part/journal.jsonl"))
    return sum(path.read_bytes().count(b"\n") - 1 for path in journals)


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda s: s.name
)
def test_a_stopped_run_goes_on_where_it_was_and_ends_with_the_same_bytes(
    shop: Workspace, how: signal.Signals
) -> None:
    shop.rows(many())
    shop.write("bot.py", SLOW)
    shop.plan(run={"concurrency": 1})
    shop.evalrag("run", "plan.yaml")
    (shop.path / "calls.txt").unlink()
    (shop.path / "slow").touch()
    process = shop.start("run", "plan.yaml")
    deadline = time.monotonic() + 30
    while journal_lines(shop) < 15 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(how)
    if how is signal.SIGINT:  # once lets the call in flight finish, which takes a minute
        time.sleep(0.5)
        process.send_signal(how)
    code = process.wait(timeout=20)

    assert code == (-signal.SIGKILL if how is signal.SIGKILL else 130)
    assert not (shop.path / ".evalrag/runs/0002").exists()
    (shop.path / "slow").unlink()
    before = len((shop.path / "calls.txt").read_text().splitlines())

    done = shop.evalrag("run", "--resume", timeout=30)

    calls = (shop.path / "calls.txt").read_text().splitlines()
    assert done.code == 4, done
    assert calls[before:] == [f"Question {i}?" for i in range(15, 20)]
    assert shop.run_files("0002") == shop.run_files("0001")


def test_a_torn_last_line_is_called_again(shop: Workspace) -> None:
    shop.rows(many(3))
    shop.write("bot.py", SLOW)
    shop.plan(run={"concurrency": 1})
    shop.evalrag("run", "plan.yaml")
    part = _part_of(shop, torn=True)
    (shop.path / "calls.txt").unlink()

    done = shop.evalrag("run", "plan.yaml", "--resume")

    assert done.code == 4, done
    assert (shop.path / "calls.txt").read_text().splitlines() == ["Question 2?"]
    assert not part.exists()
    assert shop.run_files("0002") == shop.run_files("0001")


def _part_of(shop: Workspace, *, torn: bool) -> Path:
    """An unfinished run, made by killing one after its journal is whole."""
    (shop.path / "calls.txt").unlink(missing_ok=True)
    (shop.path / "calls.txt").write_text("x\n" * 13)
    (shop.path / "slow").touch()
    process = shop.start("run", "plan.yaml")
    deadline = time.monotonic() + 30
    while journal_lines(shop) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.wait()
    (shop.path / "slow").unlink()
    part = next((shop.path / ".evalrag/runs").glob("*.part"))
    if torn:
        with (part / "journal.jsonl").open("ab") as file:
            file.write(b'{"id":"q2","repeat":0,"trace":{"candid')
    return part


def test_a_journal_of_another_plan_is_not_gone_on_with(shop: Workspace) -> None:
    shop.rows(many(3))
    shop.write("bot.py", SLOW)
    shop.plan(run={"concurrency": 1})
    _part_of(shop, torn=False)
    shop.plan(run={"concurrency": 1}, pipeline={"top_k": 3})

    done = shop.evalrag("run", "plan.yaml", "--resume")

    assert done.code == 2
    assert "another plan, dataset or pipeline" in done.err


def test_resuming_nothing_says_so(shop: Workspace) -> None:
    done = shop.evalrag("run", "plan.yaml", "--resume")

    assert done.code == 2
    assert "no unfinished run" in done.err


@pytest.mark.process  # its end takes the thread that hangs with it
def test_a_hook_that_hangs_costs_its_row_and_the_process_ends(shop: Workspace) -> None:
    shop.write(
        "bot.py",
        BOT.replace(
            "first = FIRST.get(question, [])",
            "first = FIRST.get(question, [])\n"
            "        import time\n"
            "        if 'gift wrapping cost' in question: time.sleep(10**6)",
        ),
    )
    shop.plan(run={"timeout_s": 0.3})

    done = shop.evalrag("run", "plan.yaml", "--format", "json", timeout=30)

    assert done.json["errored"] == ["h2"]


def test_a_run_in_a_folder_that_cannot_be_written_says_so(shop: Workspace) -> None:
    shop.write(".evalrag", "a file, not a folder")

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 2
    assert "cannot be written" in done.err


def test_secrets_of_the_environment_reach_no_file_and_no_error(shop: Workspace) -> None:
    shop.write(
        "bot.py",
        BOT.replace(
            "def retrieve(question, top_k):", "def retrieve(question, top_k, key):"
        ).replace(
            "first = FIRST.get(question, [])",
            "first = FIRST.get(question, [])\n"
            "        if 'rugby' in question: raise RuntimeError('bad key ' + key)",
        ),
    )
    shop.plan(pipeline={"retriever": {"use": "bot:retrieve", "with": {"key": "${SHOP_KEY}"}}})

    done = shop.evalrag("run", "plan.yaml", SHOP_KEY="sk-very-secret-1234")

    assert "bad key [redacted]" in shop.evalrag("show", "latest", "u1").out
    stored = b"".join(p.read_bytes() for p in (shop.path / ".evalrag").rglob("*") if p.is_file())
    assert b"sk-very-secret" not in stored
    assert "sk-very-secret" not in done.out + done.err


def test_a_run_that_was_refused_leaves_no_folder_and_hides_no_unfinished_run(
    shop: Workspace,
) -> None:
    shop.rows(many(3))
    shop.write("bot.py", SLOW)
    shop.plan(run={"concurrency": 1})
    part = _part_of(shop, torn=False)
    shop.plan("typo.yaml", pipeline={"watch": ["nowhere/*"]})
    (part.parent / "0009.part").mkdir()

    assert shop.evalrag("run", "typo.yaml").code == 2
    assert sorted(p.name for p in part.parent.iterdir()) == ["0001.part", "0009.part"]
    assert shop.evalrag("run", "--resume").code == 4
    assert (part.parent / "0001").is_dir()


def test_an_answer_without_a_word_is_said_to_be_empty_wherever_rows_are_read(
    shop: Workspace,
) -> None:
    shop.accepted()
    mute = BOT.replace("if question not in FIRST:", "if True:").replace(
        '"I do not have information about that."', '" "'
    )
    shop.write("bot.py", mute)

    done = shop.evalrag("run", "plan.yaml", "-o", "out/report.md")
    gates = [
        json.dumps(gate)
        for gate in shop.evalrag("run", "plan.yaml", "--format", "json").json["gates"]
    ]
    listed = shop.evalrag("show", "0002")
    shown = shop.evalrag("show", "0002", "u1")

    assert done.code == 1
    assert "invented" not in done.out.replace("nothing is invented", "")
    assert "fail the answer is empty" in " ".join(done.out.split())
    assert any("nothing is invented" in one and "the answer is empty" in one for one in gates)
    assert "| the answer is empty |" in (shop.path / "out/report.md").read_text()
    assert "unanswerable u1  the answer is empty" in listed.out
    assert "\nthe answer is empty\n" in shown.out
