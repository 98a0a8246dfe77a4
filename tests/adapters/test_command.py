"""`use: command` with real children: what they are asked, and every way in which they misbehave."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from evalrag.adapters.child import NoAnswer
from evalrag.adapters.command import Command
from evalrag.adapters.pipeline import Pipeline
from evalrag.adapters.reach import reached
from evalrag.errors import PluginError
from evalrag.schema.trace import Trace
from tests.adapters.plans import asked, build, print_of
from tests.workspace import Workspace

HEAD = """
    import json, os, signal, subprocess, sys, time
    def say(row, **more):
        line = {"row_id": row, **more} if more else {"row_id": row, "candidates": [row]}
        print(json.dumps(line), flush=True)
    def rows():
        for line in sys.stdin:
            yield json.loads(line)
    with open("pids", "a") as file:
        print(os.getpid(), file=file)
"""


def plan(folder: Path, code: str, **settings: Any) -> dict[str, Any]:
    """A retriever that is a Python child of that code."""
    (folder / "child.py").write_text(dedent(HEAD) + dedent(code), encoding="utf-8")
    return {
        "retriever": {
            "use": "command",
            "with": {"command": [sys.executable, "-u", "child.py"], **settings},
        }
    }


def child(folder: Path, code: str, *, seconds: float = 20, **settings: Any) -> Pipeline:
    return build(folder, plan(folder, code, **settings), run={"timeout_s": seconds})


def pids(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "pids").read_text().split()]


def alive(pid: int) -> bool:
    """A zombie is not: it has ended, and its parent has yet to look."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def all_gone(folder: Path, seconds: float = 5) -> bool:
    until = time.monotonic() + seconds
    while any(map(alive, pids(folder))) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(map(alive, pids(folder)))


def found(traces: list[Trace]) -> list[str]:
    """Of each row its one passage, or its error."""
    return [
        t["error"] if "error" in t else "".join(p.get("text", "") for p in t["candidates"])
        for t in traces
    ]


@pytest.mark.skipif(
    subprocess.run(["perl", "-MJSON::PP", "-e1"], capture_output=True, check=False).returncode != 0
    if shutil.which("perl")
    else True,
    reason="there is no perl with JSON::PP",
)
def test_a_child_in_perl_answers_all_rows(tmp_path: Path) -> None:
    script = Path(__file__).with_name("bot.pl")
    with_ = {"command": ["perl", str(script)]}
    pipeline = build(tmp_path, {"use": "command", "with": with_, "context_k": 1})
    one, two, three = asked(pipeline, ["How do I return it?", "Is it wrapped?", "Will it rain?"])
    assert one["answer"] == "Returns are accepted within 30 days of delivery."
    assert [p["id"] for p in two["context"]] == ["wrap#0"]
    assert three["candidates"] == []
    assert len(script.read_text().splitlines()) == 20


def test_what_a_child_is_asked(tmp_path: Path) -> None:
    code = """
        for asked in rows():
            say(asked["row_id"], candidates=[json.dumps(asked, sort_keys=True)])
    """
    (trace,) = asked(child(tmp_path, code), ["Zoë, \ud800 why?"])
    history = '[{"content": "hello", "role": "user"}]'
    assert trace["candidates"][0]["text"] == (
        f'{{"history": {history}, "question": "Zo\\u00eb, \\ud800 why?", "repeat": 0, '
        '"row_id": "r0", "stage": "retrieve", "top_k": 20}'
    )


def test_each_stage_says_its_name_and_reads_its_own_field(tmp_path: Path) -> None:
    code = """
        for asked in rows():
            row, stage = asked["row_id"], asked["stage"]
            if stage == "rewrite":
                say(row, repeat=0, query="about " + asked["question"])
            if stage == "retrieve":
                say(row, candidates=[asked["question"]])
            if stage == "generate":
                say(row, answer=asked["passages"][0]["text"], usage={"input_tokens": 2})
    """
    use = plan(tmp_path, code)["retriever"]
    pipeline = build(tmp_path, {"rewriter": use, "retriever": use, "generator": use})
    (trace,) = asked(pipeline, ["it"])
    assert trace["query"] == trace["answer"] == "about it"
    assert trace["usage"] == {"input_tokens": 2}
    assert all_gone(tmp_path)


