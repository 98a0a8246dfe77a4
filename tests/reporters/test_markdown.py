"""Markdown as GitHub draws it: one comment a plan, what broke in a table, and data as text."""

import dataclasses
import html
import re
import shutil
from pathlib import Path

import pytest

from evalrag.cli.reports import kept_by
from evalrag.reporters.markdown import LIMIT, build, marker
from evalrag.reporters.markdown_text import fenced, text
from evalrag.schema.verdict import ExitCode
from tests.builders import changed, good_run, row, run
from tests.command import call
from tests.reporters import cases
from tests.reporters.reading import FOUND_BY_GITHUB, RAW, Page, commands, drawn, markdown

ROOT = Path(__file__).parents[2]
HOSTILE = (
    "| a | b |",
    "`code` ``x``",
    "**bold** _em_ ~~gone~~",
    "<script>alert(1)</script> <img src=x onerror=y>",
    "<!-- hidden --> -->",
    "[link](javascript:alert(1)) ![i](http://x/y.png)",
    "<http://x.example> http://x.example www.x.example a@x.example mailto:a@x.example",
    "@everyone #123 GH-12 org/repo#4",
    "# title",
    "- item",
    "1. item",
    "> quote",
    "--- ***",
    "&lt;b&gt; &#64;x &commat;x",
    "$a$ $$b$$",
    ":smile:",
    "a\n\n# b\r\n- c",
    "\\| \\` \\<b>",
)


