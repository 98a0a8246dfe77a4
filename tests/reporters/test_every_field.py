"""Hostile text in every field of a report at once, not in the reason of a verdict alone.

Run id, plan, gate, metric, diagnosis, tag, file, judge, claim, probe, turn, passage, metadata: what
a file of a run or a baseline holds is as hostile as a question, since a stranger can change it.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from evalrag.reporters import quiet
from evalrag.reporters.build import BUILTIN, reporter
from evalrag.reporters.markdown import LIMIT
from evalrag.schema.report import Report
from tests.reporters import cases, html_made, reading
from tests.reporters.browser import CHROMIUM, WHY_NOT, chromium, opened
from tests.reporters.hostile import HOSTILE, OBEYED
from tests.reporters.poison import poisoned

LONG = "x" * 6_000
ALL = " ".join(text for name, text in HOSTILE.items() if name != "a word of 1 MB")
IDS = {row.id for row in cases.ROWS} | {
    row.id for row in html_made.odd_report().verdict.diff.changes
}
TEXTS: dict[str, Callable[[str], str]] = {
    "before": lambda said: ALL + said,
    "behind": lambda said: said + ALL,
    "on a line of its own": lambda said: f"\n::error::x\n##[error]x\n{said}\r\n::error::x",
    "long": lambda said: LONG + said,
    "long in Markdown": lambda said: f"{'$' * 3_000}{said}",
    "of spaces": lambda said: said if said in IDS else " \u3000\n",
    "nothing": lambda said: said if said in IDS else "",
    "of an object of JavaScript": lambda said: said if said in IDS else "constructor",
    "ends of Markdown": lambda said: f"</details>\n\n```\n~~~\n{said}\n===\n---\n",
}
_NAMES = ("failed", "set_aside", "errored", "undecided", "no_baseline", "not_compared", "removed")
ENDINGS: dict[str, Callable[[], Report]] = {name: cases.ENDINGS[name] for name in _NAMES}
ENDINGS["odd"] = html_made.odd_report
SETTINGS: dict[str, dict[str, Any]] = {"full": {"full": True}}
REPORTS = [*BUILTIN, "full", "quiet"]


def drawn(name: str, report: Report) -> str:
    if name == "quiet":
        return quiet.render(report.verdict, report.record)
    if name == "full":
        return reporter("terminal", {"full": True}).render(report)
    return reporter(name).render(report)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_itself_whatever_stands_in_its_fields(name: str, text: str) -> None:
    for ending, made in ENDINGS.items():
        said = drawn(name, poisoned(made(), TEXTS[text]))
        said.encode()
        reading.READERS.get(name, reading.commands)(said)
        assert not {sign for sign in OBEYED if sign in said}, ending
        if name != "github":
            assert not reading.commands(said), ending
        if name == "json":  # it says all of a text
            continue
        shown = said.split('<script type="application/json"')[0]
        if name == "sarif":  # a path that is cut would be another path
            shown = re.sub(r'"uri": ".*"', "", shown)
        assert "x" * 4_001 not in shown, ending
        if name == "markdown":
            assert len(said) <= LIMIT, ending


@pytest.mark.skipif(CHROMIUM is None, reason=WHY_NOT)
@pytest.mark.parametrize("text", ["before", "of an object of JavaScript", "of markup"])
def test_a_page_runs_nothing_and_opens_every_row(text: str, tmp_path: Path) -> None:
    markup = " ".join(html_made.HOSTILE)
    make = TEXTS.get(text, lambda said: said + markup)
    with chromium() as browser:
        for ending in ("failed", "odd"):
            report = html_made.html_of(poisoned(ENDINGS[ending](), make))
            file = tmp_path / f"{ending}.html"
            file.write_text(report, encoding="utf-8")
            with opened(browser, file, viewport={"width": 390, "height": 844}) as seen:
                page = seen.page
                index = "JSON.parse(document.getElementById('data-index').textContent).rows"
                for row in page.evaluate(index):
                    go = "(key) => { location.hash = `#row-${encodeURIComponent(key)}`; }"
                    page.evaluate(go, row["i"])
                    expect(page.locator("#page h1")).to_have_text(row["i"])
                    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                    assert wide <= 0, (ending, row["i"])
                assert page.evaluate("window.__ran") is None
                assert seen.noise == seen.asked == []
