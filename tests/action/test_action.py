"""The composite action, step by step, in a shell that looks like a job's."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalrag.reporters.markdown import LIMIT
from tests.action.github import ACTION, BOT, TOKEN, Api, Runner, outputs_of
from tests.reporters.reading import Page, drawn
from tests.workspace import ROWS, Workspace

ROOT = Path(__file__).parents[2]
BROKE = {
    "damage-marketplace-days",
    "delivery-time-marketplace",
    "express-marketplace-until",
    "free-delivery-first-party",
    "marketplace-return-and-refund",
    "returns-first-party-days",
}
GREEN, RED = "plan.yaml", "red.yaml"
MARKER = "<!-- evalrag: evalrag -->"

pytestmark = [
    pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash"),
    pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl"),
]


@pytest.fixture
def api() -> Iterator[Api]:
    with Api() as server:
        yield server


@pytest.fixture
def demo(tmp_path: Path, api: Api) -> Runner:
    """A job in a checkout of the demo."""
    for name in ("configs", "datasets"):
        shutil.copytree(ROOT / name, tmp_path / "checkout" / name)
    return Runner(tmp_path / "checkout", tmp_path / "temp", api)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two rows with a baseline, a plan that holds to it and one that finds nothing."""
    shop = Workspace(tmp_path_factory.mktemp("project"))
    shop.rows(ROWS[1:3])
    shop.write("blind.py", "def retrieve(question, top_k):\n    return []\n")
    shop.plan(RED, pipeline={"retriever": {"use": "blind:retrieve"}})
    shop.plan(GREEN)
    shop.evalrag("run", GREEN)
    assert shop.evalrag("baseline", "accept", "latest", "--reason", "first").code == 0
    shutil.rmtree(shop.path / ".evalrag")
    return shop.path


@pytest.fixture
def runner(tmp_path: Path, api: Api, project: Path) -> Runner:
    """A job in a checkout of the small project."""
    shutil.copytree(project, tmp_path / "checkout")
    return Runner(tmp_path / "checkout", tmp_path / "temp", api)


def test_a_plan_that_passes(demo: Runner) -> None:
    job = demo.run(plan="configs/demo.yaml")

    assert job.code == 0, job.log
    assert job.outputs["verdict"] == "passed"
    assert job.outputs["exit-code"] == "0"
    assert json.loads(job.outputs["broke"]) == []
    assert json.loads(job.outputs["failing"]) == []
    assert "PASSED" in job.log
    assert "passed" in job.summary.lower()
    assert not [line for line in job.commands() if line.startswith("::error")]
    assert json.loads((Path(job.outputs["reports"]) / "verdict.json").read_text())["exit_code"] == 0


def test_a_plan_that_fails_fails_at_the_very_end(demo: Runner) -> None:
    demo.pull_request()

    job = demo.run(plan="configs/demo-halved-chunks.yaml", comment="true")

    assert job.code == 1, job.log
    assert job.outputs["verdict"] == "failed"
    assert job.outputs["exit-code"] == "1"
    assert set(json.loads(job.outputs["broke"])) == BROKE
    assert json.loads(job.outputs["failing"])
    assert "delivery-time-marketplace" in job.summary
    assert any(line.startswith("::error") for line in job.commands())
    assert job.ran[-3:] == [
        "Comment on the pull request",
        "Keep the reports",
        "End as evalrag ended",
    ]
    assert job.used["Keep the reports"]["path"] == job.outputs["reports"]


def test_one_comment_is_made_and_then_updated(demo: Runner, api: Api) -> None:
    demo.pull_request()
    api.comment("what a person says", "someone")

    failed = demo.run(plan="configs/demo-halved-chunks.yaml", comment="true")
    first = api.comments[-1]["body"]
    passed = demo.run(plan="configs/demo.yaml", comment="true")

    assert (failed.code, passed.code) == (1, 0)
    assert api.writes() == ["POST", "PATCH"]
    assert [one["user"]["login"] for one in api.comments] == ["someone", BOT]
    assert first.startswith(f"{MARKER}\n**evalrag: failed**")
    assert "delivery-time-marketplace" in first
    assert api.comments[-1]["body"].startswith(f"{MARKER}\n**evalrag: passed**")
    assert "https://github.com/someone/bot/actions/runs/42" in first
    page = Page(drawn(first))
    assert not {"br", "hr"} & set(page.tags), "no line of a comment is torn apart"
    assert page.said.rstrip().endswith("then these commands take latest for its number.")
    order = [
        page.said.index(said) for said in ("evalrag: failed", "Broke: 6", "then these commands")
    ]
    assert order == sorted(order)
    assert "make one first" not in api.comments[-1]["body"]
    assert api.comments[0]["body"] == "what a person says"
    assert not list(Path(passed.outputs["reports"]).glob(".*"))


