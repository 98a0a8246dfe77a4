"""A plan: YAML to schema, with every problem located in the file."""

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalrag.errors import PlanError, PluginError, Problem
from evalrag.loading.environment import Expanded, expand
from evalrag.loading.plain import problems_of
from evalrag.loading.plans import plans_near
from evalrag.loading.shape import Found, Tidy
from evalrag.loading.show import KeyPath, clean, closest, field_name, show, written_at
from evalrag.loading.yaml_positions import MAX_BYTES, Document, Place, YamlError, read
from evalrag.regression.default_gates import with_defaults
from evalrag.schema.digest import digest
from evalrag.schema.gate import Gate
from evalrag.schema.plan import Plan


@dataclass(frozen=True, slots=True)
class LoadedPlan:
    """A plan that is valid, with what is needed to say where things stand in it."""

    plan: Plan
    path: Path
    """Absolute."""
    shown: Mapping[str, Any]
    """The YAML as written: references to the environment are not filled in. May be stored."""
    digest: str
    """Of `shown`: the order of keys, comments and layout change nothing."""
    secrets: frozenset[str]
    """Values from the environment that must be redacted wherever text is stored or shown."""
    positions: Mapping[KeyPath, Place]
    """Key path -> line and column, from 1: of the key where there is one."""
    file: str = ""
    """The path as it was given, for problems; without it, the absolute one."""

    @property
    def folder(self) -> Path:
        """Inputs are relative to it."""
        return self.path.parent

    def resolve(self, relative: str) -> Path:
        """The path of an input that the plan names."""
        return self.folder / relative

    def place(self, *field: str | int) -> str:
        """File, line and column of a key path, for errors that are about what it names."""
        found = self.problem("", *field)
        place = (found.line, found.column) if found.line is not None else ()
        return ":".join(map(str, (found.file, *place)))

    @contextmanager
    def about(self, *field: str | int) -> Iterator[None]:
        """Give errors of a plug-in that say no place that of the key that names it."""
        try:
            yield
        except PluginError as error:
            error.where = error.where or self.place(*field)
            raise

    def problem(self, message: str, *field: str | int) -> Problem:
        """A problem at a key path, or at the nearest key above it that the file has."""
        return _problem(self.file or clean(str(self.path), 400), self.positions, message, field)


def load_plan(path: Path, environ: Mapping[str, str]) -> LoadedPlan:
    """Read and check a plan; references to the environment are filled in from `environ`.

    Raises:
        PlanError: with all problems of the file, in the order they stand in it.
    """
    name = clean(str(path), 400)
    document = _document(path, name)
    raw = document.value
    expanded = expand(raw, environ, document.plain)
    plan, found = _validated(raw, expanded)
    if plan is not None:
        found += [*_crossed(plan, raw), *_absent(plan, raw, path.absolute().parent)]
    problems = _problems(name, document, expanded, found)
    if plan is None or problems:
        raise PlanError(problems, hint=_hint(name))
    return LoadedPlan(
        plan=plan,
        path=path.absolute(),
        shown=raw,
        digest=digest(raw),
        secrets=frozenset(expanded.secrets),
        positions=document.places,
        file=name,
    )


def _problems(
    name: str, document: Document, expanded: Expanded, found: Iterable[Found]
) -> list[Problem]:
    """All that is wrong, in the order of the file; of a place, what was found out first."""
    problems: list[Problem] = []
    told: set[KeyPath] = set()
    for message, place, path in document.complaints:
        problems.append(Problem(name, message, *_both(place), field_name(path)))
        told.add(path)
    told.update(item.path for item in expanded.found)
    for item in found:
        if item.path not in told:
            problems.append(_problem(name, document.places, item.message, item.path))
    problems += [_problem(name, document.places, f.message, f.path) for f in expanded.found]
    return sorted(problems, key=lambda p: (p.line or 0, p.column or 0))


def _document(path: Path, name: str) -> Document:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise PlanError(
            [Problem(name, "there is no such file")],
            hint=f"{plans_near(path)}make one: evalrag init",
        ) from None
    except IsADirectoryError:
        raise _refusal(name, "this is a folder, not a plan") from None
    except OSError as error:
        raise _refusal(name, f"cannot be read: {error.strerror or error}") from None
    except ValueError:  # a null byte in the path
        raise _refusal(name, "this is not the name of a file") from None
    try:
        document = read(data)
    except YamlError as error:
        raise _refusal(name, error.message, error.place) from None
    if document.value is None:
        raise _refusal(name, "the plan is empty")
    if not isinstance(document.value, dict):
        raise _refusal(name, "a plan is a mapping: version, name, dataset, pipeline", (1, 1))
    return document


