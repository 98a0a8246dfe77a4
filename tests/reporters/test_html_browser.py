"""The HTML report in a real browser: what a person does with it, and what it must never do."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from evalrag.schema.trace import Trace
from tests.builders import passage, row, verdicts
from tests.reporters.browser import CHROMIUM, WHY_NOT, chromium, opened
from tests.reporters.html_made import broken, hostile_report, html_of, odd_report, report_of

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WHY_NOT)
ROOT = Path(__file__).parents[2]
BROKEN = "marketplace-return-and-refund"
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "is_mobile": True}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the demo whose chunks were halved."""
    folder = tmp_path_factory.mktemp("demo")
    for name in ("configs", "datasets"):
        shutil.copytree(ROOT / name, folder / name)
    plan = "configs/demo-halved-chunks.yaml"
    # In a process of its own: the browser's loop runs in this one.
    command = [sys.executable, "-m", "evalrag", "run", plan, "-o", "report.html"]
    subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return folder / "report.html"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("hostile") / "report.html"
    file.write_text(html_of(hostile_report()), encoding="utf-8")
    return file


def rows_of(page: Page) -> list[str]:
    return page.locator("#rows tbody a.id").all_inner_texts()


def sideways(page: Page) -> int:
    """Pixels that the page is wider than its window."""
    wide: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wide


def end_of(part: Locator) -> float:
    box = part.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


def violations(page: Page) -> list[str]:
    """What axe-core holds to be serious or worse."""
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    page.evaluate(axe)
    found = page.evaluate("axe.run().then((found) => found.violations)")
    return [
        f"{one['id']}: {node['html'][:160]} {node['failureSummary']}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3]
    ]


def test_verdict_broken_rows_and_where_to_look_stand_in_the_first_screen(
    browser: Browser, failing: Path
) -> None:
    for width, height, rows in ((1280, 800, 4), (390, 844, 4)):
        with opened(browser, failing, viewport={"width": width, "height": height}) as seen:
            page = seen.page
            ends = [
                end_of(page.locator(part).nth(place))
                for part, place in (("#verdict", 0), (".changed", 0), (".read > li", rows - 1))
            ]
            assert ends == sorted(ends)
            assert ends[-1] < height
            first = page.locator(".read > li").first
            said = first.inner_text()
            assert "with how many photographs" in said
            assert first.locator("del").all_inner_texts() == ["2", "five"]
            assert first.locator("ins").all_inner_texts() == ["7", "three"]
            if width > 600:
                assert end_of(page.locator(".look")) < height
            assert seen.noise == seen.asked == []


def test_a_rows_page_begins_with_what_the_bot_said(browser: Browser, failing: Path) -> None:
    for size in ({"width": 1280, "height": 800}, {"width": 390, "height": 844}):
        with opened(browser, failing, "#row-free-delivery-first-party", viewport=size) as seen:
            page = seen.page
            answers = page.locator("#page .answers").first
            assert end_of(answers) < size["height"]
            assert answers.locator("del").all_inner_texts() == ["45"]
            assert answers.locator("ins").all_inner_texts() == ["80"]
            assert seen.noise == seen.asked == []


def test_answers_that_changed_are_counted_and_filtered(browser: Browser, failing: Path) -> None:
    with opened(browser, failing) as seen:
        page = seen.page
        page.get_by_text("13 of 56 answers changed").click()
        expect(page.locator("#found")).to_have_text("13 of 56 rows")
        page.select_option("#filter-answer", "same")
        expect(page.locator("#found")).to_have_text("43 of 56 rows")


def test_rows_are_filtered_by_what_they_are_and_by_text(browser: Browser, failing: Path) -> None:
    with opened(browser, failing) as seen:
        page = seen.page
        assert page.locator("#found").inner_text() == "56 rows"
        page.select_option("#filter-change", "broke")
        assert page.locator("#found").inner_text() == "6 of 56 rows"
        page.select_option("#filter-kind", "near-miss")
        page.select_option("#filter-stage", "ranking broke")
        page.select_option("#filter-diagnosis", "wrong-sibling")
        assert len(rows_of(page)) == 4
        page.fill("#filter-text", "EXPRESS until")
        assert rows_of(page) == ["express-marketplace-until"]
        page.fill("#filter-text", "no such words")
        assert rows_of(page) == []
        page.click("#filter-reset")
        expect(page.locator("#found")).to_have_text("56 rows")
        assert page.locator("#filter-split").is_hidden(), "one split alone: nothing to choose"


