"""Diagnoses that another evalrag found: they are named, and nothing breaks on them."""

from evalrag.regression.catalogue import CATALOGUE, entry
from evalrag.reporters.one_row import Shown, render
from evalrag.schema.result import Finding
from tests.builders import changed, decide, gate_of, good_run, row, run, trace, verdicts

ROWS = [row("h1"), row("h2")]
BASE = good_run(ROWS)
LOST = (trace(["x-1"], answer="I cannot find that."), verdicts("DECLINED"))
GONE = (Finding(code="gone-tomorrow", because="of something"),)


def test_a_known_code_has_its_page() -> None:
    assert all(entry(code) is page for code, page in CATALOGUE.items())


def test_a_row_with_a_code_that_is_not_known_is_gated_and_shown() -> None:
    results = [r.model_copy(update={"diagnoses": GONE}) for r in changed(BASE, ROWS, h1=LOST)]
    now = run(ROWS, results)

    verdict = decide(now, BASE)
    shown = render(Shown(results[0], now[0], (), None, BASE[1][0], "0002"))

    assert verdict.exit_code == 1
    assert verdict.diff.look is not None
    assert verdict.diff.look.code == "gone-tomorrow"
    assert gate_of(verdict, "evidence is retrieved").rows[0].look == "what the row shows"
    assert "gone-tomorrow: of something" in shown
    assert "upgrade evalrag" in shown
