"""`--quiet` and colour: the shortest report names the rows, and no report means by colour alone."""

import re

import pytest

from evalrag.reporters.changes import render as render_diff
from evalrag.reporters.quiet import NAMED, render
from evalrag.reporters.terminal import render as render_whole
from tests.builders import changed, good_run, row, run
from tests.reporters import cases
from tests.workspace import BOT, Workspace

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def test_a_failed_run_in_three_lines() -> None:
    report = cases.failed()
    assert render(report.verdict, report.record) == (
        "plan: FAILED (exit 1): gate failed: evidence is retrieved; gate failed: rivals\n"
        "stay below the evidence\n"
        "  failed (2): near, h2\n"
        "next: evalrag show 0002 near\n"
    )


def test_what_was_loosened_is_said_all_the_same_and_first() -> None:
    report = cases.set_aside()
    said = render(report.verdict, report.record)
    assert said.startswith("loosened: ")
    assert "  broke, and no gate holds it (2): h2, near\n" in said


def test_rows_that_could_not_be_measured_are_named_apart() -> None:
    for made, said in ((cases.undecided, "undecided (1): h2"), (cases.errored, "errored (1): h1")):
        report = made()
        assert f"  {said}\n" in render(report.verdict, report.record)


def test_a_long_list_ends_in_a_count() -> None:
    rows = [row(f"h{n}") for n in range(NAMED + 5)]
    base = good_run(rows)
    now = run(rows, changed(base, rows, **{one.id: cases.MISSED for one in rows}))
    report = cases.report_of(now, base)
    said = " ".join(render(report.verdict, report.record).split())
    assert "failed (25): h0, h1," in said
    assert "h4 and 5 more next: evalrag show 0002 h0" in said


@pytest.mark.parametrize("ending", cases.ENDINGS)
@pytest.mark.parametrize("full", [False, True])
def test_colour_says_nothing_that_words_do_not_and_80_columns_are_enough(
    ending: str, full: bool
) -> None:
    report = cases.ENDINGS[ending]()
    verdict, record = report.verdict, report.record
    drawn = [
        (
            render(verdict, record, color=color),
            render_whole(verdict, record, full=full, color=color),
            render_diff(verdict, record, record, full=full, gates=True, color=color),
        )
        for color in (False, True)
    ]
    for plain, colored in zip(*drawn, strict=True):
        assert ANSI.search(colored)
        assert ANSI.sub("", colored).split() == plain.split()
        for line in plain.splitlines():
            assert len(line) <= 80 or line.startswith(("next: ", "more: ")), line


def test_quiet_and_verbose_on_the_command_line(shop: Workspace) -> None:
    shop.accepted()
    shop.write("bot.py", BOT.replace('["market#0", "returns#0"]', '["returns#0", "market#0"]'))
    done = shop.evalrag("run", "plan.yaml", "-q", "--output", "out.txt")

    assert done.code == 1
    assert done.out.startswith("shop: FAILED (exit 1): gate failed: ")
    assert done.out.endswith("next: evalrag show 0002 n1\n")
    assert len(done.out.splitlines()) <= 4
    assert done.err == ""
    assert shop.evalrag("gate", EVALRAG_QUIET="1").out == done.out
    assert shop.evalrag("gate", "--verbose").out == shop.evalrag("gate", "--full").out
    assert shop.evalrag("diff", "-q").out.splitlines() == [
        "shop: run 0001 of 2026-11-30 -> run 0002 of 2026-11-30",
        "1 broke, 5 still passing",
        "1 of 6 answers changed",
        "",
        "Broke: 1 of 6 rows",
        "  n1 near-miss ranking pass -> fail wrong-sibling",
        "",
        "next: evalrag show 0002 n1",
    ]
    wrong = shop.evalrag("gate", "-q", "-v")
    assert wrong.code == 2
    assert "--full and --quiet" in wrong.err
