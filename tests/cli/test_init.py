"""`evalrag init`: what it prints works word for word, and nothing that is there is touched."""

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command import call, environment

WRITTEN = {
    "evalrag.yaml",
    "evals/golden.jsonl",
    "evals/corpus.jsonl",
    "evals/plan.schema.json",
    "my_bot.py",
    ".gitignore",
}
ACTION = Path(__file__).parents[2] / ".github/actions/evalrag"


def evalrag(folder: Path, *words: str, **more: str) -> tuple[int, str, str]:
    done = call(folder, *words, env=environment(**more))
    return done.code, done.out, done.err


def files_of(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def steps_of(printed: str) -> list[list[str]]:
    lines = printed.splitlines()
    return [shlex.split(line.removeprefix("next: ")) for line in lines if line.startswith("next: ")]


def test_what_it_prints_works_word_for_word_in_an_empty_folder(tmp_path: Path) -> None:
    code, printed, _ = evalrag(tmp_path, "init")
    assert code == 0
    assert set(files_of(tmp_path)) == WRITTEN

    codes, said = [], []
    for program, *words in steps_of(printed):
        assert program == "evalrag"
        code, out, err = evalrag(tmp_path, *words)
        codes.append(code)
        said.append(out + err)

    assert [words[1] for words in steps_of(printed)] == ["check", "run", "baseline", "run"]
    assert codes == [0, 4, 0, 0], said
    assert "0 errors, 0 warnings" in said[0]
    assert "fail" not in said[2]


def test_all_five_kinds_are_there_and_every_row_passes(tmp_path: Path) -> None:
    evalrag(tmp_path, "init")

    code, printed, _ = evalrag(tmp_path, "run", "--no-baseline", "--format", "json")

    verdict = json.loads(printed)
    assert code == 0
    assert verdict["outcomes"] == {
        kind: {"pass": 1}
        for kind in ("happy-path", "near-miss", "multi-hop", "stale-policy", "unanswerable")
    }
    assert verdict["warnings"] == {}
    assert verdict["stages"]["answer"] == {"pass": 4, "na": 1}


def test_the_old_page_turns_the_build_red_when_the_index_takes_it_in(tmp_path: Path) -> None:
    _, printed, _ = evalrag(tmp_path, "init")
    for _program, *words in steps_of(printed):
        evalrag(tmp_path, *words)
    bot = tmp_path / "my_bot.py"
    bot.write_text(bot.read_text().replace('        if page["status"] == "current"\n', ""))

    code, printed, _ = evalrag(tmp_path, "run", "--format", "json")

    verdict = json.loads(printed)
    assert code == 1
    assert verdict["diagnoses"] == {"stale-source": ["delivery-charge"]}


PAGE = 'passages[0]["text"].splitlines()[-1]'
SIBLING = "Items sold by the shop itself can be returned within 30 days of delivery."


def answers(folder: Path, expression: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the verdict when every question is answered by this expression."""
    bot = folder / "my_bot.py"
    text = bot.read_text(encoding="utf-8")
    start, end = text.index("    if not passages or"), text.index("\n\n\ndef words")
    bot.write_text(f"{text[:start]}    return str({expression}){text[end:]}", encoding="utf-8")
    code, printed, _ = evalrag(folder, "run", "--format", "json")
    return code, json.loads(printed)


@pytest.mark.parametrize(
    ("expression", "row", "gate"),
    [
        pytest.param(
            f"{PAGE} if 'student' not in question else 'It is 12 euros.'",
            "student-discount",
            "nothing is invented",
            id="an unanswerable row is answered",
        ),
        pytest.param(
            f"{SIBLING!r} if 'marketplace' in question else {PAGE}",
            "returns-marketplace-days",
            "right answers stay right",
            id="the sibling's sentence",
        ),
        pytest.param(
            f"'Standard delivery costs 3 euros.' if 'standard' in question else {PAGE}",
            "delivery-charge",
            "right answers stay right",
            id="the old page's sentence",
        ),
        pytest.param(
            f"'A rooftop cinema costs 12 euros. ' + {PAGE}",
            "gift-wrapping-price",
            "answers stay faithful",
            id="an invention beside the right answer",
        ),
        pytest.param(
            f"{PAGE} + ' However, I am not certain about this.'",
            "student-discount",
            "nothing is invented",
            id="an invention behind a hedge",
        ),
        pytest.param(
            f"{PAGE} if 'student' not in question else \"I don't know, but it is \\u00a312.\"",
            "student-discount",
            "nothing is invented",
            id="an invention behind a decline",
        ),
    ],
)
def test_a_wrong_answer_is_red(tmp_path: Path, expression: str, row: str, gate: str) -> None:
    _, printed, _ = evalrag(tmp_path, "init")
    for _program, *words in steps_of(printed):
        evalrag(tmp_path, *words)

    code, verdict = answers(tmp_path, expression)

    assert code == 1
    failed = {one["name"] for one in verdict["gates"] if one["status"] == "failed"}
    assert gate in failed
    assert row in {name for rows in verdict["diagnoses"].values() for name in rows}


def test_a_workflow_watches_the_branch_that_is_there(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--initial-branch=trunk", tmp_path], check=True)
    evalrag(tmp_path, "init", "--ci", "github")
    assert "branches: [trunk]" in (tmp_path / ".github/workflows/evalrag.yml").read_text()

    evalrag(tmp_path, "init", "sub/folder", "--ci", "github")
    assert "[trunk]" in (tmp_path / "sub/folder/.github/workflows/evalrag.yml").read_text()


def test_what_the_workflows_install_can_be_said(tmp_path: Path) -> None:
    source = "git+https://code.example/tools/evalrag@0a1b2c -r requirements.txt"
    wanted = ("--ci", "github", "--ci", "gitlab", "--ci", "github-nightly")

    code, printed, _ = evalrag(tmp_path, "init", *wanted, "--install", source)

    assert code == 0
    assert f"note: the workflow installs {source};" in printed
    assert "came from a folder" not in printed
    for name in (".github/workflows/evalrag.yml", ".github/workflows/evalrag-nightly.yml"):
        steps = yaml.safe_load((tmp_path / name).read_text())["jobs"]["rows"]["steps"]
        assert steps[-1]["with"]["install"] == source
    job = yaml.safe_load((tmp_path / ".gitlab-ci.yml").read_text())["evalrag"]
    assert job["before_script"] == [f"pip install --quiet {source}"]


@pytest.mark.parametrize(
    "source", ["x; curl evil", "a\nb", "'x'", "$(x)", "x #y", "-r x", "", "a  b"]
)
def test_what_a_shell_or_yaml_would_read_otherwise_is_refused(tmp_path: Path, source: str) -> None:
    code, _, said = evalrag(tmp_path, "init", "--ci", "gitlab", f"--install={source}")

    assert code == 2
    assert "--install takes requirements of pip" in said
    assert files_of(tmp_path) == {}


def test_a_second_time_changes_nothing_and_says_so(tmp_path: Path) -> None:
    evalrag(tmp_path, "init", "--ci", "github", "--ci", "gitlab")
    before = files_of(tmp_path)

    code, printed, _ = evalrag(tmp_path, "init", "--ci", "github", "--ci", "gitlab")

    assert code == 0
    assert files_of(tmp_path) == before
    assert "nothing was changed" in printed
    assert steps_of(printed) == [["evalrag", "check"]]


def test_what_is_there_is_named_and_left(tmp_path: Path) -> None:
    (tmp_path / "evalrag.yaml").write_text("mine")
    (tmp_path / "my_bot.py").symlink_to(tmp_path / "gone.py")

    code, printed, _ = evalrag(tmp_path, "init")

    assert code == 0
    assert (tmp_path / "evalrag.yaml").read_text() == "mine"
    assert not (tmp_path / "gone.py").exists()
    assert "kept evalrag.yaml: it was there already" in printed
    assert "kept my_bot.py" in printed
    assert "wrote evals/golden.jsonl" in printed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"*.log\n", b"*.log\n.evalrag/\n", id="a file of lines"),
        pytest.param(b"*.log", b"*.log\n.evalrag/\n", id="no line end"),
        pytest.param(b"*.log\r\n", b"*.log\r\n.evalrag/\r\n", id="windows line ends"),
        pytest.param(b"\xff\xfe\n", b"\xff\xfe\n.evalrag/\n", id="not UTF-8"),
        pytest.param(b"/.evalrag \n", b"/.evalrag \n", id="said already"),
        pytest.param(b"", b".evalrag/\n", id="empty"),
        pytest.param(b"# .evalrag/\n", b"# .evalrag/\n.evalrag/\n", id="a comment"),
    ],
)
def test_gitignore_gets_its_line_once(tmp_path: Path, before: bytes, after: bytes) -> None:
    (tmp_path / ".gitignore").write_bytes(before)

    evalrag(tmp_path, "init")
    evalrag(tmp_path, "init")

    assert (tmp_path / ".gitignore").read_bytes() == after


def test_another_folder_is_made_and_the_first_step_goes_there(tmp_path: Path) -> None:
    code, printed, _ = evalrag(tmp_path, "init", "new place/of mine")

    assert code == 0
    assert set(files_of(tmp_path / "new place/of mine")) == WRITTEN
    assert steps_of(printed)[0] == ["cd", "new place/of mine"]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["there"], id="the folder is a file"),
        pytest.param(["--ci", "jenkins"], id="an unknown CI"),
    ],
)
def test_what_cannot_be_done_is_exit_2_and_writes_nothing(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "there").write_text("a file")

    code, _, said = evalrag(tmp_path, "init", *words)

    assert code == 2
    assert "next: " in said or "use one of github" in said
    assert set(files_of(tmp_path)) == {"there"}


def test_editors_get_the_schema_that_evalrag_prints(tmp_path: Path) -> None:
    evalrag(tmp_path, "init")

    first = (tmp_path / "evalrag.yaml").read_text().splitlines()[0]
    _, printed, _ = evalrag(tmp_path, "schema", "plan")

    assert first == "# yaml-language-server: $schema=evals/plan.schema.json"
    assert (tmp_path / "evals/plan.schema.json").read_text(encoding="utf-8") == printed


@pytest.mark.parametrize("plan", ["evalrag-forks.yaml", "evalrag-release.yaml"])
def test_the_plans_of_the_workflows_check_without_a_warning(tmp_path: Path, plan: str) -> None:
    _, printed, _ = evalrag(tmp_path, "init", "--ci", "github", "--ci", "github-release")
    for _program, *words in steps_of(printed):
        evalrag(tmp_path, *words)
    judge = {"EVALRAG_JUDGE_MODEL": "some-model-2026-06-01", "OPENAI_API_KEY": "not-a-real-key"}

    code, printed, _ = evalrag(tmp_path, "check", plan, **judge)

    assert code == 0
    assert "0 errors, 0 warnings" in printed


def test_forks_are_held_against_what_the_accepted_run_answered(tmp_path: Path) -> None:
    _, printed, _ = evalrag(tmp_path, "init", "--ci", "github")
    for _program, *words in steps_of(printed):
        evalrag(tmp_path, *words)
    assert evalrag(tmp_path, "run", "evalrag-forks.yaml")[0] == 0
    rows = (tmp_path / "evals/golden.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "evals/golden.jsonl").write_text("".join(rows[1:]))

    code, _, said = evalrag(tmp_path, "run", "evalrag-forks.yaml")

    assert code == 2
    assert "gift-wrapping-price" in said


def test_the_action_that_is_written_is_the_repositorys_own(tmp_path: Path) -> None:
    evalrag(tmp_path, "init", "--ci", "github-nightly")

    assert files_of(tmp_path / ".github/actions/evalrag") == files_of(ACTION)


def test_a_workflow_installs_the_version_that_wrote_it(tmp_path: Path) -> None:
    from evalrag import __version__

    evalrag(tmp_path, "init", "--ci", "github", "--ci", "gitlab")

    for name in (".github/workflows/evalrag.yml", ".gitlab-ci.yml"):
        text = (tmp_path / name).read_text()
        assert f"evalrag=={__version__}" in text
        assert "evalrag==0 " not in text