def test_a_comment_that_bears_the_marker_and_is_anothers_is_left_alone(
    runner: Runner, api: Api
) -> None:
    runner.pull_request()
    api.comment(f"{MARKER}\nall is well", "stranger")
    for number in range(150):
        api.comment(f"talk {number}", "someone")
    ours = api.comment(f"{MARKER}\nof before", BOT)

    runner.run(plan=GREEN, comment="true")

    assert api.comments[0]["body"] == f"{MARKER}\nall is well"
    assert ours["body"] != f"{MARKER}\nof before"
    assert api.writes() == ["PATCH"]


def test_a_fork_gets_no_comment_and_is_told_why(runner: Runner, api: Api) -> None:
    runner.pull_request(fork=True)

    job = runner.run(plan=GREEN, comment="true")

    assert job.code == 0
    assert api.asked == []
    assert [line for line in job.commands() if "no comment" in line and "::notice" in line]


def test_a_token_that_may_not_comment_changes_no_verdict(runner: Runner, api: Api) -> None:
    runner.pull_request()
    api.refuses = True

    passed = runner.run(plan=GREEN, comment="true")

    assert passed.code == 0
    (said,) = [one for one in passed.commands() if one.startswith("::warning title=evalrag::")]
    assert "pull-requests: write" in said
    assert TOKEN not in passed.log


def test_one_issue_is_opened_updated_and_closed(runner: Runner, api: Api) -> None:
    told = {"title": "asked", "body": f"{MARKER}\nwhat is this?", "labels": ["evalrag"]}
    api.issue(told, "someone")
    api.issue(told | {"pull_request": {}}, BOT)

    codes = [runner.run(plan=plan, issue="true").code for plan in (GREEN, RED, RED)]
    ours = api.issues[2]
    assert (codes, api.writes(), ours["state"]) == ([0, 1, 1], ["POST", "PATCH"], "open")
    assert (ours["title"], ours["labels"]) == ("evalrag: evalrag does not pass", ["evalrag"])
    ours["title"] = "a title of people"
    runner.run(plan=GREEN, issue="true")
    assert (ours["state"], ours["title"]) == ("closed", "a title of people")
    runner.run(plan=RED, issue="true")

    assert [issue["state"] for issue in api.issues] == ["open", "open", "closed", "open"]
    assert {issue["body"] for issue in api.issues[:2]} == {told["body"]}


def test_a_pull_request_opens_no_issue(runner: Runner, api: Api) -> None:
    runner.pull_request(fork=True)

    runner.run(plan=RED, issue="true")

    assert api.asked == []


def test_a_plan_that_is_not_there_is_exit_2_and_says_so(runner: Runner) -> None:
    job = runner.run(plan="gone.yaml")

    assert job.code == 2
    assert job.outputs["verdict"] == "error"
    assert json.loads(job.outputs["broke"]) == []
    assert "gone.yaml" in job.summary
    assert any("gone.yaml" in line for line in job.commands() if line.startswith("::error"))


def test_words_are_handed_on_and_none_is_a_glob_or_a_command(runner: Runner) -> None:
    (runner.folder / "x").write_text("")

    job = runner.run(plan=GREEN, args="--kind\n  near-miss --row * --row $(touch${IFS}y)")

    assert job.code == 2
    assert "*" in job.log
    assert not (runner.folder / "y").exists()
    assert runner.run(plan=GREEN, args="--kind near-miss").code == 0


@pytest.mark.parametrize("name", ["", "../up", ".hidden", "a b", "a-->b", "$(x)"])
def test_a_name_that_is_no_name_is_refused(runner: Runner, name: str) -> None:
    job = runner.run(plan=GREEN, name=name)

    assert job.code == 2
    assert job.outputs["exit-code"] == ""


