"""Reports made by hand for the HTML reporter: of good rows, of broken ones, and of hostile text."""

from collections.abc import Iterator, Sequence
from typing import Any

from evalrag.reporters.html.document import build
from evalrag.schema.diff import RunDiff, Sentence, Topic
from evalrag.schema.gate import Gate, Rule
from evalrag.schema.report import Page, Report
from evalrag.schema.result import Claim, RowResult
from evalrag.schema.row import Row
from evalrag.schema.trace import Trace
from evalrag.schema.words import Label
from evalrag.stores.traces import trace_line
from tests.builders import Run, decide, good, passage, record, result, row, trace, verdicts

Attempts = dict[str, tuple[Trace, Any]]


def run_of(rows: Sequence[Row], attempts: Attempts, **fields: Any) -> Run:
    """A run over `rows`; those without an attempt of their own are right."""
    results = [result(golden, attempts.get(golden.id) or good(golden)) for golden in rows]
    return record(rows, **fields), results


def report_of(
    rows: Sequence[Row],
    now: Attempts | None = None,
    before: Attempts | None = None,
    *,
    baseline: bool = True,
    traces: bool = True,
    **fields: Any,
) -> Report:
    """The report of a run over `rows` against one with other attempts."""
    run = run_of(rows, now or {}, **fields)
    old = run_of(rows, before or {}, id="0001", **fields) if baseline else None
    verdict = decide(run, old)
    was = {one.id: one for one in old[1]} if old else {}

    def pages() -> Iterator[Page]:
        for golden, scored in zip(rows, run[1], strict=True):
            yield Page(
                scored,
                _lines(golden, now or {}) if traces else (),
                golden,
                was.get(golden.id),
                _lines(golden, before or {}) if traces and old else (),
            )

    return Report(verdict, run[0], "0002", "evalrag gate 0002 --full", pages=pages)


def _lines(golden: Row, attempts: Attempts) -> list[dict[str, Any]]:
    seen, _ = attempts.get(golden.id) or good(golden)
    return [trace_line(golden, 0, seen)]


def broken(golden: Row) -> tuple[Trace, Any]:
    """An attempt that fetched nothing of use, and says so in a claim that is not held."""
    seen = trace(["x-1", "x-2"], "x-3", answer="claim 1")
    return seen, verdicts("ANSWERED", "ABSENT")


def html_of(report: Report, **settings: Any) -> str:
    return build(**settings).render(report)


SHOUT = "window.__ran = true"
HOSTILE = (
    f"<script>{SHOUT}</script>",
    f"</script><script>{SHOUT}</script>",
    f'"><img src=x onerror="{SHOUT}">',
    f"' onmouseover='{SHOUT}' x='",
    f"<svg/onload={SHOUT}>",
    f"javascript:{SHOUT}",
    f"<a href=javascript:{SHOUT}>here</a>",
    "<!-- <script> -->",
    "]]> &lt;b&gt; &amp;",
    "{{7*7}} {% raw %} ${7*7} #{7*7}",
    "<iframe src=https://evil.example/></iframe><link rel=stylesheet href=//evil.example>",
    "<style>*{display:none}</style><base href=//evil.example>",
    "<form action=//evil.example><input name=q autofocus onfocus=alert(1)>",
    "\u202eolleh\u202c \u2066isolate\u2069 \u200bzero\ufeff width",
    "\x1b[31mred\x1b]0;title\x07\x1b]8;;http://x\x1b\\link \x00nul \x9b1m",
    "half \ud800 of a pair \udc00",
    "line\u2028and\u2029paragraph",
    "\u05d0\u05d1\u05d2 \u0627\u0644\u0639\u0631\u0628\u064a\u0629",
)
WHOLE = tuple(text for text in HOSTILE if text.isascii() or "\ud800" not in text)
"""Those that a model takes: pydantic refuses half of a surrogate pair, a trace may hold it."""
WORD = "w" * 1_000_000


