"""The whole file: the page that stands without scripts, and the data that the scripts open."""

import hashlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evalrag.errors import PluginError
from evalrag.loading.collector import collector_paused
from evalrag.regression.catalogue import CATALOGUE
from evalrag.regression.exits import quoted
from evalrag.regression.narrative import counted
from evalrag.reporters.gates import counts_of
from evalrag.reporters.html import overview
from evalrag.reporters.html.escaping import cut, disarmed, fragment, script_json, visible
from evalrag.reporters.html.plot import HEIGHT, WIDTH, plot
from evalrag.reporters.html.rows import KEY, STAGES, Gathered, gather
from evalrag.reporters.summary import answers_changed
from evalrag.schema.diff import Change
from evalrag.schema.gate import GateStatus, RowStatus
from evalrag.schema.report import Report
from evalrag.schema.words import Mark

_MB = 1_000_000
_SHARE = 0.6
"""Of the room, what the rows' pages may take before the texts of passages."""
_PAGES, _TEXTS = 50, 200
"""Pages and texts of one block of data: what is parsed when one of them is opened."""
_STYLES = ("style.css", "row.css", "print.css")
_SCRIPTS = (
    "data.js",
    "marks.js",
    "table.js",
    "answer.js",
    "words.js",
    "passages.js",
    "row.js",
    "keys.js",
    "start.js",
)
_SHOWN, _READ_FIRST, _OF_A_GATE, _OF_A_CELL = 6, 200, 100, 60
"""Rows of a list: seen at once, and named at all; its other rows are counted."""


class Html:
    """`max_mb` bounds the rows' pages and texts: the rest is left out by rank, and counted."""

    name = "html"

    def __init__(self, max_mb: float) -> None:
        self._room = int(max_mb * _MB)

    def render(self, report: Report) -> str:
        with collector_paused():
            found = gather(report)
        kept = _keep(found, self._room)
        blocks = [
            ("index", script_json(_index(report, found, kept))),
            *_blocks("pages", kept.pages, _PAGES),
            *_blocks("texts", kept.texts, _TEXTS),
        ]
        data = [(name, Markup(text)) for name, text in blocks]
        template = _environment(found.keys).get_template("report.html.j2")
        return disarmed(template.render(**_said(report, found, kept), blocks=data, **_assets()))


def build(max_mb: float = 12.0) -> Html:
    """Raises: PluginError: there is no room at all."""
    if not max_mb > 0:
        raise PluginError("max_mb is not more than 0", hint="it is room for rows and texts")
    return Html(max_mb)


@dataclass(frozen=True, slots=True)
class _Kept:
    """Blocks as JSON; `null` where a row's page did not fit, a name alone where a text did not."""

    pages: Sequence[str]
    texts: Sequence[str]
    pages_left: int
    texts_left: int


def _keep(found: Gathered, room: int) -> _Kept:
    """What fits: pages of the rows that broke first, then texts of the same rows first."""
    ranked = sorted(range(len(found.entries)), key=lambda place: found.entries[place].rank)
    pages = ["null"] * len(found.entries)
    used = left = 0
    for place in ranked:
        page = found.entries[place].page
        if page is None:
            continue
        size = len(page.encode())
        if used + size > room * _SHARE:
            left += 1
            continue
        used += size
        pages[place] = page
    texts, dropped = _texts(found, ranked, room - used)
    return _Kept(pages, texts, left, dropped)


def _texts(found: Gathered, ranked: Sequence[int], room: int) -> tuple[list[str], int]:
    texts = [""] * len(found.passages)
    left = 0
    for entry in (found.entries[place] for place in ranked):
        for place in entry.passages:
            if texts[place]:
                continue
            text = found.passages.whole(place)
            size = len(text.encode())
            if size > room:
                left += 1
                text = found.passages.bare(place)
            else:
                room -= size
            texts[place] = text
    return texts, left


def _blocks(name: str, parts: Sequence[str], size: int) -> Iterator[tuple[str, str]]:
    for start in range(0, len(parts), size):
        yield f"{name}-{start // size}", f"[{','.join(parts[start : start + size])}]"


