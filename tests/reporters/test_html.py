"""The HTML report as text: what stands in it without a browser, and what never does."""

import hashlib
import json
import re
from base64 import b64encode

import pytest

from evalrag.reporters.html import overview
from evalrag.reporters.html.escaping import cut, fragment, script_json, visible
from evalrag.reporters.html.plot import plot
from evalrag.reporters.html.rows import gather
from evalrag.schema.diff import Mean
from tests.builders import good, passage, row, trace, verdicts
from tests.reporters.html_made import broken, hostile_report, html_of, report_of
from tests.workspace import Workspace

ROWS = [row("a-1"), row("b-2", "near-miss"), row("c-3", "multi-hop"), row("d-4", "unanswerable")]


def data(page: str, name: str) -> list[object]:
    found = re.search(rf'<script type="application/json" id="data-{name}">(.*?)</script>', page)
    assert found is not None
    made: list[object] = json.loads(found[1])
    return made


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("a\u202eb", "a[U+202E]b", id="bidi"),
        pytest.param("a\u200bb\ufeff", "a[U+200B]b[U+FEFF]", id="zero-width"),
        pytest.param("\x1b[31m\x9b", "[U+001B][31m[U+009B]", id="controls"),
        pytest.param("\ud800", "[U+D800]", id="half-a-pair"),
        pytest.param("\U000e0041", "[U+E0041]", id="tag"),
        pytest.param("\ufdd0\U0001ffff", "[U+FDD0][U+1FFFF]", id="no-character"),
        pytest.param("a\U0001d173b", "a[U+1D173]b", id="signs-of-music"),
        pytest.param("a\u200db", "a[U+200D]b", id="joiner-in-ascii"),
        pytest.param("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e", id="persian"),
        pytest.param("two\r\nlines\tand tab", "two\nlines\tand tab", id="windows"),
        pytest.param("caf\u00e9 \U0001f600", "caf\u00e9 \U0001f600", id="letters"),
    ],
)
def test_what_cannot_be_seen_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert json.loads(script_json({text: text})) == {shown: shown}


@pytest.mark.parametrize(
    "text", ["</script>", "<!--", "]]>", "&lt;", "\u2028", "\\u003c", "\\\\r\\n"]
)
def test_no_text_leaves_its_script(text: str) -> None:
    made = script_json([text])
    assert not set(made) & set("<>&\u2028\u2029")
    assert json.loads(made) == [visible(text)]


def test_what_is_cut_is_counted() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 4) == "abcd ... (3 characters left out)"


def test_a_fragment_names_a_row_whatever_its_id() -> None:
    assert fragment('a"b <c>/d') == "#row-a%22b%20%3Cc%3E%2Fd"


def test_a_plan_and_a_file_name_ask_for_it(shop: Workspace) -> None:
    shop.plan(reports=[{"use": "html", "to": "out/by-plan.html", "with": {"max_mb": 1}}])
    shop.evalrag("run", "plan.yaml", "-o", "named.html")
    for name in ("out/by-plan.html", "named.html"):
        page = (shop.path / name).read_text(encoding="utf-8")
        assert page.startswith("<!doctype html>")
        assert "How long is the return window?" in page


def test_no_room_is_an_error_of_the_plan(shop: Workspace) -> None:
    shop.plan(reports=[{"use": "html", "to": "a.html", "with": {"max_mb": 0}}])
    done = shop.evalrag("run", "plan.yaml")
    assert done.code == 2
    assert "max_mb is not more than 0" in done.err


