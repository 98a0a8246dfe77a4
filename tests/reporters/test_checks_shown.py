"""Answer checks as a row's pages show them: each with what was found, hostile or not."""

from evalrag.reporters.drawing import draw
from evalrag.reporters.html.passages import Passages
from evalrag.reporters.html.side import Names, side
from evalrag.reporters.one_answer import answer_parts
from evalrag.schema.result import RowResult
from tests.builders import passage, result, row, trace, verdicts

LOUD = "<script>alert(1)</script> \x1b[31m 14 days"
GOLDEN = row("h", answer_contains=["30 days", ["free", "no charge"]], answer_excludes=["14 days"])


def found() -> RowResult:
    seen = trace(["h-gold"], answer=f"{LOUD}, no charge.")
    seen["candidates"] = seen["context"] = [passage("h-gold", "You have 30 days.")]
    return result(GOLDEN, (seen, verdicts()))


def test_the_terminal_says_of_each_check_whether_it_holds_and_what_stands_where() -> None:
    shown = draw(answer_parts(found()), width=100, color=False)

    lines = [line.strip() for line in shown.splitlines()]
    assert [line for line in lines if line.startswith(("FAILS", "holds"))] == [
        'FAILS says "30 days"',
        'holds says "free" or "no charge"',
        'FAILS never says "14 days"',
    ]
    assert "passage 1" in shown
    assert "\x1b" not in shown


def test_a_page_has_the_words_that_a_check_found_and_their_place() -> None:
    attempt = found()

    checks = side(attempt, {}, Passages(), Names())["ck"]

    assert [(check["h"], check["x"], check.get("q")) for check in checks] == [
        (0, 0, None),
        (1, 0, "no charge"),
        (0, 1, "14 days"),
    ]
    assert checks[0]["p"] == [1]
    at = checks[2]["at"]
    assert (attempt.answer or "")[at:].startswith("14 days")


def test_a_row_without_checks_has_none_on_its_page() -> None:
    plain = result(row("h"), (trace(["h-gold"], answer="30 days"), verdicts()))

    assert "ck" not in side(plain, {}, Passages(), Names())
    assert "checks" not in draw(answer_parts(plain), width=100, color=False)