def test_a_list_leads_to_the_same_rows_to_filter(browser: Browser, failing: Path) -> None:
    with opened(browser, failing) as seen:
        page = seen.page
        page.fill("#filter-text", "express")
        page.locator(".cells summary", has_text="no reference").click()
        page.locator(".cells details", has_text="no reference").get_by_text("to filter").click()
        assert page.locator("#found").inner_text() == "10 of 56 rows"
        assert page.locator("#overview").is_visible()


def test_a_click_opens_a_row_and_back_returns(browser: Browser, failing: Path) -> None:
    with opened(browser, failing) as seen:
        page = seen.page
        page.locator(".read a", has_text=BROKEN).first.click()
        assert page.url.endswith(f"#row-{BROKEN}")
        said = page.locator("#page").inner_text()
        for part in (
            "wrong-sibling: refunds-first-party@2026-01#1 stands at 1 in the context",
            "how many days do I have from delivery",
            "RIVAL: near miss",
            "GOLD 2",
            "the window's edge: not seen below",
            "Baseline",
            "c1 ✓ supported",
            "I do not have information about that",
        ):
            assert part in said, part
        assert page.locator("#overview").is_hidden()
        page.go_back()
        assert page.locator("#overview").is_visible()
        page.locator("#rows tbody td", has_text="boundary").first.click()
        assert "#row-" in page.url
        assert seen.noise == seen.asked == []


def test_a_claim_leads_to_the_words_it_rests_on(browser: Browser, failing: Path) -> None:
    with opened(browser, failing, "#row-delivery-time-marketplace") as seen:
        page = seen.page
        page.get_by_role("button", name="rests on passage").last.click()
        chosen = page.locator("mark.chosen")
        assert chosen.count() == 1
        quote = page.locator(".claims blockquote").last.inner_text()
        assert chosen.inner_text() == quote
        box = chosen.bounding_box()
        assert box is not None
        assert 0 < box["y"] < 720


def test_a_point_of_the_plot_opens_its_row(browser: Browser, failing: Path) -> None:
    with opened(browser, failing) as seen:
        assert seen.page.locator("a.point").count() == 45
        seen.page.locator("a.point:has(.m-broke)").first.click()
        assert "#row-" in seen.page.url
        assert "broke" in seen.page.locator(".row-head").inner_text()


def test_the_keys_go_through_rows_open_filter_and_go_back(browser: Browser, failing: Path) -> None:
    with opened(browser, failing) as seen:
        page, press = seen.page, seen.page.keyboard.press
        press("j")
        press("j")
        press("ArrowDown")
        press("k")
        chosen = page.locator("#rows [aria-current] a").inner_text()
        assert chosen == rows_of(page)[1]
        press("Enter")
        assert page.locator("#page h1").inner_text() == chosen
        press("j")
        assert page.locator("#page h1").inner_text() == rows_of_hidden(page)[2]
        press("Escape")
        assert page.locator("#overview").is_visible()
        press("/")
        page.keyboard.type("express")
        assert rows_of(page) == ["express-marketplace-until"]
        press("Escape")
        press("?")
        assert "Enter" in page.locator("#keys").inner_text()
        press("j")
        press("Enter")
        assert page.url.endswith("#row-express-marketplace-until")


def rows_of_hidden(page: Page) -> list[str]:
    return page.locator("#rows tbody a.id").all_text_contents()