def _index(report: Report, found: Gathered, kept: _Kept) -> dict[str, Any]:
    codes = {code: CATALOGUE[code] for code in sorted(found.codes) if code in CATALOGUE}
    return {
        "rows": [entry.shown for entry in found.entries],
        "metrics": [[cut(name, KEY), overview.direction(name).value] for name in found.metrics],
        "codes": {code: [page.look, page.change] for code, page in codes.items()},
        "marks": [mark.value for mark in Mark],
        "changes": [change.value for change in Change],
        "stages": STAGES,
        "sizes": [_PAGES, _TEXTS],
        "ref": quoted(report.ref),
        "baseline": report.verdict.baseline is not None,
        "left": [kept.pages_left, kept.texts_left],
    }


def _said(report: Report, found: Gathered, kept: _Kept) -> dict[str, Any]:
    """What the templates draw."""
    verdict, record = report.verdict, report.record
    look, rest = overview.look_and_rest(verdict)
    failing = {id_: entry.shown["f"] for id_, entry in zip(found.keys, found.entries, strict=True)}
    kinds, stages = overview.tallies(verdict)
    return {
        "verdict": verdict,
        "record": record,
        "ref": quoted(report.ref),
        "more": report.more,
        "sign": overview.verdict_sign(verdict),
        "summary": overview.summary(verdict),
        "changed": overview.changed(verdict),
        "answers": answers_changed(verdict.diff),
        "lists": list(overview.to_read(verdict, failing)),
        "look": look,
        "paragraph": rest,
        "rows": counted(sum(sum(of.values()) for of in verdict.outcomes.values()), "row"),
        "gates": sorted(verdict.gates, key=lambda gate: _WORST.index(gate.status)),
        "loud": (RowStatus.FAILED, RowStatus.UNDECIDED, RowStatus.WAIVED),
        "quiet": ((RowStatus.HIDDEN, "ignored"), (RowStatus.NOT_COMPARED, "not compared")),
        "tables": list(overview.tables(verdict)),
        "kinds": kinds,
        "stages": stages,
        "ended": [outcome.value for outcome in overview.ENDED],
        "plot": plot(found.entries),
        "size": (WIDTH, HEIGHT),
        "left": (kept.pages_left, kept.texts_left),
        "most": {"shown": _SHOWN, "first": _READ_FIRST, "gate": _OF_A_GATE, "cell": _OF_A_CELL},
    }


def _environment(keys: Mapping[str, str]) -> Environment:
    """Everything is escaped, and shown where it cannot be seen: templates call no filter for it."""

    def link(id_: str) -> str:
        return fragment(keys.get(id_, visible(id_)))

    def name(id_: str) -> str:
        return keys.get(id_, cut(id_, KEY))

    functions: dict[str, Callable[..., Any]] = {
        "link": link,
        "name": name,
        "fragment": fragment,
        "counted": counted,
        "counts_of": counts_of,
        "gate_sign": overview.gate_sign,
    }
    made = Environment(
        loader=PackageLoader("evalrag.reporters.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(functions)
    return made


_WORST = (
    GateStatus.FAILED,
    GateStatus.UNDECIDED,
    GateStatus.NO_BASELINE,
    GateStatus.PASSED,
    GateStatus.NOT_EVALUATED,
)
_SENTENCE = 4_000
"""Characters of anything that a template prints."""


def _finalize(value: Any) -> Any:
    if type(value) is str:
        return visible(cut(value, _SENTENCE))
    return value


def _assets() -> dict[str, Markup]:
    """Style and script in one piece each, and the policy that lets these two run and no other."""
    style = "\n".join(_asset(name) for name in _STYLES)
    script = "(() => {\n'use strict';\n" + "\n".join(map(_asset, _SCRIPTS)) + "\n})();"
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types"
    )
    return {"style": Markup(style), "script": Markup(script), "policy": Markup(policy)}


def _asset(name: str) -> str:
    return files("evalrag.reporters.html").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
