"""One run in which everything is hostile, through the command line and every reporter there is.

`HOSTILE.md` is written by `python -m tests.reporters.test_hostile_reports`, which needs Chromium.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import expect

from evalrag.reporters.build import BUILTIN, SUFFIXES, reporter
from evalrag.schema.report import Report
from evalrag.schema.verdict import ExitCode
from tests.reporters import cases, reading
from tests.reporters.browser import CHROMIUM, WHY_NOT, chromium, opened
from tests.reporters.hostile import HOSTILE, OBEYED
from tests.workspace import ROWS, Workspace

TABLE = Path(__file__).parent / "HOSTILE.md"
BOT = """
    import json
    from pathlib import Path

    SAID = json.loads((Path(__file__).parent / "hostile.json").read_text())

    def retrieve(question, row_id):
        number, text = SAID[row_id]
        if number % 3 == 0:
            raise RuntimeError(text)
        named = text[:200].encode("utf-8", "replace").decode() or "x"
        return [{"id": named, "doc": named, "text": text, "metadata": {"k": named}}]

    def generate(question, passages, row_id):
        number, text = SAID[row_id]
        return {"answer": text[:10_000], "citations": [passages[0]["id"]]}
"""
OTHERS = {
    "quiet": ["gate", "--no-baseline", "-q"],
    "full": ["gate", "--no-baseline", "--full"],
    "rows": ["show", "latest", "--full"],
    "row": ["show", "latest", "row 12", "--full"],
    "diff": ["diff", "latest", "--full"],
    "history": ["history", ".evalrag/runs", "--full"],
    "history as JSON": ["history", ".evalrag/runs", "--format", "json"],
}
"""Further commands that print what stands in a run."""
FILES = {name: suffix for suffix, name in SUFFIXES.items() if suffix not in ("", ".log")}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """What a run printed and wrote, by reporter; `stdout` is terminal and github together."""
    shop = Workspace(tmp_path_factory.mktemp("hostile"))
    rows, said = [], {}
    for number, text in enumerate(HOSTILE.values()):
        legal = text.isprintable() and text == text.strip() and len(text) < 500
        id = text if legal else f"row {number}"
        whole = text.encode("utf-8", "ignore").decode()
        said[id] = (number, text)
        row = {**ROWS[number % 6], "id": id, "question": whole, "note": whole[:999]}
        rows.append({**row, "tags": [whole[:99]], "reference_facts": [f"a fact {whole[:99]}"]})
    shop.write("hostile.json", json.dumps(said))
    shop.write("bot.py", BOT)
    shop.rows(rows)
    names = {  # YAML has no pairs of surrogates, as which JSON writes what is beyond 16 bits
        number: "".join(c for c in text[:200] if ord(c) < 0xD800 or 0xE000 <= ord(c) < 0x10000)
        for number, text in enumerate(HOSTILE.values())
    }
    gates = [
        {"name": f"{number} {name}", "metric": "context_recall", "must": {"at_least": 0.5},
         "where": {"id": [row["id"] for row in rows[number : number + 3]]}}
        for number, name in names.items()
    ]  # fmt: skip
    ids = [row["id"] for row in rows]
    for gate in gates:  # `$` begins a reference to the environment in a plan
        gate["name"] = str(gate["name"]).replace("$", "$$")
    waived = [
        {"row": ids[n].replace("$", "$$"), "gate": gates[n]["name"], "until": "2999-01-01",
         "reason": f"r {names[n]}".replace("$", "$$")}
        for n in (1, 4, 7)
    ]  # fmt: skip
    kept = [
        {"row": ids[n].replace("$", "$$"), "until": "2999-01-01", "owner": "ann",
         "reason": f"r {names[n]}".replace("$", "$$")}
        for n in (2, 5, 8)
    ]  # fmt: skip
    for gate in gates:
        gate["where"] = {"id": [id.replace("$", "$$") for id in gate["where"]["id"]]}  # type: ignore[index]
    files = [{"use": name, "to": f"out/{name}{suffix}"} for name, suffix in FILES.items()]
    shop.plan(
        gates=gates,
        waivers=waived,
        quarantine=kept,
        reports=["terminal", "github", *files, {"use": "github", "to": "out/github.txt"}],
    )
    plan = (shop.path / "plan.yaml").read_text()
    shop.write("plan.yaml", plan.replace('"shop"', '"<b>@plan</b> | `x` -->"'))
    done = shop.evalrag("run", "plan.yaml", "--no-baseline", timeout=120)
    assert done.code == 1, done.err[:2_000]
    found = {name: (shop.path / f"out/{name}{FILES.get(name, '.txt')}") for name in BUILTIN}
    written = {name: path.read_bytes().decode("utf-8") for name, path in found.items()}
    shop.evalrag("baseline", "accept", "latest", "--reason", "first")
    others = {name: shop.evalrag(*command) for name, command in OTHERS.items()}
    assert {name: one.code for name, one in others.items()} == dict.fromkeys(OTHERS, 0) | {
        "quiet": 1,
        "full": 1,
    }
    printed = {name: one.out + one.err for name, one in others.items()}
    return {**written, **printed, "stdout": done.out, "stderr": done.err}


@pytest.mark.parametrize("name", BUILTIN)
def test_every_report_is_read_as_what_it_is(outputs: Mapping[str, str], name: str) -> None:
    reading.READERS[name](outputs[name])


@pytest.mark.parametrize("name", [*BUILTIN, *OTHERS, "stdout", "stderr"])
def test_no_report_holds_what_a_terminal_obeys(outputs: Mapping[str, str], name: str) -> None:
    assert not {sign for sign in OBEYED if sign in outputs[name].replace("\r", "")}


def test_the_runner_obeys_the_commands_of_the_github_report_alone(
    outputs: Mapping[str, str],
) -> None:
    assert reading.commands(outputs["stdout"]) == reading.commands(outputs["github"])
    assert reading.commands(outputs["github"])
    for name in {*BUILTIN, *OTHERS, "stderr"} - {"github"}:
        assert not reading.commands(outputs[name]), name


def test_no_report_grows_with_a_word_of_1_mb(outputs: Mapping[str, str]) -> None:
    for name in set(BUILTIN) - {"html"}:
        assert "x" * 100_001 not in outputs[name], name
    assert len(outputs["markdown"]) <= 65_536


def test_the_reports_hold_rows_of_every_sort(outputs: Mapping[str, str]) -> None:
    """Else the rest of this file proves little."""
    tags = {one.tag for one in reading.junit(outputs["junit"]).iter()}
    assert {"failure", "error", "skipped"} <= tags
    levels = {one["level"] for one in reading.sarif(outputs["sarif"])["results"]}
    assert levels == {"error", "warning", "note"} or levels == {"error", "note"}


def reporting(*reasons: str) -> Report:
    """A verdict that says these and little else."""
    report = cases.undecided()
    verdict = report.verdict.model_copy(
        update={"exit_code": ExitCode.UNDECIDED, "reasons": reasons, "gates": (), "next": ()}
    )
    return replace(report, verdict=verdict, more="")


def said_by(name: str) -> list[str]:
    """Every string, as a reader of that format sees it in the reasons of a verdict."""
    if name == "html":
        return said_by_the_page()
    return [said(name, text) for text in HOSTILE.values()]


def said(name: str, text: str) -> str:
    drawn = reporter(name).render(reporting(text))
    found = reading.READERS[name](drawn)
    match name:
        case "terminal":
            lines = drawn.split("UNDECIDED (exit 3)\n")[1].splitlines()
            return "\n".join(line.removeprefix("  ") for line in lines)
        case "json":
            return str(found["reasons"][0])
        case "junit":
            (case, *_) = found.iter("testcase")
            return str(case[0].text).split("\n")[1]
        case "markdown":
            return found.items[0].replace("\u200b", "").strip()  # type: ignore[no-any-return]
        case "github":
            return found[0].data  # type: ignore[no-any-return]
        case "sarif":
            message = found["invocations"][0]["toolExecutionNotifications"][0]["message"]
            return str(message["text"])
    raise AssertionError(f"say how {name} is read here")


def said_by_the_page() -> list[str]:
    """One page with all of them, as a browser shows it, in which nothing runs or is asked for."""
    drawn = reporter("html").render(reporting(*HOSTILE.values()))
    reading.page(drawn)
    with TemporaryDirectory() as folder, chromium() as browser:
        file = Path(folder) / "report.html"
        file.write_text(drawn, encoding="utf-8")
        with opened(browser, file) as seen:
            shown = seen.page.locator(".reasons li").all_inner_texts()
            assert seen.noise == seen.asked == []
    assert len(shown) == len(HOSTILE)
    return shown


def became(text: str, said: str) -> str:
    """What a reader is left with of a text, in a few words."""
    if said == text:
        return "as it is"
    flat, line = " ".join(said.split()), " ".join(text.split())
    if flat.replace(" ", "") == line.replace(" ", ""):
        return "as it is, on one line" if "\n" not in said else "as it is, wrapped"
    if found := re.fullmatch(r"(.*) \.\.\. \(([\d,]+) characters left out\)", said, re.DOTALL):
        kept = found[1]
        assert text.startswith(kept), "a page says how much it leaves out"
        assert len(kept) + int(found[2].replace(",", "")) == len(text)
        return f"cut to {len(kept)} characters"
    if len(flat) < len(line) and flat.endswith("..."):
        return f"cut to {len(flat.replace(chr(32), ''))} characters"
    named = re.findall(r"\[U\+([0-9A-F]{4,6})\]", said)
    assert all(chr(int(code, 16)) in text for code in named), "a page gives a sign's own code"
    signs = len(named) or flat.count("\ufffd") - line.count("\ufffd")
    assert signs > 0, (text, said)
    return f"{signs} sign{'' if signs == 1 else 's'} replaced"


HEAD = """\
# What becomes of hostile text