def test_dark_is_the_systems_or_ones_own(browser: Browser, failing: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    with opened(browser, failing, color_scheme="light") as seen:
        light = seen.page.evaluate(ground)
    with opened(browser, failing, color_scheme="dark") as seen:
        dark = seen.page.evaluate(ground)
        assert dark != light
        seen.page.click("#theme")
        assert seen.page.evaluate(ground) == light
        seen.page.keyboard.press("t")
        assert seen.page.evaluate(ground) == dark
        assert seen.page.locator("#theme").inner_text() == "Theme: dark"


@pytest.mark.parametrize("fragment", ["", f"#row-{BROKEN}", "#row-delivery-time-marketplace"])
def test_a_phone_scrolls_one_way(browser: Browser, failing: Path, fragment: str) -> None:
    with opened(browser, failing, fragment, **PHONE) as seen:
        assert sideways(seen.page) == 0


def test_no_table_is_cut_on_a_phone(browser: Browser, failing: Path) -> None:
    with opened(browser, failing, **PHONE) as seen:
        seen.page.locator("details summary", has_text="other metrics").click()
        widths = seen.page.locator(".scroll").evaluate_all(
            "all => all.map((one) => [one.ariaLabel, one.scrollWidth - one.clientWidth])"
        )
        assert len(widths) > 5
        assert [name for name, beyond in widths if beyond > 0] == []
        first = seen.page.locator(".means td.mean").first
        kind = first.evaluate("one => getComputedStyle(one, '::before').content")
        assert kind == '"happy-path"', "a number without its column says nothing"


def test_it_prints_its_main_tables_and_no_controls(browser: Browser, failing: Path) -> None:
    with opened(browser, failing, color_scheme="dark") as seen:
        assert seen.page.pdf(format="A4").startswith(b"%PDF")
        seen.page.emulate_media(media="print")
        ink = seen.page.evaluate("getComputedStyle(document.body).color")
        assert ink == "rgb(0, 0, 0)", "the paper is white, whatever the screen was"
        for part in ("#theme", "#all", "#keys-button"):
            assert seen.page.locator(part).is_hidden()
        for part in ("#verdict", ".read", "#gates", ".means >> nth=0"):
            assert seen.page.locator(part).first.is_visible()


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param({"color_scheme": "light"}, id="light"),
        pytest.param({"color_scheme": "dark"}, id="dark"),
        pytest.param(PHONE, id="phone"),
    ],
)
def test_it_can_be_used_by_everybody(browser: Browser, failing: Path, shown: Any) -> None:
    with opened(browser, failing, **shown) as seen:
        assert violations(seen.page) == []
        seen.page.goto(seen.page.url + f"#row-{BROKEN}")
        assert seen.page.locator("#page h1").is_visible()
        assert violations(seen.page) == []


def test_without_scripts_the_main_tables_are_read(browser: Browser, failing: Path) -> None:
    with opened(browser, failing, java_script_enabled=False) as seen:
        said = seen.page.locator("main").inner_text()
        for part in (
            "Failed",
            "Broke: 6 of 56 rows",
            BROKEN,
            "rivals stay below the evidence",
            "0 → 1",
        ):
            assert part in said
        assert "Scripts are off" in said
        assert "context_recall" in said
        assert seen.page.locator("#filters").is_hidden()
        assert seen.page.locator("#theme").is_hidden()


def test_nothing_hostile_runs(browser: Browser, hostile: Path) -> None:
    with opened(browser, hostile, **PHONE) as seen:
        page = seen.page
        assert sideways(page) == 0
        many = page.evaluate("JSON.parse(document.getElementById('data-index').textContent).rows")
        for number, row in enumerate(many):
            page.evaluate(
                "(key) => { location.hash = `#row-${encodeURIComponent(key)}`; }", row["i"]
            )
            expect(page.locator("#page h1")).to_have_text(row["i"])
            for button in page.locator("#page button.whole").all()[:3] if number == 0 else []:
                button.click()
            assert sideways(page) == 0, row["i"]
            assert page.locator("main img, main iframe, main form:not(#filters)").count() == 0
            assert page.locator("main script, main link, main style, main base").count() == 0
        links = page.eval_on_selector_all("a", "(all) => all.map((a) => a.getAttribute('href'))")
        assert all(link.startswith("#") for link in links)
        assert page.evaluate("window.__ran") is None
        assert seen.asked == []
        assert seen.noise == []


def test_a_script_that_got_in_all_the_same_would_not_run(browser: Browser, failing: Path) -> None:
    """The policy is the second wall: it holds even where escaping did not."""
    page = failing.read_text(encoding="utf-8")
    attacked = failing.with_name("attacked.html")
    injected = "<script>window.__ran = true</script><img src=x onerror='window.__ran = true'>"
    attacked.write_text(page.replace("<main", f"{injected}<main", 1), encoding="utf-8")
    with opened(browser, attacked) as seen:
        assert seen.page.evaluate("window.__ran") is None
        assert seen.page.locator("#found").inner_text() == "56 rows", "its own script runs"
        assert len([said for said in seen.noise if "Content Security Policy" in said]) >= 2
        assert seen.asked == []