def test_replies_in_any_order_from_several_requests_in_flight(tmp_path: Path) -> None:
    code = """
        held = []
        for asked in rows():
            held.append(asked["row_id"])
            if len(held) == 4:
                for row in reversed(held):
                    say(row)
                held.clear()
    """
    traces = asked(child(tmp_path, code, at_once=4), ["?"] * 12)
    assert found(traces) == [f"r{n}" for n in range(12)]
    assert len(pids(tmp_path)) == 1


def test_what_goes_wrong_costs_its_own_row_and_no_other(tmp_path: Path) -> None:
    """Rows are asked at once by the runner, and a child has one of them; waiting costs no time."""
    code = """
        for asked in rows():
            time.sleep(0.4)
            if asked["question"] == "die":
                os._exit(3)
            if asked["question"] == "hang":
                time.sleep(600)
            say(asked["row_id"])
    """
    questions = ["a", "die", "b", "hang", "c", "d", "e", "f"]
    said = found(asked(child(tmp_path, code, seconds=1), questions, concurrency=8))
    assert "exit code 3" in said[1]
    assert "no answer in" in said[3]
    assert [said[n] for n in (0, 2, 4, 5, 6, 7)] == ["r0", "r2", "r4", "r5", "r6", "r7"]


def test_several_children_share_the_rows(tmp_path: Path) -> None:
    code = """
        for asked in rows():
            time.sleep(0.05)
            say(asked["row_id"], candidates=[str(os.getpid())])
    """
    traces = asked(child(tmp_path, code, processes=3), ["?"] * 12)
    assert len(set(found(traces))) == 3
    assert all_gone(tmp_path)


def test_a_banner_log_lines_and_blank_lines_cost_nothing(tmp_path: Path) -> None:
    code = """
        print("Loading the index...\\n\\n42\\n[1, 2]", flush=True)
        for asked in rows():
            print(json.dumps({"level": "info", "message": "asked"}), flush=True)
            say(asked["row_id"])
            print("done", flush=True)
    """
    assert found(asked(child(tmp_path, code), ["?"] * 8)) == [f"r{n}" for n in range(8)]


def test_a_child_that_dies_costs_the_rows_in_flight_and_is_started_again(tmp_path: Path) -> None:
    code = """
        for asked in rows():
            if asked["question"] == "die":
                print("index is gone", file=sys.stderr, flush=True)
                print('{"row_id": "r1", "cand', end="", flush=True)
                sys.exit(7)
            say(asked["row_id"])
    """
    pipeline = child(tmp_path, code)
    traces = asked(pipeline, ["a", "die", "b", "c"], concurrency=1)
    said = found(traces)
    assert said[0] == "r0"
    assert said[1].startswith("CommandFailed: the command ended with exit code 7; last words: ")
    assert "index is gone" in said[1]
    assert '{"row_id": "r1", "cand' in said[1]
    assert said[2:] == ["r2", "r3"]
    assert len(pids(tmp_path)) == 2


def test_a_child_that_is_killed_names_the_signal(tmp_path: Path) -> None:
    code = """
        for asked in rows():
            os.kill(os.getpid(), signal.SIGSEGV)
    """
    (error,) = found(asked(child(tmp_path, code)))
    assert error == "CommandFailed: the command was killed by SIGSEGV"


def test_a_last_reply_without_a_line_end_counts(tmp_path: Path) -> None:
    code = """
        asked = next(rows())
        print(json.dumps({"row_id": asked["row_id"], "candidates": ["x"]}), end="", flush=True)
    """
    assert found(asked(child(tmp_path, code))) == ["x"]


def test_a_command_that_only_dies_is_not_started_for_ever(tmp_path: Path) -> None:
    code = """
        print("no such model", file=sys.stderr, flush=True)
        sys.exit(3)
    """
    said = found(asked(child(tmp_path, code), ["?"] * 10, concurrency=1))
    assert len(pids(tmp_path)) == 3
    assert said[9] == (
        "CommandFailed: the command is not started again: 3 died without an answer, and the last "
        "one ended with exit code 3; last words: no such model"
    )


def test_deaths_between_answers_do_not_add_up(tmp_path: Path) -> None:
    code = """
        for asked in rows():
            if asked["question"] == "die":
                sys.exit(1)
            say(asked["row_id"])
    """
    questions = ["a", "die"] * 6
    said = found(asked(child(tmp_path, code), questions, concurrency=1))
    assert [s for s in said if "not started" in s] == []
    assert len(pids(tmp_path)) == 6


