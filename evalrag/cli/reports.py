"""A stored run as a report, and the files that a plan or a command wants it in."""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from evalrag.cli.output import check_output
from evalrag.cli.verdicts import Against, rows_of
from evalrag.errors import PlanError, PluginError, Problem, UsageError
from evalrag.loading.dataset import Dataset
from evalrag.loading.plan import LoadedPlan
from evalrag.reporters.build import (
    ALWAYS,
    ON_STDOUT,
    SUFFIXES,
    ToFile,
    for_file,
    reporter,
)
from evalrag.schema.report import Page, Report
from evalrag.schema.verdict import Verdict
from evalrag.stores.runs import StoredRun


def report_of(
    stored: StoredRun,
    against: Against,
    verdict: Verdict,
    *,
    ref: str,
    more: str,
    files: Sequence[ToFile] = (),
) -> Report:
    """Everything that a reporter may ask for. Dataset and texts are read only if one does."""

    @cache
    def dataset() -> Dataset | None:
        return rows_of(stored)[0]

    def lines() -> Mapping[str, int]:
        found = dataset()
        return found.lines if found is not None else {}

    def pages() -> Iterator[Page]:
        found, old = dataset(), against.run
        rows = {row.id: row for row in found.rows} if found is not None else {}
        before = {result.id: result for result in old.results} if old is not None else {}
        for result in stored.results:
            was = before.get(result.id)
            yield Page(
                result,
                stored.lines(result.id),
                rows.get(result.id),
                was,
                old.lines(result.id) if old is not None and was is not None else (),
            )

    paths = [one.path for one in files if one.path is not None]
    return Report(
        verdict,
        stored.record,
        ref,
        more,
        lines,
        pages,
        results=lambda: stored.briefs,
        artifact=kept_by(os.environ),
        files=(*paths, stored.path.as_posix()),
    )


def kept_by(environment: Mapping[str, str]) -> str:
    """Where a job of GitHub Actions leaves its reports; nothing anywhere else."""
    if environment.get("GITHUB_ACTIONS") != "true":
        return ""
    name = environment.get("GATE_NAME")
    return (
        f"artifact {name}-report of this workflow run" if name else "this workflow run's artifacts"
    )


def to_files(outputs: Sequence[str] | None, loaded: LoadedPlan | None = None) -> list[ToFile]:
    """The files of `--output` and of the plan, each with what draws it. Nothing is written yet.

    Raises:
        UsageError: `--output` names a file that no report ends in, or that cannot be written.
        PlanError: a report of the plan does not resolve, or has no file to go to.
    """
    found = [_asked(path) for path in outputs or ()]
    if loaded is not None:
        found += _planned(loaded)
    check_output([one.path for one in found if one.path is not None])
    return found


def _asked(path: str) -> ToFile:
    name = for_file(path)
    if name is None:
        known = ", ".join(suffix for suffix in SUFFIXES if suffix)
        raise UsageError(
            f"--output {path!r}: there is no report for {Path(path).suffix}",
            hint=f"end it in one of {known}; nothing is text",
        )
    return ToFile(path, reporter(name))


def _planned(loaded: LoadedPlan) -> Iterator[ToFile]:
    problems: list[Problem] = []
    for number, entry in enumerate(loaded.plan.reports):
        if entry.to is None and entry.use not in ON_STDOUT:
            said = f"write {{use: {entry.use}, to: FILE}}: it needs a file to go to"
            problems.append(loaded.problem(said, "reports", number))
            continue
        if entry.to is None and entry.use == ALWAYS:
            continue
        try:
            made = reporter(entry.use, entry.with_, paths=(loaded.folder, Path.cwd()))
        except PluginError as error:
            said = f"{error.message}" + f"; {error.hint}" * bool(error.hint)
            problems.append(loaded.problem(said, "reports", number, "use"))
            continue
        yield ToFile(entry.to, made)
    if problems:
        raise PlanError(problems, hint=f"mend the plan, then: evalrag check {loaded.file}")