def test_every_sort_of_row_has_a_page(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(html_of(odd_report()), encoding="utf-8")
    said = {
        "twice": "attempt 2 of 2: fail",
        "raised": "error: no route",
        "open": "form is unresolved: timed out",
        "empty": "(empty)",
        "nothing": "Nothing was fetched.",
        "gone": "The dataset has this row no more.",
    }
    for key, words in said.items():
        with opened(browser, file, f"#row-{key}") as seen:
            assert words in seen.page.locator("#page").inner_text()
            assert seen.noise == seen.asked == []
    with opened(browser, file, "#row-unknown%E0%A4%A") as seen:
        assert seen.page.locator("#overview").is_visible()
        assert seen.noise == []


def test_a_command_to_type_names_the_row_and_runs_nothing_else(
    browser: Browser, tmp_path: Path
) -> None:
    ids = ["plain-1", "it's $(reboot); `reboot`", "--help", "a  b", "w" * 200]
    report = replace(report_of([row(id) for id in ids]), ref="my runs/0002")
    file = tmp_path / "report.html"
    file.write_text(html_of(report), encoding="utf-8")
    with opened(browser, file) as seen:
        for id_ in ids:
            key = id_ if len(id_) <= 120 else f"{id_[:120]}~{len(ids)}"
            seen.page.evaluate("(key) => { location.hash = `#row-${key}`; }", quote(key))
            expect(seen.page.locator("#page h1")).to_have_text(key)
            said = seen.page.locator("#page pre").last.inner_text()
            wanted = [word for word in shlex.split(said) if word != "--"]
            assert wanted == ["evalrag", "show", "my runs/0002", id_]


def test_many_rows_are_drawn_fifty_at_a_time(browser: Browser, tmp_path: Path) -> None:
    rows = [row(f"r-{n:03d}", split="holdout" if n % 2 else "dev") for n in range(250)]
    file = tmp_path / "report.html"
    fail = {f"r-{n:03d}": broken(rows[n]) for n in range(30)}
    file.write_text(html_of(report_of(rows, fail)), encoding="utf-8")
    with opened(browser, file) as seen:
        page = seen.page
        assert violations(page) == []
        assert page.locator(".broke .read > li:visible").count() == 6
        assert page.locator(".broke summary").inner_text() == "24 rows more"
        page.get_by_text("All rows that broke").click()
        assert page.locator("#found").inner_text() == "30 of 250 rows"
        page.click("#filter-reset")
        expect(page.locator("#found")).to_have_text("250 rows")
        assert len(rows_of(page)) == 50
        page.click("#more")
        assert len(rows_of(page)) == 100
        assert page.locator("#more").inner_text() == "Show more (150 left)"
        for _ in range(3):
            page.click("#more")
        assert page.locator("#more").is_hidden()
        page.select_option("#filter-split", "holdout")
        assert page.locator("#found").inner_text() == "125 of 250 rows"


def test_evidence_is_marked_where_it_stands_however_it_is_written(
    browser: Browser, tmp_path: Path
) -> None:
    quote = "It's paid - in 30 days - to the same card, and not to another one."
    golden = row("q", gold=[{"quote": quote}])
    whole = passage(
        "w-1", f"Before. It\u2019s  **paid** \u2013 in 30\ndays \u2013 {quote[25:]} After."
    )
    first = passage("f-1", "Before. It's paid - in 30 days - to the same")
    second = passage("s-1", "card, and not to another one. After.")
    other = passage("o-1", "Nothing of the kind is paid here.")
    candidates = [whole, other, first, second]
    seen: Trace = {"candidates": candidates, "context": [whole, first, second], "answer": "So."}
    file = tmp_path / "report.html"
    report = report_of([golden], {"q": (seen, verdicts())}, baseline=False)
    file.write_text(html_of(report), encoding="utf-8")
    with opened(browser, file, "#row-q") as opened_:
        marks = opened_.page.locator("mark.gold").all_text_contents()
        assert marks == [
            f"It\u2019s  **paid** \u2013 in 30\ndays \u2013 {quote[25:]}",
            "It's paid - in 30 days - to the same",
            "card, and not to another one.",
        ]
        heads = opened_.page.locator(".passages .head").all_inner_texts()
        assert ["not in the context" in head for head in heads] == [False, True, False, False]
        assert opened_.noise == []