def test_a_reply_to_nobody_and_a_reply_twice(tmp_path: Path) -> None:
    code = """
        for asked in rows():
            say(asked["row_id"])
            say(asked["row_id"])
    """
    assert found(asked(child(tmp_path, code), ["?"] * 8)) == [f"r{n}" for n in range(8)]
    code = """
        for asked in rows():
            say("r7" if asked["question"] == "wrong" else asked["row_id"])
    """
    said = found(asked(child(tmp_path, code), ["a", "wrong", "b"], concurrency=1))
    assert said == ["r0", "command answered row 'r7' where row 'r1' was asked", "r2"]


def test_a_reply_without_its_row_is_told_at_once_and_costs_that_row_alone(tmp_path: Path) -> None:
    code = """
        for asked in rows():
            if asked["question"] == "nameless":
                print(json.dumps({"id": asked["row_id"], "candidates": []}), flush=True)
                time.sleep(0.1)
            print(json.dumps({"level": "info", "answer": "sent"}), flush=True)
            say(asked["row_id"])
    """
    said = found(asked(child(tmp_path, code), ["a", "nameless", "b"], concurrency=1))
    assert said == [
        "r0",
        "command answered without 'row_id', which says whose reply it is; it has id, candidates",
        "r2",
    ]
    assert len(pids(tmp_path)) == 1


def test_a_reply_that_names_another_row_costs_one_row_even_if_the_right_one_follows(
    tmp_path: Path,
) -> None:
    code = """
        for asked in rows():
            if asked["question"] == "wrong":
                say("nobody")
                time.sleep(0.1)
            say(asked["row_id"])
    """
    said = found(asked(child(tmp_path, code), ["a", "wrong", "b"], concurrency=1))
    assert said == ["r0", "command answered row 'nobody' where row 'r1' was asked", "r2"]


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param(
            "/app/bot.js:14\n    ^\n\nError: no index\n"
            + "    at Interface.<anonymous> (/app/bot.js:14:70)\n" * 9
            + "    at node:internal/main/run_main_module:28:49\n\nNode.js v20.20.2",
            id="node",
        ),
        pytest.param("Error: no index\n" + "\tat shop.Bot.answer(Bot.java:12)\n" * 9, id="java"),
        pytest.param("Error: no index\n" + "\tfrom bot.rb:3:in 'block'\n" * 9, id="ruby"),
    ],
)
def test_the_last_words_are_the_error_and_not_the_stack_below_it(
    tmp_path: Path, trace: str
) -> None:
    (tmp_path / "trace").write_text(trace)
    code = """
        next(rows())
        sys.exit(open("trace").read())
    """
    (error,) = found(asked(child(tmp_path, code)))
    assert error.endswith("Error: no index")


def test_a_stray_reply_harms_no_other_row(tmp_path: Path) -> None:
    code = """
        held = []
        for asked in rows():
            say("nobody")
            held.append(asked["row_id"])
            if len(held) == 2:
                [say(row) for row in held]
    """
    pipeline = child(tmp_path, code, at_once=2)
    traces = asked(pipeline, ["?"] * 2, concurrency=2)
    assert "r1" in found(traces)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(
            '{"row_id": "r0", "results": []}',
            "command answered with the unknown key 'results'; retrieve gives candidates",
            id="another key",
        ),
        pytest.param(
            '{"row_id": "r0"}', "command answered without 'candidates': dict {}", id="no field"
        ),
        pytest.param(
            '{"row_id": "r0", "candidates": "text"}',
            "command returned str 'text', one text in place of a list",
            id="no list",
        ),
        pytest.param(
            '{"row_id": "r0", "error": "index\\n is\\u0007 gone"}',
            "CommandFailed: the command says: index is gone",
            id="its own error",
        ),
        pytest.param(
            '{"row_id": "r0", "candidates": ["caf\\xe9"]}',
            "command wrote a line that cannot be read (not UTF-8: byte 0xE9",
            id="not UTF-8",
        ),
        pytest.param(
            '{"row_id": "r0", "candidates": [{"id": "a", "score": NaN}]}',
            "command wrote a line that cannot be read (",
            id="no finite number",
        ),
    ],
)
def test_what_is_no_reply_is_its_rows_error(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "line").write_bytes(line.encode("latin-1").replace(b"\\xe9", b"\xe9") + b"\n")
    code = """
        for asked in rows():
            if asked["row_id"] == "r0":
                sys.stdout.buffer.write(open("line", "rb").read())
                sys.stdout.flush()
            else:
                say(asked["row_id"])
    """
    bad, good = found(asked(child(tmp_path, code), ["?", "?"], concurrency=1))
    assert bad.startswith(said), bad
    assert good == "r1"