def _validated(raw: Any, expanded: Expanded) -> tuple[Plan | None, list[Found]]:
    """The plan, if the types allow one, and what is wrong."""
    tidy = Tidy(texts=expanded.texts, numbers=expanded.numbers, raw=raw)
    tidied = tidy.model(Plan, expanded.value)
    try:
        return Plan.model_validate(tidied), tidy.found
    except ValidationError as error:
        named = problems_of(Plan, raw, error, word="key", told=tidy.found, redact=expanded.redacted)
        return None, [_by_key(item) for item in named]


def _by_key(found: Found) -> Found:
    """A rule about the whole plan names its key first: `gates: two gates are called "a"`."""
    key, colon, message = found.message.partition(": ")
    return (
        Found((key,), message) if not found.path and colon and key in Plan.model_fields else found
    )


def _crossed(plan: Plan, raw: Any) -> Iterator[Found]:
    """Entries that contradict each other, or name what is not in the plan."""
    if plan.gates is not None:
        gates = {gate.name: gate.name for gate in with_defaults(plan.gates)}
        for i, gate in enumerate(plan.gates):
            if isinstance(gate, Gate):
                gates[gate.name] = str(written_at(raw, ("gates", i, "name")))
        for i, waiver in enumerate(plan.waivers):
            if waiver.gate not in gates:
                near = closest(waiver.gate, gates)
                where = ("waivers", i, "gate")
                said = f"no gate is called {show(written_at(raw, where))}"
                if near is not None:
                    said += f": did you mean {show(gates[near])}?"
                yield Found(where, said)
    yield from _stages(plan)
    named: dict[str, list[tuple[str, ...]]] = {
        "waivers": [(waiver.row, waiver.gate) for waiver in plan.waivers],
        "quarantine": [(entry.row,) for entry in plan.quarantine],
        "retired": [(entry.row,) for entry in plan.retired],
    }
    for key, entries in named.items():
        seen: dict[tuple[str, ...], int] = {}
        for i, entry in enumerate(entries):
            first = seen.setdefault(entry, i)
            if first < i:
                yield Found((key, i), f"{key}[{first}] says this already: keep one")


def _stages(plan: Plan) -> Iterator[Found]:
    """Settings of a stage that the plan does not call, or cannot call like that."""
    called = {stage.value: entry.use for stage, entry in plan.pipeline.called.items()}
    for key, stages in (
        ("stage_concurrency", plan.run.stage_concurrency),
        ("processes", plan.run.processes),
    ):
        for stage in stages:
            where = ("run", key, stage)
            if stage not in called:
                said = f"the plan does not call {show(stage)}: it calls {', '.join(called)}"
                yield Found(where, said)
            elif key == "processes" and ":" not in called[stage]:
                said = f"{show(called[stage])} runs in this process alone"
                yield Found(where, f"{said}: a package.module:attribute can run in others")


def _absent(plan: Plan, raw: Any, folder: Path) -> Iterator[Found]:
    """Files that the plan reads and that are not there."""
    for where, relative in (("dataset", plan.dataset.path), ("corpus", plan.corpus.path)):
        if relative is not None and not os.path.isfile(folder / relative):
            written = str(written_at(raw, (where, "path")))
            yield Found((where, "path"), f'there is no file "{clean(written, 200)}"')


def _problem(name: str, places: Mapping[KeyPath, Place], message: str, field: KeyPath) -> Problem:
    ends = range(len(field), -1, -1)
    place = next((places[field[:n]] for n in ends if field[:n] in places), None)
    return Problem(name, message, *_both(place), field_name(field))


def _both(place: Place | None) -> tuple[int | None, int | None]:
    return place if place is not None else (None, None)


def _refusal(name: str, message: str, place: Place | None = None) -> PlanError:
    return PlanError([Problem(name, message, *_both(place))], hint=_hint(name))


def _hint(name: str) -> str:
    return f"correct the plan, then: evalrag check {shlex.quote(name)}"
