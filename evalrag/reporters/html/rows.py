"""The rows of a run as a page needs them: a short entry each to list, and all of it to open."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalrag.regression.exits import quoted
from evalrag.reporters.html.escaping import cut, script_json, visible
from evalrag.reporters.html.passages import Passages
from evalrag.reporters.html.side import ANSWER, NAME, SAID, Names, side
from evalrag.schema.answers import Wording
from evalrag.schema.diff import NO_ANSWERS, Change, RowChange
from evalrag.schema.evidence import Evidence
from evalrag.schema.report import Page, Report
from evalrag.schema.result import RowResult
from evalrag.schema.row import Row
from evalrag.schema.words import Outcome, Stage

QUESTION = 200
"""Characters of a question in a list."""
KEY = 120
"""Characters of a row's id; a longer one is cut and numbered."""
TYPED = 1_000
"""Characters of a row's id in a command."""
_QUIET = (Change.STILL_PASSING, Change.STILL_FAILING, Change.STILL_UNDECIDED)
_CHANGES = {change: place for place, change in enumerate(Change)}
_OUTCOMES = {Outcome.FAIL: 0, Outcome.ERROR: 1, Outcome.UNRESOLVED: 2, Outcome.PASS: 3}


@dataclass(slots=True)
class Entry:
    """One row: what is listed of it, and the JSON of its page."""

    key: str
    shown: dict[str, Any]
    rank: tuple[int, int]
    """Which rows are kept whole where room is short: the lowest first."""
    page: str | None
    passages: Sequence[int] = ()
    """Where its passages stand among all."""
    recall: float | None = None
    faithfulness: float | None = None


@dataclass(slots=True)
class Gathered:
    """Everything that the scripts of a page read."""

    entries: list[Entry] = field(default_factory=list)
    passages: Passages = field(default_factory=Passages)
    metrics: Names = field(default_factory=Names)
    keys: dict[str, str] = field(default_factory=dict)
    """Row id -> what its page is called."""
    taken: set[str] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)
    """Diagnoses and warnings that some row has."""


def gather(report: Report) -> Gathered:
    """Every row of the run, and every row that is no more, in one pass over the stored pages."""
    found = Gathered()
    diff = report.verdict.diff
    changes = {change.id: change for change in diff.changes}
    cells = {id_: cell.cell for cell in report.verdict.cells for id_ in cell.rows}
    for page in report.pages():
        id_ = page.result.id
        entry = _entry(page, changes.pop(id_, None), found, cells.get(id_))
        if diff.baseline is None:  # all of its rows are new: what they came to is what is told
            entry.shown["c"] = ""
        found.entries.append(entry)
    for change in changes.values():  # removed, or read by nobody
        found.entries.append(_gone(change, found))
    return found


def _key(id_: str, found: Gathered) -> str:
    whole, number = visible(id_), len(found.keys)
    key = whole if len(whole) <= KEY else ""
    while not key or key in found.taken:
        number += 1
        key = f"{whole[:KEY]}~{number}"
    found.keys[id_] = key
    found.taken.add(key)
    return key


def _typed(id_: str, key: str) -> dict[str, str]:
    """What a command has in the row's place, where that is not what its page is called."""
    word = quoted(id_)
    return {} if word == key else {"u": word if len(word) <= TYPED else "ROW"}


def _entry(page: Page, change: RowChange | None, found: Gathered, cell: str | None) -> Entry:
    result, row = page.result, page.row
    line = page.lines[0] if page.lines else {}
    question = line.get("question") or (row.question if row else "")
    key = _key(result.id, found)
    failing = [s.value for s, o in result.stages.items() if o is Outcome.FAIL]
    warnings = [finding.code for finding in result.warnings]
    found.codes.update(warnings, (finding.code for finding in result.diagnoses))
    tags = row.tags if row else ()
    shown: dict[str, Any] = {
        "i": key,
        "k": result.kind.value,
        "o": result.outcome.value,
        "d": result.diagnosis or result.empty or "",
        "q": cut(question, QUESTION),
        "f": failing,
        "w": warnings,
        "l": cell or "",
        "sp": str(result.about.get("split", "dev")),
        "or": str(result.about.get("origin", "human")),
        "t": cut(" ".join((str(result.about.get("intent", "")), *tags)).strip(), QUESTION),
        "x": int(result.flaky),
        **_typed(result.id, key),
    }
    shown |= _changed(change)
    if change is not None and change.answers is not NO_ANSWERS and change.compared:
        shown["a"] = int(change.answers_differ)
    body = _body(page, question, change, found)
    scores = result.scores
    return Entry(
        key,
        shown,
        _rank(change, result),
        script_json(body),
        found.passages.asked(),
        scores.get("context_recall"),
        scores.get("faithfulness"),
    )


