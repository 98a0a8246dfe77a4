"""Annotations as the runner reads them: few, the worst first, on the row's line, and no others."""

from pathlib import Path

import pytest

from evalrag.reporters.github import ROOM, build
from evalrag.schema.report import Report
from evalrag.schema.verdict import ExitCode
from tests.builders import changed, good_run, row, run
from tests.reporters import cases
from tests.reporters.reading import Command, commands
from tests.workspace import BOT, ROWS, Workspace


def drawn(report: Report) -> list[Command]:
    return commands(build().render(report))


@pytest.mark.parametrize("ending", cases.ENDINGS)
def test_an_error_stands_exactly_where_the_exit_code_is_not_0(ending: str) -> None:
    report = cases.ENDINGS[ending]()
    found = drawn(report)

    red = any(one.name == "error" for one in found)
    assert red == (report.verdict.exit_code is not ExitCode.PASSED)
    assert found[-1].name == "notice"
    assert f"(exit {int(report.verdict.exit_code)})" in found[-1].data


def test_a_row_is_annotated_on_its_line_with_what_it_failed_and_where_to_look() -> None:
    first, second, *_ = drawn(cases.failed())

    assert (first.name, first.properties) == (
        "error",
        {"file": "golden.jsonl", "line": "2", "title": "h2: not-retrieved"},
    )
    assert first.data.startswith("gate evidence is retrieved: 1 -> 0: dropped")
    assert "look at: chunking" in first.data
    assert second.properties["line"] == "4"
    assert second.properties["title"] == "near: wrong-sibling"


def test_what_is_loosened_is_a_warning() -> None:
    found = drawn(cases.set_aside())
    assert [one.properties["title"] for one in found if one.name == "warning"] == ["loosened"] * 2


def test_a_step_gets_ten_errors_and_a_count_of_the_rest() -> None:
    rows = [row(f"h{n}") for n in range(25)]
    base = good_run(rows)
    now = run(rows, changed(base, rows, **{one.id: cases.MISSED for one in rows}))
    found = drawn(cases.report_of(now, base))

    assert sum(one.name == "error" for one in found) == ROOM
    assert "15 errors more than a step can show" in found[-1].data


@pytest.mark.parametrize(
    ("workspace", "file"),
    [("{0}", "shop/golden.jsonl"), ("{0}/shop", "golden.jsonl"), ("/nowhere", "golden.jsonl")],
)
def test_the_file_is_named_as_the_checkout_has_it(
    tmp_path: Path, workspace: str, file: str
) -> None:
    (tmp_path / "shop").mkdir()
    shop = Workspace(tmp_path / "shop")
    shop.plan(reports=["terminal", "github"])
    done = shop.evalrag("run", "plan.yaml", GITHUB_WORKSPACE=workspace.format(tmp_path))

    said = commands(done.out)
    assert said[0].properties["file"] == file
    assert "NO BASELINE (exit 4)" in done.out.split("::error")[0]


def test_stdout_for_a_machine_is_left_alone_and_the_runner_reads_stderr(shop: Workspace) -> None:
    shop.plan(reports=["github"])
    done = shop.evalrag("run", "plan.yaml", "--format", "json")
    assert done.json["exit_code"] == 4
    assert commands(done.err)[0].name == "error"

    done = shop.evalrag("gate", "--format", "github")
    assert commands(done.out)[0].name == "error"


HOSTILE = (
    "::set-output name=x::y",
    "a%0A::error::b",
    "a\n::add-mask::b",
    "a\r::stop-commands::b",
    "##[error]b",
    "x,line=1::debug::b",
)


def test_what_a_row_says_is_no_command(shop: Workspace) -> None:
    text = " | ".join(HOSTILE)
    shop.write("bot.py", BOT.replace('return passages[0]["text"]', f"raise RuntimeError({text!r})"))
    shop.rows([{**ROWS[0], "id": f"r{n} {one.strip()}".replace("\n", " ").replace("\r", " "),
                "question": one} for n, one in enumerate(HOSTILE)] + ROWS[3:])  # fmt: skip
    gate = {"name": text.replace("\n", " "), "metric": "context_recall", "must": {"at_least": 1}}
    shop.plan(reports=["github"], gates=[gate])
    done = shop.evalrag("run", "plan.yaml", "--no-baseline")

    found = commands(done.out)
    assert {one.name for one in found} == {"error", "warning", "notice"}
    assert {key for one in found for key in one.properties} == {"file", "line", "title"}
    assert {one.properties["file"] for one in found[:-1]} == {"golden.jsonl"}
    assert any("%0A::error::b" in one.data for one in found)
