"""SARIF 2.1.0: a rule a diagnosis, a result a row and gate, on the row's line of the dataset.

A result's fingerprint is of plan, row, gate and rule: the same alert from run to run, wherever in
the file the row stands. What the plan sets aside is there as suppressed.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from evalrag.regression.catalogue import CATALOGUE
from evalrag.reporters.as_json import word
from evalrag.reporters.findings import Finding, Weight, findings, meaning
from evalrag.reporters.github import inside
from evalrag.reporters.plain import disarmed_json, named, safe
from evalrag.schema.report import Report
from evalrag.schema.verdict import ExitCode

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOM = 5_000
"""Results that a file holds; the worst come first, and the rest is counted."""
_ROOT = "%SRCROOT%"
_TEXT, _NAME = 1_000, 200
_SET_ASIDE = ("waived", "quarantined")


class Sarif:
    name = "sarif"

    def __init__(self, workspace: str | None) -> None:
        """Files are named as seen from `workspace`, or from the working directory."""
        self._workspace = workspace

    def render(self, report: Report) -> str:
        body = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report, self._workspace)]}
        text = json.dumps(body, ensure_ascii=False, indent=2, allow_nan=False)
        return f"{disarmed_json(text)}\n"


def build(workspace: str | None = None) -> Sarif:
    import os

    return Sarif(workspace or os.environ.get("GITHUB_WORKSPACE") or None)


def _run(report: Report, workspace: str | None) -> dict[str, Any]:
    verdict, record = report.verdict, report.record
    found = findings(report)
    rules: dict[str, str] = {}
    for one in found:
        rules.setdefault(_id(one.code), one.code)
    ids = list(rules)
    file, lines = _artifact(record.dataset.path, workspace), report.lines()
    marks = _fingerprints(found, record.plan)
    return {
        "tool": {
            "driver": {
                "name": "evalrag",
                "version": named(record.tool, 100),
                "rules": [_rule(id, rules[id]) for id in ids],
            }
        },
        "automationDetails": {"id": f"evalrag/{safe(record.plan, 100)}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the checkout."}}},
        "invocations": [_invocation(report)],
        "results": [
            {
                "ruleId": _id(one.code),
                "ruleIndex": ids.index(_id(one.code)),
                "level": one.weight.value,
                "message": {"text": _said(one)},
                "locations": [_location(one, file, lines)],
                "partialFingerprints": {"primaryLocationLineHash": mark, "evalrag/v1": mark},
                "properties": _properties(one),
                **_suppressed(one),
            }
            for one, mark in zip(found[:ROOM], marks, strict=False)
        ],
        "properties": {
            "verdict": word(verdict.exit_code),
            "run": safe(verdict.run, _NAME),
            "baseline": None if verdict.baseline is None else safe(verdict.baseline, _NAME),
            "leftOut": max(0, len(found) - ROOM),
        },
    }


def _id(code: str) -> str:
    return named(code, 100)


def _rule(id: str, code: str) -> dict[str, Any]:
    page, said = CATALOGUE.get(code), meaning(code)
    help = f"{said}\n\nLook at: {page.look}.\nTry: {page.change}." if page else said
    return {
        "id": id,
        "shortDescription": {"text": said.split(". ")[0].rstrip(".") + "."},
        "fullDescription": {"text": said},
        "help": {"text": f"{help}\n\nevalrag explain {id}" if page else help},
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["rag", "regression"]},
    }


def _invocation(report: Report) -> dict[str, Any]:
    """Whether it could be measured, not whether it passed: a failed gate is a result."""
    code = report.verdict.exit_code
    measured = code in (ExitCode.PASSED, ExitCode.FAILED)
    notes = [] if measured else report.verdict.reasons
    return {
        "executionSuccessful": measured,
        "exitCode": int(code),
        "toolExecutionNotifications": [
            {"level": "error", "message": {"text": named(reason, _TEXT)}} for reason in notes
        ],
    }


def _artifact(path: str, workspace: str | None) -> dict[str, str]:
    """Relative to the checkout, where it is inside of it."""
    name = inside(path, workspace)
    if Path(name).is_absolute():
        return {"uri": Path(name).as_uri()}
    return {"uri": quote(name.encode("utf-8", "replace"), safe="/"), "uriBaseId": _ROOT}


def _location(one: Finding, file: Mapping[str, str], lines: Mapping[str, int]) -> dict[str, Any]:
    """The row's line; the first where it has none, since a result without a line is not shown."""
    line = lines.get(one.row, 1) if one.row is not None else 1
    place = {"artifactLocation": dict(file), "region": {"startLine": line}}
    if one.row is None:
        return {"physicalLocation": place}
    name = {"name": named(one.row, _NAME), "kind": "object"}
    return {"physicalLocation": place, "logicalLocations": [name]}


def _said(one: Finding) -> str:
    """Text in which no bracket is read as a link."""
    parts = [f"Row {one.row}: " if one.row is not None else ""]
    parts.append(f"gate {one.gate}: " if one.gate else "")
    parts.append(one.said)
    parts.append(f". Look at: {one.look}" if one.look else "")
    said = named("".join(parts), _TEXT)
    # The standard draws [words](address) in a plain message as a link; a backslash forbids it.
    return said.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _properties(one: Finding) -> dict[str, str]:
    named = {"row": one.row, "kind": one.kind, "gate": one.gate}
    return {name: safe(value, _NAME) for name, value in named.items() if value is not None}


def _suppressed(one: Finding) -> dict[str, Any]:
    if one.code not in _SET_ASIDE or one.weight is not Weight.NOTE:
        return {}
    said = {"kind": "external", "status": "accepted", "justification": named(one.said, _TEXT)}
    return {"suppressions": [said]}


def _fingerprints(found: Sequence[Finding], plan: str) -> list[str]:
    """One each, of what does not change from run to run."""
    marks, seen = [], Counter[str]()
    for one in found:
        parts = [plan, one.row, one.gate, one.code, one.said if one.code == "loosened" else None]
        key = json.dumps(parts)
        seen[key] += 1
        digest = hashlib.sha256(f"{key}{seen[key]}".encode()).hexdigest()[:32]
        marks.append(digest)
    return marks