def test_a_line_without_end_stops_the_child(tmp_path: Path) -> None:
    code = """
        for asked in rows():
            if asked["question"] == "flood":
                while True:
                    sys.stdout.write("x" * 65536)
            say(asked["row_id"])
    """
    said = found(asked(child(tmp_path, code), ["flood", "b"], concurrency=1))
    assert "was stopped, since it wrote a line of over 10,000,000 bytes" in said[0]
    assert len(said[0]) <= 500
    assert said[1] == "r1"


def test_a_child_that_answers_nobody_is_stopped_and_started_again(tmp_path: Path) -> None:
    code = """
        for asked in rows():
            if asked["question"] == "hang":
                print("thinking", file=sys.stderr, flush=True)
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                time.sleep(600)
            say(asked["row_id"])
    """
    pipeline = child(tmp_path, code, seconds=1)
    said = found(asked(pipeline, ["a", "hang", "b"], concurrency=1))
    assert said == ["r0", "NoAnswer: no answer in 0.9 s; last words: thinking", "r2"]
    first, second = pids(tmp_path)
    assert first != second
    assert all_gone(tmp_path)


def test_a_child_that_answers_others_meanwhile_lives_on(tmp_path: Path) -> None:
    code = """
        for asked in rows():
            if asked["question"] != "never":
                time.sleep(0.1)
                say(asked["row_id"])
    """
    pipeline = child(tmp_path, code, seconds=1, at_once=2)
    said = found(asked(pipeline, ["never", *["?"] * 14], concurrency=2))
    assert said[0].startswith(("NoAnswer: no answer in 0.9 s", "no answer in 1 s"))
    assert said[1:] == [f"r{n}" for n in range(1, 15)]
    assert len(pids(tmp_path)) == 1


def test_a_child_that_does_not_read_is_stopped(tmp_path: Path) -> None:
    pipeline = child(tmp_path, "time.sleep(600)", seconds=1)
    offers = {"question": "x" * 300_000, "top_k": 1, "history": [], "row_id": "r", "repeat": 0}
    raised: list[BaseException] = []

    def call() -> None:
        try:
            pipeline.hooks["retrieve"].call(offers)
        except NoAnswer as error:
            raised.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(10)
    assert [str(error) for error in raised] == ["no answer in 0.9 s"], "it ends by itself"
    assert all_gone(tmp_path)
    pipeline.close()


def test_a_child_that_closes_its_output_is_stopped(tmp_path: Path) -> None:
    code = """
        next(rows())
        os.close(1)
        time.sleep(600)
    """
    (error,) = found(asked(child(tmp_path, code)))
    assert error == "CommandFailed: the command was stopped, since it closed its output"
    assert all_gone(tmp_path)


def test_a_grandchild_that_holds_the_pipes_dies_with_the_group(tmp_path: Path) -> None:
    code = """
        nap = "import os, time; open('pids', 'a').write(f'{os.getpid()}\\\\n'); time.sleep(600)"
        subprocess.Popen([sys.executable, "-c", nap])
        for asked in rows():
            while len(open("pids").readlines()) < 2:
                time.sleep(0.01)
            if asked["question"] == "die":
                sys.exit(5)
            say(asked["row_id"])
    """
    pipeline = child(tmp_path, code)
    said = found(asked(pipeline, ["a", "die"], concurrency=1))
    assert said == ["r0", "CommandFailed: the command ended with exit code 5"]
    assert len(pids(tmp_path)) == 2
    assert all_gone(tmp_path)


def test_closing_does_not_wait_for_a_pipe_that_somebody_else_holds(tmp_path: Path) -> None:
    code = """
        nap = "import os, time; open('pids', 'a').write(f'{os.getpid()}\\\\n'); time.sleep(600)"
        subprocess.Popen([sys.executable, "-c", nap], start_new_session=True)
        for asked in rows():
            while len(open("pids").readlines()) < 2:
                time.sleep(0.01)
            say(asked["row_id"])
    """
    pipeline = child(tmp_path, code)
    assert found(asked(pipeline)) == ["r0"]  # which closes it
    pipeline.close()
    own, escaped = pids(tmp_path)
    try:
        assert not alive(own)
        assert alive(escaped), "it has left the group, which is its own affair"
    finally:
        os.kill(escaped, signal.SIGKILL)