Each string of `hostile.py` as the reason of a verdict, drawn by each reporter and read
back as its readers do: XML and JSON by a parser, Markdown as GitHub draws it, commands
as a runner decodes them, HTML as Chromium shows it, where nothing of it may run or ask
for anything. *As it is*: it reaches the eye whole, and as text. A sign that is replaced
stands as U+FFFD, in HTML as its code, such as `[U+202E]`: a terminal would obey it, an
eye would not see it, or it would begin a command.
Made by `python -m tests.reporters.test_hostile_reports`.
"""


def column(name: str) -> list[str]:
    return [
        became(text, shown) for text, shown in zip(HOSTILE.values(), said_by(name), strict=True)
    ]


def table() -> str:
    columns = [list(HOSTILE), *map(column, BUILTIN)]
    lines = ["", f"| | {' | '.join(BUILTIN)} |", f"|---|{'---|' * len(BUILTIN)}"]
    lines += [f"| {' | '.join(cells)} |" for cells in zip(*columns, strict=True)]
    return HEAD + "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", BUILTIN)
def test_what_becomes_of_each_string_is_written_down(name: str) -> None:
    if name == "html" and CHROMIUM is None:
        pytest.skip(WHY_NOT)
    head, names, _, *rows = TABLE.read_text(encoding="utf-8").removesuffix("\n").split("\n|")
    assert head == HEAD
    written = [row.strip("| ").split(" | ") for row in rows]
    place = names.strip("| ").split(" | ").index(name) + 1
    assert [row[0] for row in written] == list(HOSTILE)
    assert [row[place] for row in written] == column(name)


@pytest.mark.skipif(CHROMIUM is None, reason=WHY_NOT)
def test_nothing_of_the_hostile_run_runs_in_a_browser(
    outputs: Mapping[str, str], tmp_path: Path
) -> None:
    """The page, and the page of each of its rows."""
    file = tmp_path / "report.html"
    file.write_text(outputs["html"], encoding="utf-8")
    with chromium() as browser, opened(browser, file) as seen:
        index = "JSON.parse(document.getElementById('data-index').textContent).rows"
        for row in seen.page.evaluate(index):
            go = "(key) => { location.hash = `#row-${encodeURIComponent(key)}`; }"
            seen.page.evaluate(go, row["i"])
            expect(seen.page.locator("#page h1")).to_have_text(row["i"])
        assert seen.noise == seen.asked == []


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
