"""Hooks in processes of their own: as in this one, but for what they do to it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from evalrag.errors import PlanError
from tests.adapters.plans import asked, build, load, retriever

ROOT = Path(__file__).parents[2]
ONE = {"processes": {"retrieval": 1}}
TWO = {"processes": {"retrieval": 2}}


def texts(folder: Path, code: str, questions: list[str], **run: Any) -> list[str]:
    pipeline = retriever(code, folder, run={"timeout_s": 5, **TWO, **run})
    traces = asked(pipeline, questions)
    return [trace.get("error") or str(trace["candidates"][0].get("text")) for trace in traces]


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return True
    return state == "Z"


def wait_for(pids: list[int]) -> None:
    deadline = time.monotonic() + 10
    while not all(map(gone, pids)):
        assert time.monotonic() < deadline, pids
        time.sleep(0.05)


def test_it_runs_in_so_many_other_processes_and_none_is_left(tmp_path: Path) -> None:
    code = """
        import os, time
        def retrieve(question):
            time.sleep(0.05)
            return [str(os.getpid())]
    """
    found = {int(text) for text in texts(tmp_path, code, ["q"] * 20)}

    assert len(found) == 2
    assert os.getpid() not in found
    wait_for(list(found))


CALLED = {
    "a function": "def retrieve(question, top_k): return [f'{question} {top_k}']",
    "an async function": "async def retrieve(question, top_k): return [f'{question} {top_k}']",
    "an async generator": "async def retrieve(question, top_k): yield f'{question} {top_k}'",
    "a generator": "def retrieve(question, top_k): yield f'{question} {top_k}'",
    "a class": (
        "class retrieve:\n"
        "    def __init__(self, index='x'): pass\n"
        "    def retrieve(self, question, top_k): return [f'{question} {top_k}']"
    ),
}


@pytest.mark.parametrize("kind", CALLED)
def test_whatever_a_hook_is(tmp_path: Path, kind: str) -> None:
    assert texts(tmp_path, CALLED[kind], ["a", "b"]) == ["a 20", "b 20"]


def test_its_settings_and_its_loop_stay(tmp_path: Path) -> None:
    code = """
        import asyncio
        class Index:
            def __init__(self, name): self.name, self.loops = name, set()
            async def retrieve(self, question):
                self.loops.add(asyncio.get_running_loop())
                return [f"{self.name} {len(self.loops)}"]
    """
    settings = {"name": "prod"}
    pipeline = retriever(code, tmp_path, use="bot:Index", settings=settings, run=ONE)

    traces = asked(pipeline, ["a", "b", "c"])

    assert [trace["candidates"][0]["text"] for trace in traces] == ["prod 1"] * 3


DIED = "ChildProcessError: the process of bot:retrieve "
DEATHS = {
    "os._exit": (
        "os._exit(7)",
        DIED + "ended with exit code 7",
    ),
    "SIGKILL": (
        "os.kill(os.getpid(), signal.SIGKILL)",
        DIED + "was ended by SIGKILL, as for want of memory",
    ),
    "a crash": (
        "ctypes.string_at(0)",
        DIED + "was ended by SIGSEGV",
    ),
    "a stuck one": ("time.sleep(60)", "no answer in 1 s"),
    "one that loops": ("\n        while True: pass", "no answer in 1 s"),
    "sys.exit": ("sys.exit('bye')", "SystemExit: bye (bot.py:4)"),
}


@pytest.mark.parametrize("kind", DEATHS)
def test_a_death_costs_its_own_row(tmp_path: Path, kind: str) -> None:
    act, said = DEATHS[kind]
    code = (
        "import ctypes, os, signal, sys, time\n"
        "def retrieve(question):\n"
        "    if question == 'die':\n"
        f"        {act.strip()}\n"
        "    return [question]\n"
    )

    found = texts(tmp_path, code, ["a", "die", "b", "c", "die", *"defg"], timeout_s=1)

    assert found == [q if q != "die" else said for q in ["a", "die", "b", "c", "die", *"defg"]]


def test_a_stuck_process_is_killed_before_another_takes_its_place(tmp_path: Path) -> None:
    code = f"""
        import os, time
        pid = {str(tmp_path / "pid")!r}
        def retrieve(question):
            if question == "stuck":
                open(pid, "w").write(str(os.getpid()))
                time.sleep(60)
            return [str(os.path.exists("/proc/" + open(pid).read()))]
    """
    found = texts(tmp_path, code, ["stuck", "is it there?"], timeout_s=1, **ONE)

    assert found == ["no answer in 1 s", "False"]


def test_errors_read_as_they_do_here(tmp_path: Path) -> None:
    code = """
        def retrieve(question):
            if question == "shape": return 5
            if question == "none": return None
            raise KeyError(question)
    """
    questions = ["shape", "none", "key"]

    there = texts(tmp_path, code, questions)

    assert there == texts(tmp_path, code, questions, processes={})
    assert there[2] == "KeyError: 'key' (bot.py:5)"


def test_secrets_are_hidden_before_they_are_sent(tmp_path: Path) -> None:
    code = "def retrieve(question, key): raise RuntimeError('bad ' + key)"
    settings, environ = {"key": "${BOT_KEY}"}, {"BOT_KEY": "sk-very-secret"}

    (trace,) = asked(retriever(code, tmp_path, run=ONE, settings=settings, environ=environ))

    assert trace["error"] == "RuntimeError: bad [redacted] (bot.py:1)"


def test_a_module_beside_the_plan_does_not_take_the_place_of_ours(tmp_path: Path) -> None:
    (tmp_path / "pydantic.py").write_text("raise RuntimeError('the wrong one')")

    assert texts(tmp_path, CALLED["a function"], ["a"]) == ["a 20"]


def test_what_is_tried_again_is_the_same(tmp_path: Path) -> None:
    code = """
        import builtins, os
        seen = []
        class Refused(Exception): status_code = 404
        class Busy(Exception): status_code, retry_after = 503, 0.01
        def retrieve(question):
            seen.append(question)
            if question == "exit": raise SystemExit(1)
            if question == "die" and not os.path.exists("died"):
                open("died", "w").close()
                os._exit(1)
            if question in ("busy", "refused") and seen.count(question) < 2:
                raise Busy("no") if question == "busy" else Refused("no")
            return [question]
    """
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        said = texts(tmp_path, code, ["busy", "refused", "exit"], retries=1, **ONE)
        said += texts(tmp_path, code, ["die"], retries=1, **ONE)
    finally:
        os.chdir(before)

    assert said == ["busy", "Refused: no (bot.py:13)", "SystemExit: 1 (bot.py:8)", "die"]


def test_what_it_prints_and_reads_is_not_the_protocol(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = """
        import os, subprocess, sys
        def retrieve(question):
            print("printed")
            os.write(1, b"written\\n")
            subprocess.run(["echo", "echoed"], check=True)
            return [repr(sys.stdin.read())]
    """
    assert texts(tmp_path, code, ["a", "b"]) == ["''", "''"]
    out, err = capfd.readouterr()
    assert out == ""
    assert all(word in err for word in ("printed", "written", "echoed"))


def test_passages_and_answers_pass_whole(tmp_path: Path) -> None:
    code = """
        def retrieve(question):
            return [{"id": "a#0", "doc": "a", "text": "caf\\u00e9 \\ud83d\\ude00", "score": 0.5,
                     "metadata": {"version": "3", "n": [1, {"x": None}]}, "span": [0, 4]}]
        def generate(question, passages):
            return {"answer": passages[0]["text"], "citations": ["a#0"], "context": ["a#0"],
                    "usage": {"cost": 0.5}}
    """
    plan = {"retriever": {"use": "bot:retrieve"}, "generator": {"use": "bot:generate"}}
    both = {"processes": {"retrieval": 1, "generation": 1}}

    there, here = (
        {k: v for k, v in trace.items() if k != "seconds"}
        for run in (both, {})
        for trace in asked(build(tmp_path, plan, code=code, run=run))
    )

    assert there == here
    assert there["context"]


def test_a_pipeline_in_one_hook_can_too(tmp_path: Path) -> None:
    code = "def answer(question): return {'candidates': ['x'], 'answer': question}"

    (trace,) = asked(
        build(tmp_path, {"use": "bot:answer"}, code=code, run={"processes": {"answer": 1}})
    )

    assert trace["answer"] == "what?"


def test_a_hook_that_cannot_be_made_there_says_so(tmp_path: Path) -> None:
    code = """
        import os
        if os.environ.get("PARENT") != str(os.getpid()): raise ImportError("only in the parent")
        def retrieve(question): return [question]
    """
    os.environ["PARENT"] = str(os.getpid())
    try:
        (said,) = texts(tmp_path, code, ["a"])
    finally:
        del os.environ["PARENT"]

    assert "only in the parent" in said


SCRIPT = """
    import os, sys
    from pathlib import Path
    sys.path.insert(0, {root!r})
    from tests.adapters.plans import asked, retriever
    code = '''
    import os, time
    def retrieve(question):
        open(f"{{os.getpid()}}.pid", "w").close()
        time.sleep(60)
    '''
    run = {{"timeout_s": 100, "processes": {{"retrieval": 2}}}}
    asked(retriever(code, Path("."), run=run), ["a", "b"])
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_none_is_left_however_this_process_ends(tmp_path: Path, how: signal.Signals) -> None:
    script = dedent(SCRIPT).format(root=str(ROOT))
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stderr=subprocess.DEVNULL
    ) as parent:
        deadline = time.monotonic() + 30
        while len(list(tmp_path.glob("*.pid"))) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        parent.send_signal(how)

    wait_for([int(path.stem) for path in tmp_path.glob("*.pid")])


def test_a_plan_that_cannot_do_it(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"run\.processes.generation: the plan does not call"):
        load(tmp_path, {"retriever": {"use": "bot:x"}}, run={"processes": {"generation": 1}})
    with pytest.raises(PlanError, match='"bm25" runs in this process alone'):
        load(tmp_path, {"retriever": {"use": "bm25"}}, run=ONE)