def test_a_child_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    code = """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for asked in rows():
            say(asked["row_id"])
        time.sleep(600)
    """
    assert found(asked(child(tmp_path, code))) == ["r0"]
    assert all_gone(tmp_path, 1)


def test_secrets_of_the_environment_do_not_come_back_in_errors(tmp_path: Path) -> None:
    code = """
        print("." * 190 + os.environ["BOT_PASS"], file=sys.stderr, flush=True)
        sys.exit(1)
    """
    secret = "s3cret-of-the-tests"
    pipeline = build(
        tmp_path,
        plan(tmp_path, code, env={"BOT_PASS": "${X_TOKEN}"}),
        environ={"X_TOKEN": secret},
    )
    (error,) = found(asked(pipeline))
    assert "last words: ..." in error
    assert secret[:5] not in error


def test_names_in_env_pass_those_variables_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEEN_BY_BOT", "yes")
    monkeypatch.setenv("HIDDEN_FROM_BOT", "yes")
    code = """
        for asked in rows():
            names = [n for n in ("SEEN_BY_BOT", "HIDDEN_FROM_BOT", "PATH") if n in os.environ]
            say(asked["row_id"], candidates=names)
    """
    ways: dict[str, dict[str, Any]] = {
        "all": {},
        "names": {"env": ["SEEN_BY_BOT"]},
        "values": {"env": {"SEEN_BY_BOT": "no"}},
    }
    seen = {how: found(asked(child(tmp_path, code, **settings))) for how, settings in ways.items()}
    assert seen == {
        "all": ["SEEN_BY_BOTHIDDEN_FROM_BOTPATH"],
        "names": ["SEEN_BY_BOTPATH"],
        "values": ["SEEN_BY_BOTHIDDEN_FROM_BOTPATH"],
    }


@pytest.mark.parametrize(
    ("settings", "said", "hint"),
    [
        pytest.param({}, "'command' is missing", "command takes", id="no command"),
        pytest.param({"command": []}, "command: ", "takes", id="an empty one"),
        pytest.param(
            {"command": "perl bot.pl"}, "write it as a list: [perl, bot.pl]", "takes", id="a text"
        ),
        pytest.param(
            {"command": ["no-such-program-here"]},
            "the program 'no-such-program-here' is not on PATH",
            "./bot",
            id="no program",
        ),
        pytest.param(
            {"command": ["./plan.yaml"]}, "'./plan.yaml' cannot be executed", "PATH", id="no right"
        ),
        pytest.param({"command": ["./nope"]}, "'./nope' is not there", "PATH", id="no file"),
        pytest.param(
            {"command": ["perl"], "cwd": "nope"}, "there is no folder 'nope'", "plan's", id="cwd"
        ),
        pytest.param(
            {"command": ["perl"], "env": ["PAHT"]},
            "env: PAHT is not set; did you mean 'PATH'?",
            "value",
            id="a variable that is not set",
        ),
        pytest.param(
            {"command": ["perl"], "env": {"BOT_API_KEY": "abcdef"}},
            "env.BOT_API_KEY stands in the plan itself",
            "env: [BOT_API_KEY]",
            id="a key in the plan",
        ),
        pytest.param(
            {"command": ["perl"], "proceses": 2},
            "unknown key 'proceses'; did you mean 'processes'?",
            "takes",
            id="unknown key",
        ),
    ],
)
def test_a_wrong_setting_is_said_before_anything_runs(
    tmp_path: Path, settings: dict[str, Any], said: str, hint: str
) -> None:
    with pytest.raises(PluginError) as raised:
        build(tmp_path, {"retriever": {"use": "command", "with": settings}})
    assert said in raised.value.message
    assert hint in raised.value.hint


# --- reach ---


def test_check_starts_the_child_and_stops_it(tmp_path: Path) -> None:
    pipeline = child(tmp_path, "for asked in rows(): open('asked', 'w')")
    (one,) = reached(pipeline.hooks.values())
    pipeline.close()
    assert (one.well, one.said) == (True, f"{sys.executable} -u child.py starts")
    assert all_gone(tmp_path)
    assert not (tmp_path / "asked").exists()


