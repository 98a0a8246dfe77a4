"""From a plan's path to everything that a run is made of. Nothing of the user's is called yet."""

import os
import shlex
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from evalrag.adapters.build import build_pipeline
from evalrag.adapters.pipeline import Pipeline
from evalrag.cli.judging import build_judge, decisions_of, refuse_unproven
from evalrag.cli.options import RUNS
from evalrag.cli.secrecy import keep, known
from evalrag.errors import PlanError, UsageError
from evalrag.execution.surroundings import Surroundings
from evalrag.judges.panel import Panel
from evalrag.judging.decided import Decisions
from evalrag.loading.dataset import Dataset, load_dataset
from evalrag.loading.plan import LoadedPlan, load_plan
from evalrag.loading.plans import plans_near
from evalrag.loading.show import relative
from evalrag.redaction import redactor
from evalrag.regression.default_gates import DEFAULTS
from evalrag.regression.plan_rules import plan_problems
from evalrag.schema.rows import ids_of
from evalrag.stores.runs import RunFolder

DEFAULT_PLAN = "evalrag.yaml"


@dataclass(frozen=True, slots=True)
class Setting:
    """A plan with its dataset, pipeline and judge, all of them ready."""

    loaded: LoadedPlan
    dataset: Dataset
    pipeline: Pipeline
    judge: Panel
    decisions: Decisions = field(default_factory=Decisions)
    surroundings: Surroundings = field(default_factory=Surroundings)

    @property
    def runs(self) -> RunFolder:
        return runs_of(self.loaded)

    @property
    def baseline(self) -> Path | None:
        plan = self.loaded.plan
        return self.loaded.resolve(plan.baseline.path) if plan.baseline else None


def today() -> str:
    """The day of the run (UTC); `SOURCE_DATE_EPOCH` sets it, as in reproducible builds.

    Raises:
        UsageError: it is set, and is no number of seconds.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "").strip()
    if not epoch:
        return datetime.now(UTC).date().isoformat()
    try:
        if not epoch.isascii() or not epoch.isdecimal():
            raise ValueError
        return datetime.fromtimestamp(int(epoch), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"SOURCE_DATE_EPOCH is {epoch[:40]!r}, which is no day",
            hint="set it to seconds since 1970, or unset it",
        ) from None


def quoted(path: Path | str) -> str:
    """A path as a shell takes it, in a command to type next."""
    return shlex.quote(str(path))


def plan_path(given: str | None) -> Path:
    """The plan that was named, or `evalrag.yaml` here."""
    if given is not None:
        return Path(given)
    if Path(DEFAULT_PLAN).is_file():
        return Path(DEFAULT_PLAN)
    raise UsageError(
        f"no plan was named, and there is no {DEFAULT_PLAN} here",
        hint=f"{plans_near(Path(DEFAULT_PLAN)) or 'name one: evalrag run PLAN; or '}"
        "make one here: evalrag init",
    )


def read_plan(path: Path) -> LoadedPlan:
    """Load a plan and hold its gates against the metrics that there are."""
    loaded = load_plan(path, os.environ)
    keep(loaded.secrets)
    problems = [loaded.problem(said, *where) for where, said in plan_problems(loaded.plan)]
    if loaded.plan.gates is None:
        known = {default.gate.name for default in DEFAULTS}
        problems += [
            loaded.problem(
                f"no default gate is called {waiver.gate!r}: {', '.join(sorted(known))}",
                "waivers",
                index,
                "gate",
            )
            for index, waiver in enumerate(loaded.plan.waivers)
            if waiver.gate not in known
        ]
    if problems:
        raise PlanError(problems, hint=f"mend the plan, then: evalrag check {quoted(path)}")
    return loaded


def prepare(path: Path) -> Setting:
    """Load, resolve and build everything that the plan names."""
    loaded = read_plan(path)
    dataset = load_dataset(
        loaded.resolve(loaded.plan.dataset.path),
        shown=relative(loaded.resolve(loaded.plan.dataset.path)),
    )
    _known_rows(loaded, dataset)
    _public_ids(dataset)
    file = loaded.resolve(loaded.plan.judge.decisions)
    decisions = decisions_of(file, shown=relative(file))
    surroundings = Surroundings()
    with surroundings.theirs():
        judge = build_judge(loaded)
    refuse_unproven(loaded, judge, today())
    with surroundings.theirs():
        pipeline = build_pipeline(loaded, dataset.digests.keys())
    return Setting(loaded, dataset, pipeline, judge, decisions, surroundings)


def _public_ids(dataset: Dataset) -> None:
    """A row is known by its id everywhere, so that it cannot be hidden in some places."""
    hide = redactor(known())
    for number, row in enumerate(ids_of(dataset.rows), 1):
        if hide(row) != row:
            raise UsageError(
                f"the id of row {number} holds the value of a secret environment variable",
                where=dataset.path,
                hint="give the row another id; a value that is no secret can stand in the plan "
                "itself, in the place of its ${NAME}",
            )


def _known_rows(loaded: LoadedPlan, dataset: Dataset) -> None:
    """A waiver of a row that is not there waives nothing: say so before it is relied upon."""
    plan = loaded.plan
    named = {
        "waivers": [waiver.row for waiver in plan.waivers],
        "quarantine": [entry.row for entry in plan.quarantine],
    }
    problems = [
        loaded.problem(f"the dataset has no row {row!r}", where, index, "row")
        for where, rows in named.items()
        for index, row in enumerate(rows)
        if row not in dataset.digests
    ]
    problems += [
        loaded.problem(
            f"row {entry.row!r} is retired and still in the dataset", "retired", index, "row"
        )
        for index, entry in enumerate(plan.retired)
        if entry.row in dataset.digests
    ]
    if problems:
        raise PlanError(problems, hint=f"mend the plan, then: evalrag check {quoted(loaded.file)}")


def runs_of(loaded: LoadedPlan) -> RunFolder:
    return RunFolder(Path(loaded.plan.runs or RUNS))
