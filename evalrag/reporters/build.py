"""The reporters that a plan or a command asks for, by name or by the end of a file's name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from evalrag.errors import PluginError
from evalrag.plugins import resolve
from evalrag.schema.report import Report

GROUP = "evalrag.reporters"
"""The entry-point group of reporters."""

BUILTIN: Mapping[str, str] = MappingProxyType(
    {
        "terminal": "evalrag.reporters.terminal:build",
        "json": "evalrag.reporters.as_json:build",
        "html": "evalrag.reporters.html.document:build",
        "junit": "evalrag.reporters.junit:build",
        "markdown": "evalrag.reporters.markdown:build",
        "github": "evalrag.reporters.github:build",
        "sarif": "evalrag.reporters.sarif:build",
    }
)
"""Called with the keys of `with`. Strings, so that nothing is imported before it is asked for."""

SUFFIXES: Mapping[str, str] = MappingProxyType(
    {
        ".html": "html",
        ".json": "json",
        ".txt": "terminal",
        ".log": "terminal",
        "": "terminal",
        ".xml": "junit",
        ".md": "markdown",
        ".sarif": "sarif",
    }
)
"""The end of a file's name -> the reporter that `--output` takes for it."""

ALWAYS = "terminal"
"""The reporter that prints whether or not a plan names it."""
ON_STDOUT = (ALWAYS, "github")
"""Reporters that a plan may name without a file."""


class Reporter(Protocol):
    """One format: a finished report in, text out."""

    @property
    def name(self) -> str: ...

    def render(self, report: Report) -> str:
        """The whole text. Everything in `report` is untrusted."""


@dataclass(frozen=True, slots=True)
class ToFile:
    """A report that is written to a file, or printed after the report on stdout."""

    path: str | None
    """None is stdout."""
    reporter: Reporter


def reporter(
    use: str, settings: Mapping[str, Any] = MappingProxyType({}), *, paths: Sequence[Path] = ()
) -> Reporter:
    """The reporter called `use`: a built-in, a plug-in, or `package.module:attribute`.

    A class or a function is called with `settings` and gives the reporter; an object is one.

    Raises:
        PluginError: It does not resolve, does not take `settings`, or has no `render`.
    """
    found = resolve(use, group=GROUP, builtins=BUILTIN, paths=paths)
    if not hasattr(found, "render") or isinstance(found, type):
        try:
            found = found(**settings)
        except PluginError:
            raise
        except Exception as error:
            raise PluginError(
                f"reporter {use} cannot be made: {type(error).__name__}: {error}",
                hint="it is called once with the keys of `with`, and gives an object with `render`",
            ) from error
    elif settings:
        raise PluginError(
            f"reporter {use} takes no `with`", hint="take `with` out, or name a class"
        )
    if not callable(getattr(found, "render", None)):
        raise PluginError(
            f"reporter {use} is a {type(found).__name__} without `render(report)`",
            hint="give it a method `render(self, report) -> str`",
        )
    return found  # type: ignore[no-any-return]


def for_file(path: str) -> str | None:
    """The reporter for a file, by the end of its name; None where there is none."""
    return SUFFIXES.get(Path(path).suffix)