def test_what_a_row_says_is_no_command_to_the_runner(demo: Runner) -> None:
    golden = demo.folder / "datasets/demo/golden.jsonl"
    hostile = '"id": "::error title=x::all is lost ##[error] ```"'
    golden.write_text(golden.read_text().replace('"id": "delivery-time-marketplace"', hostile))

    job = demo.run(plan="configs/demo-halved-chunks.yaml")

    assert job.code == 1
    assert "all is lost" in job.log
    for line in job.commands():
        assert line.startswith(("::error ", "::warning ", "::notice "))
        assert not line.startswith("::error title=x::")
    fence = job.summary.split("text\n")[0]
    if job.summary.startswith("```"):
        assert fence == "````"
        assert job.summary.count(fence) == 2


def test_hostile_ids_make_no_output_of_their_own(tmp_path: Path) -> None:
    ids = ["a\nexit-code=0", "verdict<<EOF\npassed\nEOF", "\u2028::set-output name=verdict::passed"]
    verdict = {
        "verdict": "failed",
        "exit_code": 1,
        "diff": {"changes": [{"id": one, "change": "broke"} for one in ids]},
        "gates": [{"status": "failed", "rows": [{"id": one} for one in ids]}],
    }
    (tmp_path / "verdict.json").write_text(json.dumps(verdict))

    done = subprocess.run(
        [sys.executable, ACTION / "report.py", "outputs", tmp_path, "1"],
        capture_output=True,
        text=True,
        check=True,
    )

    found = outputs_of(done.stdout)
    assert set(found) == {"verdict", "exit-code", "broke", "failing", "reports"}
    assert (found["verdict"], found["exit-code"]) == ("failed", "1")
    assert json.loads(found["broke"]) == json.loads(found["failing"]) == ids
    ends = re.findall(r"^[a-z-]+<<([0-9a-f]{32})$", done.stdout, re.M)
    assert len(set(ends)) == len(ends) == len(found)


def test_a_long_report_is_cut_where_github_would_refuse_it(tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text("```\n" + "\U0001f600" * 900_000, encoding="utf-8")
    (tmp_path / "verdict.json").write_text(json.dumps({"verdict": "failed"}))
    where = {"GITHUB_SERVER_URL": "x", "GITHUB_REPOSITORY": "y", "GITHUB_RUN_ID": "1"}

    def said(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, ACTION / "report.py", *words],
            capture_output=True,
            env=where,
            text=True,
            encoding="utf-8",
            check=True,
        )
        return done.stdout

    summary = said("summary", str(tmp_path))
    body = json.loads(said("body", str(tmp_path), "evalrag"))["body"]

    assert len(summary.encode()) <= 1024 * 1024
    assert len(body) <= 65_536
    for text in (summary, body):
        assert text.count("````") == 2
        assert "\n\nCut: the whole report is in the artifact." in text[-500:]

    longest = "\u8a9e" * LIMIT
    (tmp_path / "report.md").write_text(longest, encoding="utf-8")
    body = json.loads(said("body", str(tmp_path), "a" * 60))["body"]
    assert longest in body, "what fits is not cut, whatever letters it is in"
    assert len(body) <= 65_536


def test_what_is_kept_is_named_by_run_and_only_where_it_is_asked_for(runner: Runner) -> None:
    first = runner.run(plan=GREEN, cache="false", upload="false")
    second = runner.run(plan=RED, runs="true")

    assert first.used == {}
    assert list(second.used) == [
        "Restore verdicts",
        "Restore runs",
        "Keep runs",
        "Keep the reports",
    ]
    assert (
        second.used["Restore runs"]["path"] == second.used["Keep runs"]["path"] == ".evalrag/runs"
    )
    assert second.code == 1  # kept all the same


def test_what_pip_is_asked_for(runner: Runner, tmp_path: Path) -> None:
    wheel = tmp_path / "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("tiny.py", "")
        file.writestr(
            "tiny-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n"
        )
        file.writestr("tiny-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr("tiny-1.dist-info/RECORD", "")
    target = tmp_path / "target"

    job = runner.run(plan=GREEN, install=f"--no-index\n --target {target} {wheel}", upload="false")

    assert job.code == 0, job.log
    assert (target / "tiny.py").is_file()
    assert "evalrag 0" in job.log
    empty = runner.run(plan=GREEN, install=" ")
    assert empty.code == 2
    assert "Run the plan" not in empty.ran
