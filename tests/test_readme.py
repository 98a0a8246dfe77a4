"""The README is executed: what it shows comes true, word for word."""

import html
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.action.github import Api, Runner
from tests.adapters.http_server import Asked, Service
from tests.command import DAY, call

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^(?P<before>[^\n]*)\n\n```(?P<kind>\w+)\n(?P<body>.*?)^```", re.M | re.S)
FOUND = [(m["kind"], m["before"], m["body"]) for m in BLOCK.finditer(TEXT)]
BLOCKS = [
    (m["kind"], m["body"])
    for m in re.finditer(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```", TEXT, re.M | re.S)
]
TRANSCRIPTS = [body for kind, body in BLOCKS if kind == "console"]
ELLIPSIS = "..."


def steps_of(block: str) -> list[tuple[str, list[str]]]:
    """Each command of a transcript with the lines that it must print."""
    steps = []
    for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, expected = step.partition("\n")
        steps.append((command, expected.splitlines()))
    return steps


def run(command: str, folder: Path) -> tuple[int, list[str]]:
    program, *arguments = shlex.split(command)
    assert program == "evalrag"
    done = call(folder, *arguments, timeout=120)
    return done.code, done.out.splitlines()


def bash(command: str, folder: Path) -> list[str]:
    """What a line prints in a shell that knows `evalrag` and who commits."""
    person = {"NAME": "A Reader", "EMAIL": "reader@example.org"}
    known = {f"GIT_{who}_{k}": v for who in ("AUTHOR", "COMMITTER") for k, v in person.items()}
    done = subprocess.run(
        ["bash", "-c", f'evalrag() {{ "{sys.executable}" -m evalrag "$@"; }}\n{command}'],
        cwd=folder,
        env={**os.environ, **known, "SOURCE_DATE_EPOCH": DAY, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert "fatal" not in done.stderr, done.stderr
    return done.stdout.splitlines()


def comes_true(printed: list[str], expected: list[str]) -> bool:
    """Equal, where a line of three dots stands for any lines."""
    if not expected:
        return not printed
    if expected[0] == ELLIPSIS:
        rest = expected[1:]
        return any(comes_true(printed[n:], rest) for n in range(len(printed) + 1))
    return bool(printed) and printed[0] == expected[0] and comes_true(printed[1:], expected[1:])


def follow(block: str, folder: Path) -> None:
    code = None
    for command, expected in steps_of(block):
        if command == "echo $?":
            assert expected == [str(code)], command
            continue
        code, printed = run(command, folder)
        assert comes_true(printed, expected), f"$ {command}\n" + "\n".join(printed)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The plans and datasets of this repository, in a folder of their own without any run."""
    for name in ("configs", "datasets"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def own_bot(tmp_path: Path) -> Path:
    """The files that the README has a reader write, in an empty folder."""
    for name in ("my_bot.py", "golden.jsonl", "plan.yaml"):
        bodies = [body for _, before, body in FOUND if before.startswith(f"`{name}`")]
        assert len(bodies) == 1, name
        (tmp_path / name).write_text(bodies[0], encoding="utf-8")
    return tmp_path


def test_the_two_commands_are_one_line_each_and_ci_runs_them_word_for_word() -> None:
    marked = re.findall(r"^<!-- (\w+) -->\n```sh\n(.*?)```", TEXT, re.M | re.S)

    assert [name for name, _ in marked] == ["demo", "tests"]
    for name, command in marked:
        assert command.count("\n") == 1
        assert command.startswith("pip install ")
        assert re.search(rf"^try {name}\b", (ROOT / ".ci/run").read_text(encoding="utf-8"), re.M)
    assert len([kind for kind, _ in BLOCKS if kind == "sh"]) == 2


def test_the_demo_command_ends_well_and_shows_what_it_should(checkout: Path) -> None:
    code, printed = run("evalrag run configs/demo.yaml", checkout)

    assert code == 0, "\n".join(printed)
    for shown in ("Gates", "PASSED (exit 0)"):
        assert shown in printed


def test_the_transcripts_of_the_demo_one_after_the_other(checkout: Path) -> None:
    blocks = [b for b in TRANSCRIPTS if "configs/demo" in b or "show latest" in b]

    assert len(blocks) == 2
    for block in blocks:
        follow(block, checkout)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_ten_minutes_end_in_a_red_pull_request(tmp_path: Path) -> None:
    block = TEXT.split("<!-- ten minutes -->\n```console\n")[1].split("```")[0]
    origin, clone = tmp_path / "origin.git", tmp_path / "clone"
    bash("git init --quiet --bare origin.git && git clone --quiet origin.git clone", tmp_path)
    for command, expected in steps_of(block):
        printed = bash(command, clone)
        assert comes_true(printed, expected), f"$ {command}\n" + "\n".join(printed)

    with Api() as api:
        pushed = tmp_path / "pushed"
        bash(f"git clone --quiet --branch all-pages {origin} pushed", tmp_path)
        action = pushed / ".github/actions/evalrag"
        runner = Runner(pushed, tmp_path / "job", api, action)
        runner.pull_request()
        job = runner.run(comment="true")

    assert job.code == 1, job.log
    assert json.loads(job.outputs["broke"]) == ["delivery-charge"]
    assert "delivery-charge" in job.summary
    assert ["delivery-charge" in comment["body"] for comment in api.comments] == [True]


def test_connecting_ones_own_pipeline(own_bot: Path) -> None:
    (block,) = [b for b in TRANSCRIPTS if "plan.yaml" in b]

    follow(block, own_bot)


@pytest.mark.parametrize(
    "answer",
    ["Returns are accepted within 14 days of delivery.", "You can return items whenever you like."],
)
def test_a_wrong_answer_of_ones_own_pipeline_is_red(own_bot: Path, answer: str) -> None:
    run("evalrag run plan.yaml", own_bot)
    run('evalrag baseline accept 0001 --reason "read every row"', own_bot)
    bot = own_bot / "my_bot.py"
    text, right = bot.read_text(encoding="utf-8"), 'passages[0]["text"]'
    assert right in text
    bot.write_text(text.replace(right, repr(answer)), encoding="utf-8")

    code, printed = run("evalrag run plan.yaml", own_bot)

    assert code == 1
    assert any("FAIL right answers stay right" in line for line in printed)


def test_the_gates_that_are_shown_can_be_used(own_bot: Path) -> None:
    (gates,) = [body for kind, body in BLOCKS if kind == "yaml" and body.startswith("gates:")]
    plan = yaml.safe_load((own_bot / "plan.yaml").read_text())
    (own_bot / "plan.yaml").write_text(json.dumps(plan | yaml.safe_load(gates)))

    code, printed = run("evalrag check plan.yaml", own_bot)

    assert code == 0, "\n".join(printed)
    assert any("4 gates: evidence is retrieved" in line for line in printed)


def test_what_is_set_aside_is_written_as_the_text_says(own_bot: Path) -> None:
    (aside,) = [body for kind, body in BLOCKS if kind == "yaml" and body.startswith("waivers:")]
    plan = yaml.safe_load((own_bot / "plan.yaml").read_text())
    asked = {
        **yaml.safe_load(aside),
        "gates": [{"name": "superseded passages stay out"} | ANY_GATE],
    }
    for entry in (*asked["waivers"], *asked["quarantine"]):
        entry["row"], entry["until"] = "returns-days", str(entry["until"])
    (own_bot / "plan.yaml").write_text(json.dumps(plan | asked))

    code, printed = run("evalrag check plan.yaml", own_bot)

    assert code == 0, "\n".join(printed)


ANY_GATE = {"metric": "context_recall", "must": "not_drop"}


def test_a_gate_is_added_to_the_default_ones_as_the_text_says(own_bot: Path) -> None:
    (gates,) = re.findall(r"^`(gates: \[defaults, .*\])` adds", TEXT, re.M)
    plan = yaml.safe_load((own_bot / "plan.yaml").read_text())
    (own_bot / "plan.yaml").write_text(json.dumps(plan | yaml.safe_load(gates)))

    code, printed = run("evalrag check plan.yaml", own_bot)

    assert code == 0, "\n".join(printed)
    assert any("7 gates: evidence is retrieved" in line for line in printed)


def test_recorded_outputs_as_the_text_says(own_bot: Path) -> None:
    assert "`pipeline: {use: recorded, with: {path: outputs.jsonl}}`" in TEXT
    plan = yaml.safe_load((own_bot / "plan.yaml").read_text())
    plan["pipeline"] = {"use": "recorded", "with": {"path": "outputs.jsonl"}, "context_k": 5}
    (own_bot / "plan.yaml").write_text(json.dumps(plan))
    passage = {"id": "a", "doc": "returns", "text": "Accepted within 30 days of delivery."}
    outputs = [
        {"id": "returns-days", "candidates": [passage], "answer": "Within 30 days of delivery."},
        {"id": "weather", "candidates": [], "answer": "I do not have that information."},
    ]
    (own_bot / "outputs.jsonl").write_text("\n".join(map(json.dumps, outputs)))

    code, printed = run("evalrag run plan.yaml --no-baseline", own_bot)

    assert code == 0, "\n".join(printed)


def pipeline_of(use: str, folder: Path) -> None:
    """Put the pipeline that the text shows for `use` into the plan of one's own bot."""
    shown = [yaml.safe_load(body) for kind, body in BLOCKS if kind == "yaml"]
    (found,) = [part for part in shown if part.get("pipeline", {}).get("use") == use]
    plan = yaml.safe_load((folder / "plan.yaml").read_text())
    (folder / "plan.yaml").write_text(json.dumps(plan | found))


@pytest.mark.parametrize("more", [False, True], ids=["as it stands", "with its comments"])
def test_a_service_over_http(own_bot: Path, monkeypatch: pytest.MonkeyPatch, more: bool) -> None:
    policy = "Returns are accepted within 30 days of delivery."

    def answer(request: Asked) -> object:
        assert request.headers["authorization"] == "Bearer token-of-the-tests"
        assert request.body["k"] == 20
        found = "return" in request.body["q"]
        hit = {"_id": "returns#0", "body": policy, "meta": {"source": "returns"}}
        said = policy if found else "I do not have information about that."
        return {"hits": [hit] * found, "text": said, "usage": {"in": 40, "out": 9}}

    (plan,) = [body for kind, body in BLOCKS if kind == "yaml" and "use: http" in body]
    if more:
        plan = re.sub(r"# (corpus|watch):", r"\1:", plan)
        (own_bot / "prompts").mkdir()
        (own_bot / "prompts/answer.md").write_text("Answer in the words of the policy.\n")
        page = {"id": "returns#0", "doc": "returns", "text": policy}
        (own_bot / "corpus.jsonl").write_text(json.dumps(page) + "\n")
    (own_bot / "plan.yaml").write_text(plan, encoding="utf-8")
    with Service(answer) as service:
        monkeypatch.setenv("BOT_URL", service.url())
        monkeypatch.setenv("BOT_TOKEN", "token-of-the-tests")
        monkeypatch.setenv("BOT_VERSION", "4f1d2c")
        code, printed = run("evalrag check plan.yaml", own_bot)
        assert code == 0, "\n".join(printed)
        assert not any("what runs at" in line for line in printed)
        code, printed = run("evalrag run plan.yaml --no-baseline", own_bot)

    assert code == 0, "\n".join(printed)
    assert not any("gave nothing" in line for line in printed)


@pytest.mark.skipif(shutil.which("perl") is None, reason="there is no perl")
def test_a_program_in_another_language(own_bot: Path) -> None:
    (program,) = [body for kind, before, body in FOUND if before.startswith("`bot.pl`")]
    (own_bot / "bot.pl").write_text(program, encoding="utf-8")
    pipeline_of("command", own_bot)

    code, printed = run("evalrag check plan.yaml", own_bot)
    assert code == 0, "\n".join(printed)
    assert "ok: perl bot.pl starts" in printed
    code, printed = run("evalrag run plan.yaml --no-baseline", own_bot)

    assert code == 0, "\n".join(printed)


@pytest.mark.parametrize(
    ("heading", "library"),
    [
        ("LangChain", "langchain_core"),
        ("LlamaIndex", "llama_index.core"),
        ("Haystack", "haystack"),
    ],
)
def test_connecting_a_pipeline_of_another_library(
    own_bot: Path, heading: str, library: str
) -> None:
    if importlib.util.find_spec(library.partition(".")[0]) is None:
        pytest.skip(f"{library} is not installed; it is part of the extra 'dev'")
    section = TEXT.split(f"\n### {heading}\n")[1].split("\n##")[0]
    (code,) = re.findall(r"^`(\w+\.py)`:\n\n```python\n(.*?)^```", section, re.M | re.S)
    (described,) = re.findall(r"^```yaml\n(.*?)^```", section, re.M | re.S)
    (own_bot / code[0]).write_text(code[1], encoding="utf-8")
    plan = yaml.safe_load((own_bot / "plan.yaml").read_text()) | yaml.safe_load(described)
    (own_bot / "plan.yaml").write_text(json.dumps(plan))

    code_of_check, checked = run("evalrag check plan.yaml", own_bot)
    code_of_run, printed = run("evalrag run plan.yaml --no-baseline", own_bot)

    assert code_of_check == 0, "\n".join(checked)
    assert any(heading.casefold() in line for line in checked), "\n".join(checked)
    assert code_of_run == 0, "\n".join(printed)
    rows = (own_bot / ".evalrag/runs/0001/traces.jsonl").read_text().splitlines()
    assert len(rows) == 2
    for row in rows:
        assert '"id":"returns#0"' in row.replace(": ", ":")
        assert '"doc":"returns"' in row.replace(": ", ":")
        assert "error" not in row


def test_every_block_is_of_a_kind_that_is_executed() -> None:
    assert {kind for kind, _ in BLOCKS} <= {"sh", "console", "python", "json", "yaml", "perl"}


def test_every_exit_code_is_in_the_table() -> None:
    from evalrag.schema.verdict import ExitCode

    table = TEXT.split("## Exit codes")[1].split("##")[0]
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.M)} == set(ExitCode)


def test_the_picture_shows_what_the_demo_prints(checkout: Path) -> None:
    picture = (ROOT / ".github/failing-demo.svg").read_text(encoding="utf-8")
    assert "(.github/failing-demo.svg)" in TEXT
    found: dict[int, str] = {}
    for line, text in re.findall(r'line-(\d+)\)">(.*?)</text>', picture):
        found[int(line)] = found.get(int(line), "") + html.unescape(text)
    drawn = [said for _, text in sorted(found.items()) if (said := "".join(text.split()))]

    _, printed = run("evalrag run configs/demo-halved-chunks.yaml", checkout)

    assert printed[-2].startswith("next: ")
    shown = ["$ evalrag run configs/demo-halved-chunks.yaml", *filter(None, printed)]
    assert drawn == ["".join(line.split()) for line in shown]
