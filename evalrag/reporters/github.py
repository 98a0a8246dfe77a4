"""Workflow commands of GitHub Actions: an annotation a row, on its own line of the dataset.

A step shows ten errors and ten warnings and drops the rest without a word; so the most important
come first, and a last notice counts what is left out. Every command is one line that begins with a
word of ours, and whatever a row says is data in it, in which `%`, line ends, `:` and `,` are
written as codes: it cannot end the command or begin another.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from evalrag.regression.narrative import counted
from evalrag.reporters.as_json import word
from evalrag.reporters.findings import Finding, Weight, findings
from evalrag.reporters.plain import disarmed, safe
from evalrag.schema.report import Report

ROOM = 10
"""Annotations of a level that a step shows."""
_LINE = 1_000


class Github:
    name = "github"

    def __init__(self, workspace: str | None) -> None:
        """Files are named as seen from `workspace`, which is the checkout."""
        self._workspace = workspace

    def render(self, report: Report) -> str:
        file = inside(report.record.dataset.path, self._workspace)
        return "".join(f"{line}\n" for line in _commands(report, file))


def build(workspace: str | None = None) -> Github:
    return Github(workspace or os.environ.get("GITHUB_WORKSPACE") or None)


def inside(path: str, workspace: str | None) -> str:
    """A path as seen from `workspace`, or from the working directory; whole if it is outside."""
    root = Path(workspace or ".").resolve()
    found = Path(path).parent.resolve() / Path(path).name  # a link is named as it is checked in
    if found.is_relative_to(root):
        return found.relative_to(root).as_posix()
    return Path(path).as_posix()


def _commands(report: Report, file: str) -> Iterator[str]:
    lines, rest = report.lines(), {Weight.ERROR: 0, Weight.WARNING: 0}
    shown = dict.fromkeys(rest, 0)
    for group in _by_row(findings(report)):
        weight = group[0].weight
        if weight is Weight.NOTE:
            continue
        if shown[weight] == ROOM:
            rest[weight] += 1
            continue
        shown[weight] += 1
        place = {"file": file}
        line = lines.get(group[0].row or "")
        if line is not None:
            place["line"] = str(line)
        yield _command(weight.value, {**place, "title": _title(group)}, _said(group))
    more = [counted(n, weight.value) for weight, n in rest.items() if n]
    said = f"evalrag: {word(report.verdict.exit_code)} (exit {int(report.verdict.exit_code)})"
    if more:
        said += f"; {' and '.join(more)} more than a step can show"
    for command in report.verdict.next:
        said += f"\nnext: {safe(command, _LINE)}"
    yield _command("notice", {"title": f"evalrag {safe(report.record.plan, 100)}"}, said)


def _by_row(found: Sequence[Finding]) -> list[list[Finding]]:
    """What is said of one row in one weight stands together; of the run, each by itself."""
    groups: dict[object, list[Finding]] = {}
    for number, one in enumerate(found):
        key = (one.weight, one.row) if one.row is not None else number
        groups.setdefault(key, []).append(one)
    return [*groups.values()]


def _title(group: Sequence[Finding]) -> str:
    first = group[0]
    codes = ", ".join(dict.fromkeys(one.code for one in group))
    return f"{safe(first.row, 100)}: {codes}" if first.row is not None else codes


def _said(group: Sequence[Finding]) -> str:
    said = [safe(f"{f'gate {one.gate}: ' if one.gate else ''}{one.said}", _LINE) for one in group]
    looks = dict.fromkeys(safe(one.look, _LINE) for one in group if one.look)
    return "\n".join([*dict.fromkeys(said), *(f"look at: {look}" for look in looks)])


def _command(name: str, properties: Mapping[str, str], data: str) -> str:
    said = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    # The older form of a command is looked for in every line, so that codes do not hide it.
    return f"::{name} {disarmed(said)}::{disarmed(_data(data))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(safe(text, _LINE)).replace(":", "%3A").replace(",", "%2C")