def test_a_child_that_does_not_stay_is_not_well(tmp_path: Path) -> None:
    pipeline = child(tmp_path, "raise SystemExit('no index here')")
    (one,) = reached(pipeline.hooks.values())
    pipeline.close()
    assert not one.well
    assert one.said.endswith("child.py ended with exit code 1; last words: no index here")
    assert "stdin" in one.hint


# --- the fingerprint ---


def test_the_files_that_a_command_names_count_and_other_programs_are_unknown(
    tmp_path: Path,
) -> None:
    def printed(command: list[str], watch: tuple[str, ...] = ()) -> Any:
        with_ = {"command": command}
        return print_of(tmp_path, {"retriever": {"use": "command", "with": with_}, "watch": watch})

    (tmp_path / "bot.pl").write_text("1;\n")
    first = printed(["perl", "bot.pl"])
    (tmp_path / "bot.pl").write_text("2;\n")
    second = printed(["perl", "bot.pl"])
    assert first.index != second.index
    assert first.files.keys() == {"bot.pl"}, "a report can name the file that changed"
    assert first.files != second.files
    assert first.unknown == ()
    (tmp_path / "cmd").mkdir()
    (tmp_path / "cmd/main.go").write_text("package main\n")
    assert printed(["perl", "cmd"]).unknown == (
        "code of perl (list its files under pipeline.watch)",
    )
    assert printed(["perl", "cmd"], ("cmd/*.go",)).unknown == ()


# --- a whole run ---


def workspace(shop: Workspace, code: str, **changes: Any) -> None:
    use = plan(shop.path, code)["retriever"]
    stages = {"retriever": None, "generator": None, "watch": None, **use}
    shop.plan(pipeline=stages, **changes)


def test_a_run_keeps_stdout_clean_and_leaves_no_process(shop: Workspace) -> None:
    code = """
        print("Loading...", flush=True)
        sys.stderr.write("warming up\\n")
        for asked in rows():
            if "gift" in asked["question"]:
                os.abort()
            say(asked["row_id"], candidates=[{"id": "returns#0", "text": "t"}], answer="t")
    """
    workspace(shop, code, run={"concurrency": 1})
    done = shop.evalrag("run", "plan.yaml", "--format", "json")
    assert done.json["exit_code"] == done.code == 1, "the answer is rubbish"
    stored = next((shop.path / ".evalrag/runs").glob("*/traces.jsonl")).read_text()
    assert "the command was killed by SIGABRT" in stored
    assert len(pids(shop.path)) == 3, "two rows speak of gifts"
    assert all_gone(shop.path, 1)


@pytest.mark.parametrize("numbers", [[signal.SIGINT, signal.SIGINT], [signal.SIGTERM]])
def test_an_interrupted_run_leaves_no_process(shop: Workspace, numbers: list[int]) -> None:
    """The first Ctrl-C waits for what is in flight, which hangs here; the second does not."""
    code = """
        nap = "import os, time; open('pids', 'a').write(f'{os.getpid()}\\\\n'); time.sleep(600)"
        subprocess.Popen([sys.executable, "-c", nap])
        for asked in rows():
            open("asked", "w").close()
    """
    workspace(shop, code)
    process = shop.start("run", "plan.yaml")
    until = time.monotonic() + 20
    while not ((shop.path / "asked").exists() and len(pids(shop.path)) == 2):
        assert time.monotonic() < until
        time.sleep(0.05)
    for number in numbers:
        process.send_signal(number)
        time.sleep(0.5)
    assert process.wait(30) == 130
    assert all_gone(shop.path, 1)


def test_an_exception_in_the_run_leaves_no_process(tmp_path: Path) -> None:
    pipeline = child(tmp_path, "for asked in rows(): say(asked['row_id'])")
    owner = pipeline.hooks["retrieve"].owner
    assert isinstance(owner, Command)
    owner.ask({"question": "q", "row_id": "r", "repeat": 0})
    assert alive(pids(tmp_path)[0])
    try:
        raise OSError("a full disk")
    except OSError:
        pipeline.close()
    assert all_gone(tmp_path, 1)
    with pytest.raises(Exception, match="the run has ended"):
        owner.ask({"question": "q", "row_id": "r", "repeat": 0})