def test_the_policy_lets_its_own_style_and_script_run_and_no_other() -> None:
    page = html_of(report_of(ROWS))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    for tag in ("style", "script"):
        parts = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert len(parts) == 1
        digest = b64encode(hashlib.sha256(parts[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy[1]
    assert not re.search(r"""(?:src|href|action)=["']?(?:https?:)?//""", page)
    assert " style=" not in page
    assert " on" + "click=" not in page


def test_verdict_broken_rows_and_gates_stand_in_the_text() -> None:
    page = html_of(report_of(ROWS, {"a-1": broken(ROWS[0])}))
    for said in (
        "Failed",
        "exit code 1",
        "Broke: 1 of 4 rows",
        "evidence is retrieved",
        "Where to look",
    ):
        assert said in page
    assert '<a class="id" href="#row-a-1"><bdi>a-1</bdi></a>' in page
    before_scripts = page.split('<script type="application/json"')[0]
    assert before_scripts.index("exit code 1") < before_scripts.index("Broke: 1")
    assert before_scripts.index("Broke: 1") < before_scripts.index("Where to look")


def test_without_a_baseline_the_rows_that_do_not_pass_are_named() -> None:
    report = report_of(ROWS, {"a-1": broken(ROWS[0])}, baseline=False)
    lists = list(overview.to_read(report.verdict, {"a-1": ["retrieval"]}))
    (listed,) = lists
    (shown,) = listed.rows
    assert listed.title == "Did not pass"
    assert shown[:6] == ("a-1", "happy-path", "retrieval", "fail", "not-retrieved", False)
    assert shown.question == "What about a-1?"
    assert [told.name for told in shown.answers] == ["answer"]
    assert "no baseline" in html_of(report)


def test_rows_that_a_gate_failed_on_stand_first_and_say_where_to_look() -> None:
    rows = [*ROWS, row("u-5", "unanswerable")]
    invents = (trace(["x-1"], answer="claim 1"), verdicts("ANSWERED", "ABSENT"))
    report = report_of(rows, {"a-1": broken(rows[0]), "u-5": invents}, baseline=False)
    (listed,) = overview.to_read(report.verdict, {})
    assert [one.id for one in listed.rows] == ["u-5", "a-1"]
    look, rest = overview.look_and_rest(report.verdict)
    assert look == (
        "prompt, abstention, relevance threshold (invented on 1 of 1 row that failed a gate)"
    )
    assert rest == []


def test_a_row_that_is_no_more_is_listed_without_a_page() -> None:
    report = report_of(ROWS, {})
    gone = report_of(ROWS[:3], {})
    verdict = report.verdict.model_copy(update={"diff": report.verdict.diff})
    mixed = type(report)(verdict, report.record, "0002", "", pages=gone.pages)
    found = gather(mixed)
    assert [(entry.key, entry.page is None) for entry in found.entries][-1] == ("d-4", True)


def test_rows_that_read_alike_have_a_page_each() -> None:
    ids = ["[U+3164]", "[U+3164]~3", "\u3164", "w" * 200, f"{'w' * 120}~4"]
    found = gather(report_of([row(id) for id in ids]))
    keys = [entry.key for entry in found.entries]
    assert len(set(keys)) == len(ids)
    assert [found.keys[id] for id in ids] == keys


def test_a_text_that_many_rows_fetched_is_kept_once() -> None:
    shared = passage("shared-1", "the same words in every row")
    now = {}
    for golden in ROWS[:3]:
        seen, said = good(golden)
        candidates = [*seen["candidates"], shared]
        now[golden.id] = ({**seen, "candidates": candidates}, said)
    page = html_of(report_of(ROWS, now))  # type: ignore[arg-type]
    assert page.count("the same words in every row") == 1


def test_what_does_not_fit_is_left_out_by_rank_and_counted() -> None:
    long = "evidence " * 700
    rows = [row(f"r-{n:02d}") for n in range(40)]
    now = {}
    for golden in rows:
        seen = trace([f"{golden.id}-gold"], answer="An answer.")
        seen["candidates"][0]["text"] = f"{golden.id} {long}"
        now[golden.id] = (seen, verdicts())
    now["r-39"] = (broken(rows[39])[0], broken(rows[39])[1])
    page = html_of(report_of(rows, now), max_mb=0.05)
    left = data(page, "index")["left"]  # type: ignore[call-overload]
    assert left[1] > 20
    assert f"the texts of {left[1]} passages" in page
    pages = data(page, "pages-0")
    assert pages[39] is not None, "the row that broke is kept"
    assert left[0] == sum(one is None for one in pages)
    assert len(page.encode()) < 200_000


def test_a_run_without_traces_names_its_passages() -> None:
    page = html_of(report_of(ROWS, traces=False))
    assert data(page, "texts-0")[0] == ["a-1-gold"]


def test_points_stand_apart_each_in_its_cell_and_the_rest_is_counted() -> None:
    rows = [row(f"r-{n:03d}") for n in range(150)]
    drawn = plot(gather(report_of(rows, {"r-000": broken(rows[0])})).entries)
    assert drawn is not None
    by_title = {quadrant.title: quadrant for quadrant in drawn.quadrants}
    assert {title: q.rows for title, q in by_title.items()} == {
        "low recall, high faithfulness": 0,
        "high recall, high faithfulness": 149,
        "low recall, low faithfulness": 1,
        "high recall, low faithfulness": 0,
    }
    for quadrant in drawn.quadrants:
        places = {(point.x, point.y) for point in quadrant.points}
        assert len(places) == len(quadrant.points) == min(quadrant.rows, 120)
        for point in quadrant.points:
            assert quadrant.x < point.x < quadrant.x + quadrant.width
            assert quadrant.y < point.y < quadrant.y + quadrant.height
    assert by_title["low recall, low faithfulness"].points[0].mark == "broke"
    assert drawn == plot(gather(report_of(rows, {"r-000": broken(rows[0])})).entries)


@pytest.mark.parametrize(
    ("metric", "before", "after", "trend"),
    [
        pytest.param("context_recall", 0.5, 1.0, "better", id="up"),
        pytest.param("rival_first", 0.0, 0.5, "worse", id="down"),
        pytest.param("unjudged_share", 0.1, 0.2, "moved", id="neither"),
        pytest.param("context_recall", 0.5, 0.5, "", id="still"),
        pytest.param("my_own", 0.1, 0.2, "moved", id="own"),
    ],
)
def test_a_mean_says_which_way_it_went(
    metric: str, before: float, after: float, trend: str
) -> None:
    mean = Mean(
        metric=metric,
        kind="happy-path",
        origin="human",
        value=after,
        scored=8,
        eligible=10,
        not_applicable=0,
        unresolved=1,
        errored=1,
        before=before,
        after=after,
        paired=7,
    )
    cell = overview._cell(mean)
    assert cell is not None
    assert cell.trend == trend
    assert cell.of == "8 of 10 scored, 1 unresolved, 1 errored, 7 compared"


def test_hostile_text_stays_text() -> None:
    page = html_of(hostile_report())
    page.encode("utf-8")
    for bad in ("\x1b", "\x00", "\u202e", "\u200b", "\ufeff", "\u2028", "\x9b"):
        assert bad not in page
    assert "{{7*7}}" in page
    assert page.count("<script") == page.count('<script type="application/json"') + 1
    assert page.count("</script>") == page.count("<script")
    assert "<img" not in page
    assert "<iframe" not in page
    assert len(page.encode()) < 13_000_000