@pytest.mark.parametrize("said", HOSTILE)
@pytest.mark.parametrize("place", ["{}", "- {}", "| a | b |\n| --- | --- |\n| {} | z |"])
def test_what_data_says_is_drawn_as_it_stands(said: str, place: str) -> None:
    page = Page(drawn(place.format(text(said))))

    assert set(page.tags) <= {"p", "span", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
    plain = page.said.replace("\u200b", "").strip()
    assert drawn(place.format(text(said)), 0).count(RAW) == 2 * len(page.spans)
    expected = " ".join(said.split())
    assert expected in (plain if "|" not in place else plain.split("\n"))


@pytest.mark.parametrize("said", HOSTILE)
def test_github_finds_no_name_number_or_address_in_the_drawn_text(said: str) -> None:
    assert not FOUND_BY_GITHUB.search(Page(drawn(text(said))).plain)


def test_a_fence_is_longer_than_any_in_it() -> None:
    lines = ["evalrag show 1 '````  a'", "x\n```\n# y"]
    page = Page(drawn("\n".join(fenced(lines))))
    assert set(page.tags) == {"pre", "code"}
    assert page.said.strip() == "evalrag show 1 '````  a'\nx\ufffd```\ufffd# y"


def test_a_command_to_type_is_none_to_a_server() -> None:
    lines = ["evalrag show 1 '##[error]x'", "::error::x"]
    assert not commands("\n".join(fenced(lines)))


@pytest.mark.parametrize("ending", cases.ENDINGS)
def test_the_verdict_is_said_first_behind_the_marker(ending: str) -> None:
    report = cases.ENDINGS[ending]()
    first, second, *_ = build().render(report).splitlines()

    assert first == "<!-- evalrag:plan -->"
    passed = report.verdict.exit_code is ExitCode.PASSED
    broke = ending == "set_aside"  # a row in quarantine did: it is seen at the first glance
    assert second.startswith("## ⚠️ passed, but a row broke" if broke else "## ✅ passed") == passed


def test_what_broke_stands_in_a_table_with_its_gates_and_where_to_look() -> None:
    said = build().render(cases.failed())

    assert "### Broke: 2 of 5 rows" in said
    assert (
        "| h2 | happy-path | retrieval pass → fail | not-retrieved | evidence is retrieved |"
        in said
    )
    assert "- **wrong-sibling** on 1 of 2 rows: look at reranker" in said
    assert said.count("look at") == 2, "once a diagnosis"
    assert said.index("### Broke") < said.index("### Gates") < said.index("### Kinds")
    assert "Whole report: out/report.html, .evalrag/runs/0002" in html.unescape(said).replace(
        "\\_", "_"
    )
    assert "\nevalrag gate 0002 --full\n```" in said


def test_a_failing_run_says_verdict_gates_rows_and_where_to_look_in_this_order(
    tmp_path: Path,
) -> None:
    for name in ("configs", "datasets"):
        shutil.copytree(ROOT / name, tmp_path / name)
    words = ["run", "configs/demo-halved-chunks.yaml", "--format", "markdown"]
    done = call(tmp_path, *words)
    assert done.code == 1, done.err
    page = markdown(done.out)
    assert (page.tags["del"], page.tags["ins"]) == (6, 6)
    said = " ".join(page.said.replace("\u200b", "").split())

    parts = (
        "❌ failed: demo-halved-chunks",
        "Changed in the pipeline: index (retriever.with.chunk_chars 1200 -> 600)",
        "gate failed: rivals stay below the evidence gate failed: answerable rows are answered",
        "Broke: 6 of 56 rows damage-marketplace-days: Within how many days of delivery",
        "then: Report a broken item within 2 days of delivery",
        "now: Report a broken item within 7 days of delivery",
        "row kind stage diagnosis gates",
        "marketplace-return-and-refund multi-hop ranking pass → fail wrong-sibling rivals stay "
        "below the evidence, answerable rows are answered",
        "wrong-sibling on 6 of 6 rows: look at reranker",
        "❌ failed rivals stay below the evidence rival_first not_rise 6 of 46 rows fail",
        "✅ passed evidence is retrieved context_recall not_drop holds on 46 rows",
        "evalrag show 0001 damage-marketplace-days",
    )
    places = [said.index(part) for part in parts]
    assert places == sorted(places)


def test_what_moved_stands_a_line_each_and_rows_of_a_gate_below_the_gates() -> None:
    items = markdown(build().render(cases.failed())).items

    assert "ranking broke on 1 of 1 near-miss" in items
    assert "rival_first near-miss 0.00 → 1.00 (n = 1)" in items
    assert "evidence is retrieved failed: h2" in items
    assert "rivals stay below the evidence failed: near" in items


def test_what_is_loosened_stands_before_what_broke() -> None:
    said = build().render(cases.set_aside())
    assert said.index("**Loosened since the baseline**") < said.index("### Broke")
    assert "| not-retrieved | evidence is retrieved (waived) |" in said
    assert "| wrong-sibling | in quarantine until 2999-01-01 (ann): moving |" in said
    assert "none holds it" not in said


@pytest.mark.parametrize("name", ["a plan", "x --> y", "p", "../p", "ü", "-"])
def test_a_marker_is_one_comment_and_of_one_plan(name: str) -> None:
    said = marker(name)
    assert re.fullmatch(r"<!-- evalrag:[A-Za-z0-9.]+(-[A-Za-z0-9.]+)* -->", said)
    others = {marker(other) for other in ("a-plan", "a_plan", "x y", "p", "u") if other != name}
    assert said not in others


def test_it_fits_a_comment_and_counts_what_is_cut() -> None:
    rows = [row(f"@{'|' * 180}{n}") for n in range(2_000)]
    base = good_run(rows)
    now = run(rows, changed(base, rows, **{one.id: cases.MISSED for one in rows}))
    report = cases.report_of(now, base)
    said = build().render(report)

    assert len(said) <= LIMIT
    assert "### Broke: 2000 of 2000 rows" in said
    shown = said.count("| happy-path | retrieval")
    assert shown >= 30
    assert f"\nand {2000 - shown} more\n" in said
    assert len(build(limit=1_000_000).render(report)) > LIMIT
    page = markdown(said)
    assert page.tags["tr"] == shown + 9, "four heads, four gates, one kind"
    (folded,) = re.findall(r"<summary>(\d+) rows more</summary>", said)
    assert int(folded) == shown - 20


def test_a_few_rows_are_not_folded_away() -> None:
    rows = [row(f"h{n}") for n in range(25)]
    base = good_run(rows)
    now = run(rows, changed(base, rows, **{one.id: cases.MISSED for one in rows}))
    said = build().render(cases.report_of(now, base))
    assert "rows more</summary>" not in said
    assert said.count("What about h") == 25
    assert said.count("<details>") == 1, "what the bot said, but for six rows"


def test_in_ci_the_artifact_is_named_and_no_run_of_a_machine_that_is_gone() -> None:
    report = dataclasses.replace(cases.failed(), artifact="artifact rag-report of this run")
    said = build().render(report)

    assert "Whole report: artifact rag-report of this run." in said
    assert "evalrag show" not in said
    assert "evalrag run PLAN" in said


@pytest.mark.parametrize(
    ("environment", "kept"),
    [
        ({}, ""),
        ({"GITHUB_ACTIONS": "false", "GATE_NAME": "rag"}, ""),
        ({"GITHUB_ACTIONS": "true", "GATE_NAME": "rag"}, "artifact rag-report of"),
        ({"GITHUB_ACTIONS": "true"}, "artifacts"),
    ],
)
def test_the_artifact_is_called_what_the_action_calls_it(
    environment: dict[str, str], kept: str
) -> None:
    found = kept_by(environment)
    assert kept in found
    assert bool(found) is bool(kept)


@pytest.mark.parametrize("ending", cases.ENDINGS)
def test_html_of_ours_alone_is_drawn(ending: str) -> None:
    assert markdown(build().render(cases.ENDINGS[ending]())).items
