"""Every text of a report replaced, whatever field it stands in: no model checks what comes out."""

import dataclasses
import enum
import re
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from evalrag.schema.report import Page, Report

Made = Callable[[str], str]

_OURS = re.compile(
    r"record\.day|.*\.(outcomes|stages|reasons\.[^.]+|passages|evidence)\.KEY"
    r"|.*\.means\.(kind|origin)|(before_)?lines\.KEY|(before_)?lines\.(?!.*metadata).*\.KEY"
)
"""Words that are ours wherever they stand: keys of records, kinds, a day that is compared."""


def poisoned(report: Report, make: Made) -> Report:
    """The same report, in which `make` was called with every text."""

    def of(value: Any, path: str) -> Any:
        return _of(value, path, make)

    pages = [
        Page(
            of(page.result, "result"),
            of(page.lines, "lines"),
            of(page.row, "row"),
            of(page.before, "before"),
            of(page.before_lines, "before_lines"),
        )
        for page in report.pages()
    ]
    results = of(report.results(), "results")
    lines = {make(row): line for row, line in report.lines().items()}
    return dataclasses.replace(
        report,
        verdict=of(report.verdict, "verdict"),
        record=of(report.record, "record"),
        ref=make(report.ref),
        more=make(report.more),
        files=of(report.files, "files"),
        lines=lambda: lines,
        pages=lambda: iter(pages),
        results=lambda: results,
    )


def _of(value: Any, path: str, make: Made) -> Any:
    if isinstance(value, enum.Enum) or _OURS.fullmatch(path):
        return value
    if isinstance(value, str):
        return make(value)
    if isinstance(value, BaseModel):
        names = type(value).model_fields
        parts = {name: _of(getattr(value, name), f"{path}.{name}", make) for name in names}
        return type(value).model_construct(**parts)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [one.name for one in dataclasses.fields(value)]
        parts = {name: _of(getattr(value, name), f"{path}.{name}", make) for name in fields}
        return dataclasses.replace(value, **parts)
    if isinstance(value, dict):
        return {
            _of(key, f"{path}.KEY", make): _of(part, f"{path}.{key}", make)
            for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        return type(value)(_of(part, path, make) for part in value)
    return value
