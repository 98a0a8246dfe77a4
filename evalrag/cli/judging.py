"""The plan's judge, made; and where its verdicts are kept."""

import contextlib
import os
import shlex
import sys
from collections.abc import Collection, Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from evalrag.cli.output import note
from evalrag.cli.secrecy import hide_lines, keep
from evalrag.errors import EvalragError, PluginError
from evalrag.judges.build import BUILTIN, GROUP
from evalrag.judges.given import PARTS, GivenJudge
from evalrag.judges.panel import Panel
from evalrag.judges.rubric import read_rubric
from evalrag.judging.calibration import unproven
from evalrag.judging.decided import Decisions
from evalrag.judging.families import family
from evalrag.judging.tasks import Example, Judge
from evalrag.loading.decisions import load_decisions
from evalrag.loading.labels import load_labels
from evalrag.loading.plan import LoadedPlan
from evalrag.loading.show import clean
from evalrag.plugins import resolve
from evalrag.redaction import environment_secrets, raised, redactor
from evalrag.regression.narrative import counted, names
from evalrag.schema.decision import Decision
from evalrag.schema.digest import digest
from evalrag.stores.calibrations import Calibrations

if TYPE_CHECKING:
    from evalrag.stores.verdict_cache import VerdictCache


def build_judge(loaded: LoadedPlan) -> Panel:
    """The plan's judge: what `use` names, made of its `with` where it is a class or a function.

    Raises:
        PluginError: it does not resolve, cannot be made, or is no judge.
    """
    plan = loaded.plan.judge
    examples, shown = _examples(loaded)
    with loaded.about("judge", "use"):
        made = _made(loaded)
    judge = Panel(made, votes=plan.votes, examples=examples, examples_digest=shown)
    if plan.require_other_family:
        _of_another_family(loaded, judge)
    return judge


def refuse_unproven(loaded: LoadedPlan, judge: Panel, day: str) -> None:
    """Hold the plan's `require_calibration` against the records that there are.

    Raises:
        PluginError: the judge has not shown on people's labels what the plan asks of it.
    """
    plan = loaded.plan.judge
    if plan.require_calibration is None:
        return
    record = Calibrations(loaded.resolve(plan.calibrations)).latest(digest(judge.fingerprint()))
    why = unproven(record, plan.require_calibration, day)
    if why is not None:
        raise PluginError(
            f"the judge {judge.name} is not proven: {why}",
            where=loaded.file,
            hint=f"evalrag judge calibrate {shlex.quote(loaded.file)} LABELS",
        )


def decisions_of(path: Path, *, shown: str) -> Decisions:
    """What people decided, as it is kept in a file.

    Raises:
        DecisionError: it is damaged.
    """
    return Decisions(load_decisions(path, shown=shown), redact=hide_lines())


def note_idle(decisions: Decisions, ran: Collection[str], known: Collection[str]) -> None:
    """Say on stderr which decisions had no effect: what they were about is open again."""
    idle = decisions.idle(ran, known)
    for found, why in (
        (idle.changed, "what they read has changed"),
        (idle.unused, "nothing asks for what they decide any more"),
    ):
        if found:
            note(f"{counted(len(found), 'decision')} did not apply ({why}): {names(_rows(found))}")


def _rows(decisions: Collection[Decision]) -> list[str]:
    return list(dict.fromkeys(clean(decision.row, 400) for decision in decisions))


def verdict_cache(judge: Panel, *, read: bool, day: str) -> "VerdictCache | None":
    """Where settled verdicts are kept; None for a judge that costs nothing to ask again."""
    if not judge.cached:
        return None
    from evalrag.stores.verdict_cache import VerdictCache

    return VerdictCache(read=read, redact=hide_lines(), day=date.fromisoformat(day))


@contextlib.contextmanager
def open_cache(cache: "VerdictCache | None") -> Iterator[None]:
    """Close the cache at the end, and say once what was wrong with it."""
    try:
        yield
    finally:
        if cache is not None:
            cache.close()
            if cache.problem:
                note(f"warning: {cache.problem}")


def generator_models(loaded: LoadedPlan) -> tuple[str, ...]:
    """The models that the plan says its pipeline generates with."""
    pipeline = loaded.plan.pipeline
    named = [pipeline.model, pipeline.generator.model if pipeline.generator else None]
    return tuple(model for model in named if model)


def _examples(loaded: LoadedPlan) -> tuple[dict[str, list[Example]], str | None]:
    """Other answers that people labelled, by question, and the digest of their file."""
    name = loaded.plan.judge.examples
    if name is None:
        return {}, None
    labels = load_labels(loaded.resolve(name), shown=name)
    found: dict[str, list[Example]] = {}
    for row in labels.rows:
        question = " ".join(row.question.split())
        found.setdefault(question, []).append(Example(row.answer, row.label.value))
    return found, labels.digest


def _made(loaded: LoadedPlan) -> Judge:
    use = loaded.plan.judge
    own = use.use not in BUILTIN
    given = dict(use.with_)
    rubric = given.get("rubric")
    if not own and isinstance(rubric, str) and rubric:
        given["rubric"] = str(loaded.resolve(rubric))
        if use.use != "offline":
            with loaded.about("judge", "with", "rubric"):
                read_rubric(loaded.resolve(rubric), shown=rubric)
    hint = "a judge has name, offers, fingerprint() and async ask(task)"
    if not own:
        hint = "see: evalrag explain judges"
    redact = redactor(loaded.secrets | environment_secrets(os.environ))
    with contextlib.redirect_stdout(sys.stderr):
        made = resolve(use.use, group=GROUP, builtins=BUILTIN, paths=(loaded.folder, Path.cwd()))
        try:
            if isinstance(made, type) or not hasattr(made, "ask"):
                made = made(**given)
            missing = [part for part in PARTS if not hasattr(made, part)]
            keep(getattr(made, "secrets", ()))
            if not missing and own:
                made = GivenJudge(made, limit=loaded.plan.run.timeout_s, redact=redact)
        except KeyboardInterrupt:
            raise
        except EvalragError:
            raise
        except BaseException as error:  # noqa: BLE001  the user's code may even exit
            said = raised(error, redact) if own else redact(str(error))
            raise PluginError(f"judge {use.use} cannot be made: {said}", hint=hint) from None
    if missing:
        raise PluginError(f"judge {use.use} has no {', '.join(missing)}", hint=hint)
    judge: Judge = made
    return judge


def _of_another_family(loaded: LoadedPlan, judge: Panel) -> None:
    models = generator_models(loaded)
    own = family(judge.model) if judge.model else None
    same = [model for model in models if own is not None and family(model) == own]
    if same or (judge.model and (own is None or not models or None in map(family, models))):
        why = (
            f"judge {judge.model} and generator {same[0]} are both of the family {own}"
            if same
            else "the family of judge or generator cannot be told from their names"
        )
        raise PluginError(
            f"{why}, and the plan says require_other_family",
            where=loaded.file,
            hint="name another judge model, name the generator's under pipeline.generator.model, "
            "or take require_other_family out",
        )
