"""Every error evalrag raises on purpose.

EvalragError                 exit
├── UsageError                2    the command line asks for something that is not there
├── PlanError                 2    the plan file is wrong
├── DatasetError              2    the golden dataset (or a recorded output of it) is wrong
├── DecisionError             2    the file of people's decisions is wrong
├── PluginError               2    a name in the plan does not resolve, or its settings are wrong
├── RunError                  2    a stored run cannot be read
├── CacheError                2    the verdict cache cannot be read or cleared
├── BaselineError             4    no baseline, or one that cannot be compared
└── Interrupted             130    stopped before the end; what is done is kept

A pipeline or a judge that fails is not an error of evalrag: it is an outcome of a row.
"""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple


class Problem(NamedTuple):
    """One thing that is wrong in a file, and where."""

    file: str
    message: str
    line: int | None = None
    column: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        place = self.file
        if self.line is not None:
            place += f":{self.line}"
            if self.column is not None:
                place += f":{self.column}"
        field = f"{self.field}: " if self.field else ""
        return f"{place}: {field}{self.message}"


class EvalragError(Exception):
    """What is wrong, where, and what to do about it."""

    exit_code: ClassVar[int] = 70

    def __init__(self, message: str, *, hint: str, where: str | None = None) -> None:
        super().__init__(message)
        self.message, self.hint, self.where = message, hint, where

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.message}\nnext: {self.hint}"


class UsageError(EvalragError):
    exit_code = 2


class FileError(EvalragError):
    """A file with one or more problems, reported together and in file order."""

    exit_code = 2
    shown: ClassVar[int] = 50

    def __init__(self, problems: Sequence[Problem], *, hint: str) -> None:
        self.problems = tuple(problems)
        lines = [str(problem) for problem in self.problems[: self.shown]]
        if len(self.problems) > self.shown:
            lines.append(f"... and {len(self.problems) - self.shown} more problems")
        super().__init__("\n".join(lines), hint=hint)


class PlanError(FileError):
    """The plan file is wrong."""


class DatasetError(FileError):
    """The golden dataset, or a file of recorded outputs, is wrong."""


class DecisionError(FileError):
    """The file of people's decisions is wrong: one that is lost in silence could turn a gate."""


class PluginError(EvalragError):
    exit_code = 2


class RunError(EvalragError):
    exit_code = 2


class CacheError(EvalragError):
    exit_code = 2


class BaselineError(EvalragError):
    exit_code = 4


class Interrupted(EvalragError):
    exit_code = 130
