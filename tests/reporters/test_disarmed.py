"""What is printed gives a CI server nothing to obey."""

import json
from pathlib import Path

import pytest

from evalrag.reporters.plain import disarmed, disarmed_json
from tests.workspace import BOT, ROWS, Workspace


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("::set-output name=x::y", id="at-the-start"),
        pytest.param("one\n  ::add-mask::x", id="indented"),
        pytest.param("\x1b[1m::error::x", id="in-colour"),
        pytest.param("a ##[error]x", id="old-form-anywhere"),
        pytest.param("##vso[task.setvariable variable=x]y", id="azure"),
        pytest.param("###teamcity[x]", id="teamcity"),
    ],
)
def test_a_command_is_broken_visibly(text: str) -> None:
    said = disarmed(text)

    assert said != text
    assert "\ufffd" in said
    assert disarmed(said) == said


@pytest.mark.parametrize("text", ["a::b", "x ::error::", "# title", "## [link]", "std::vector"])
def test_what_is_no_command_is_left(text: str) -> None:
    assert disarmed(text) == text


def test_json_says_the_same_in_other_letters() -> None:
    text = json.dumps({"a": "###[error]x ##vso[y]"})

    assert "##[" not in disarmed_json(text)
    assert "##vso[" not in disarmed_json(text)
    assert json.loads(disarmed_json(text)) == json.loads(text)


def test_no_command_prints_what_a_ci_server_obeys(shop: Workspace) -> None:
    hostile = "::set-output name=x::y ##[error]z"
    shop.write("bot.py", BOT.replace('return passages[0]["text"]', f"return {hostile!r}"))
    shop.rows([{**ROWS[0], "id": hostile, "question": hostile}, *ROWS[1:]])

    for command in (
        ["run", "plan.yaml"],
        ["show", "latest", "--full"],
        ["show", "latest", hostile],
        ["gate", "--format", "json"],
        ["show", "latest", "::nope"],
    ):
        done = shop.evalrag(*command)
        for line in (done.out + done.err).splitlines():
            assert not line.strip().startswith("::"), (command, line)
            assert "##[" not in line, (command, line)


def test_the_files_that_were_written_are_named_last(shop: Workspace) -> None:
    shop.plan(reports=[{"use": "json", "to": "out/a.json"}])
    done = shop.evalrag("run", "plan.yaml", "--output", "b.txt")
    assert done.out.endswith("\nreport: b.txt\nreport: out/a.json\n")

    shop.evalrag("baseline", "accept", "latest", "--reason", "first")
    done = shop.evalrag("diff", "latest", "--output", "c.txt", "--format", "json")
    assert done.json["run"] == "0001"
    assert done.err == "report: c.txt\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_file_that_could_not_be_written_is_not_named(shop: Workspace) -> None:
    shop.evalrag("run", "plan.yaml")
    done = shop.evalrag("gate", "--output", "/dev/full")
    assert done.code == 4
    assert "report:" not in done.out
    assert "cannot be written" in done.err