def hostile_report() -> Report:
    """Every text that a page shows, hostile: ids, questions, passages, answers, claims, reasons."""
    everything = " ".join(HOSTILE)
    rows = [_hostile_row(place, text) for place, text in enumerate(WHOLE)]
    rows.append(row("word", question=WORD, gold=[{"quote": WORD}], tags=[WORD]))
    now = {golden.id: _hostile_attempt(everything) for golden in rows}
    report = report_of(rows, now, gates=[_gate(text) for text in WHOLE])
    verdict = report.verdict
    diff = RunDiff.model_construct(
        **{
            **dict(verdict.diff),
            "loosened": HOSTILE,
            "sentences": [
                Sentence(topic=topic, text=said, parts=(said, said))
                for topic in Topic
                for said in HOSTILE
            ],
            "notes": HOSTILE,
        }
    )
    loud = verdict.model_construct(
        **{
            **dict(verdict),
            "diff": diff,
            "head": (*HOSTILE, WORD),
            "reasons": HOSTILE,
            "next": HOSTILE,
            "run": everything,
            "baseline": everything,
        }
    )
    said = report.record.model_construct(**{**dict(report.record), "plan": everything})

    def pages() -> Iterator[Page]:
        for page in report.pages():
            yield Page(_loud(page.result), page.lines, page.row, page.result, page.lines)

    return Report(loud, said, everything, everything, pages=pages)


def _loud(scored: RowResult) -> RowResult:
    return scored.model_copy(update={"error": " ".join(HOSTILE), "answer": " ".join(HOSTILE)})


def _hostile_row(place: int, text: str) -> Row:
    id_ = text if text.isprintable() else f"row {place}"
    return row(
        id_,
        question=text,
        gold=[{"quote": text}],
        reference_answer=text,
        note=text,
        intent=text,
        tags=[text],
        history=[{"role": "user", "content": text}],
    )


def _hostile_attempt(text: str) -> tuple[Trace, Any]:
    found = [
        {**passage(f"{text} {place}", f"{one} {text}"), "metadata": {text: text}}
        for place, one in enumerate((*HOSTILE, WORD))
    ]
    seen: Trace = {"query": text, "candidates": found, "context": found[:3], "answer": text}  # type: ignore[typeddict-item]
    claims = tuple(
        Claim(id=one, text=one, label=Label.ABSENT, reason=one, quote=one, passages=(1,))
        for one in (*WHOLE, WORD[:5_000])
    )
    said = verdicts("ANSWERED", claims=claims, suspicious=WHOLE, guard=WHOLE)
    return seen, said


def _gate(text: str) -> Gate:
    return Gate(
        name=f"gate {text}",
        metric="context_recall",
        must=(Rule(must="at_least", value=0.5),),
    )


def odd_report() -> Report:
    """What is seldom: attempts that differ, an error, an undecided row, no answer, a row gone."""
    rows = [
        row("twice"),
        row("raised"),
        row("open"),
        row("empty"),
        row("nothing", "multi-hop"),
        row("gone"),
    ]
    failed: Trace = {"candidates": [], "context": [], "error": "no route", "error_stage": "answer"}
    seen, _ = good(rows[2])
    attempts: Attempts = {
        "raised": (failed, None),
        "open": (seen, verdicts("ANSWERED", "UNRESOLVED", unresolved={"form": "timed out"})),
        "empty": (trace(["empty-gold"], answer=""), verdicts(None)),
        "nothing": (trace([], answer="An answer."), verdicts()),
    }
    run, results = run_of(rows[:5], attempts)
    twice = result(rows[0], good(rows[0]), broken(rows[0]))
    results = [twice, *results[1:]]
    old = run_of(rows, {}, id="0001")
    was = {one.id: one for one in old[1]}

    def pages() -> Iterator[Page]:
        for golden, scored in zip(rows[:5], results, strict=True):
            lines = _lines(golden, attempts)
            if golden.id == "twice":
                lines = [*lines, trace_line(golden, 1, broken(golden)[0])]
            yield Page(scored, lines, golden, was[golden.id], _lines(golden, {}))

    return Report(decide((run, results), old), run, "0002", "more", pages=pages)