def _changed(change: RowChange | None) -> dict[str, Any]:
    if change is None:
        return {"c": "", "b": "", "s": []}
    stages = [f"{s.value} {c.value}" for s, c in change.stages.items() if c not in _QUIET]
    return {
        "c": change.change.value,
        "b": change.before.value if change.before else "",
        "s": stages,
    }


def _rank(change: RowChange | None, result: RowResult) -> tuple[int, int]:
    changed = len(_CHANGES) if change is None else _CHANGES[change.change]
    return changed, _OUTCOMES.get(result.outcome, 3)


def _gone(change: RowChange, found: Gathered) -> Entry:
    shown: dict[str, Any] = {
        "i": _key(change.id, found),
        "k": change.kind.value,
        "o": change.after.value if change.after else "",
        "d": change.diagnosis_after or "",
        "q": cut(change.question, QUESTION),
        "f": [],
        "w": list(change.warnings),
        "l": "",
        "sp": "",
        "or": "",
        "t": "",
        "x": int(change.flaky),
    }
    shown |= _changed(change)
    return Entry(shown["i"], shown, (_CHANGES[change.change], 0), None)


def _body(page: Page, question: str, change: RowChange | None, found: Gathered) -> dict[str, Any]:
    """The row's page. What a file of the run does not say is left out of it."""
    result, before = page.result, page.before
    attempts = result.attempts or (result,)
    body: dict[str, Any] = {
        "q": cut(question, SAID),
        "now": [
            side(attempt, _line(page.lines, n), found.passages, found.metrics)
            for n, attempt in enumerate(attempts)
        ],
    }
    history = page.lines[0].get("history", ()) if page.lines else ()
    if history:
        body["h"] = [[turn["role"], cut(turn["content"], SAID)] for turn in history]
    if before is not None:
        first = before.attempts[0] if before.attempts else before
        was = side(first, _line(page.before_lines, 0), found.passages, found.metrics)
        was["o"] = before.outcome.value
        was["st"] = {s.value: o.value for s, o in before.stages.items() if o is not Outcome.NA}
        body["was"] = was
    if len(attempts) > 1:
        body["all"] = {
            "o": result.outcome.value,
            "st": {s.value: o.value for s, o in result.stages.items() if o is not Outcome.NA},
        }
    if change is not None and change.answers.words:
        body["w"] = [[_HOWS[p.how], cut(p.text, ANSWER)] for p in change.answers.words]
    if change is not None and change.note:
        body["n"] = cut(change.note, SAID)
    if page.row is not None:
        body["row"] = dict(_golden(page.row))
    return body


def _line(lines: Sequence[Mapping[str, Any]], place: int) -> Mapping[str, Any]:
    return lines[place] if place < len(lines) else {}


def _golden(row: Row) -> Iterator[tuple[str, Any]]:
    """What the dataset says of the row, without what is default."""
    for name in ("gold", "superseded", "near_miss", "acceptable"):
        evidences: Iterable[Evidence] = getattr(row, name)
        if evidences:
            yield name, [[cut(e.label(), NAME), _quotes(e)] for e in evidences]
    if row.reference_answer:
        yield "reference", cut(row.reference_answer, SAID)
    if row.reference_facts:
        yield "facts", [cut(" / ".join(fact), SAID) for fact in row.reference_facts]
    if row.standalone_question:
        yield "standalone", cut(row.standalone_question, SAID)
    if row.unanswerable_because:
        yield "because", row.unanswerable_because.value
    yield "expect", [form.value for form in row.expected_forms]
    for name in ("intent", "labelled_by", "reviewed_by", "labelled_on", "note"):
        said = getattr(row, name)
        if said:
            yield name, cut(str(said), NAME)
    if row.tags:
        yield "tags", cut(", ".join(row.tags), NAME)


def _quotes(evidence: Evidence) -> list[str]:
    return [cut(leaf.quote, SAID) for leaf in evidence.leaves() if leaf.quote]


_HOWS = {how: place for place, how in enumerate(Wording)}
STAGES = [stage.value for stage in Stage]
