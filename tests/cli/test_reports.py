"""Reports in files: what a plan lists and `--output` asks for, checked before anything runs."""

import json

import pytest

from tests.workspace import Workspace

OWN = """
    class Names:
        name = "names"

        def __init__(self, sep=","):
            self.sep = sep

        def render(self, report):
            return self.sep.join(page.row.question for page in report.pages())

    class Broken:
        name = "broken"

        def render(self, report):
            raise RuntimeError("no ink")

    class Lines:
        name = "lines"

        def render(self, report):
            return repr(dict(report.lines()))

    lines = Lines()
"""


def test_a_plan_writes_its_reports_beside_what_it_prints(shop: Workspace) -> None:
    shop.plan(reports=["terminal", {"use": "json", "to": "out/report.json"}])
    done = shop.evalrag("run", "plan.yaml")
    assert "shop: run 0001" in done.out
    body = json.loads((shop.path / "out/report.json").read_text())
    assert body["exit_code"] == done.code == 4


def test_a_reporter_of_ones_own_gets_rows_and_lines(shop: Workspace) -> None:
    shop.write("mine.py", OWN)
    shop.plan(
        reports=[
            {"use": "mine:Names", "to": "names.txt", "with": {"sep": "|"}},
            {"use": "mine:lines", "to": "lines.txt"},
        ]
    )
    shop.evalrag("run", "plan.yaml")
    names = (shop.path / "names.txt").read_text().strip().split("|")
    assert len(names) == 6
    assert names[0] == "How long is the return window?"
    assert "'h1': 1" in (shop.path / "lines.txt").read_text()


def test_a_reporter_that_raises_costs_its_file_and_is_never_a_pass(shop: Workspace) -> None:
    shop.evalrag("run", "plan.yaml")
    shop.evalrag("baseline", "accept", "latest", "--reason", "first")
    shop.write("mine.py", OWN)
    shop.plan(reports=[{"use": "mine:Broken", "to": "a.txt"}, {"use": "mine:Names", "to": "b.txt"}])
    done = shop.evalrag("run", "plan.yaml")
    assert done.code == 2
    assert "reporter broken raised RuntimeError: no ink" in done.err
    assert not (shop.path / "a.txt").exists()
    assert (shop.path / "b.txt").exists()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        pytest.param("json", "it needs a file to go to", id="no-file"),
        pytest.param({"use": "jsn", "to": "x"}, "did you mean 'json'", id="misspelt"),
        pytest.param({"use": "json", "to": "x", "with": {"a": 1}}, "cannot be made", id="with"),
        pytest.param(
            {"use": "mine:Nothing", "to": "x"}, "without `render(report)`", id="no-render"
        ),
        pytest.param({"use": "json", "too": "x"}, "too", id="unknown-key"),
    ],
)
def test_a_report_that_cannot_be_drawn_is_refused_before_anything_runs(
    shop: Workspace, entry: object, said: str
) -> None:
    shop.write("mine.py", "class Nothing:\n    pass\n")
    shop.plan(reports=[entry])
    for command in ("run", "check"):
        done = shop.evalrag(command, "plan.yaml")
        assert done.code == 2
        assert said in done.err
        assert "plan.yaml" in done.err
    assert not (shop.path / ".evalrag/runs/0001").exists()


def test_check_names_the_reports(shop: Workspace) -> None:
    shop.plan(reports=[{"use": "json", "to": "out/report.json"}])
    assert "ok: report json to out/report.json" in shop.evalrag("check", "plan.yaml").out
