"""`evalrag check`: resolve everything that a plan names, run nothing, warn of what would bite."""

from typing import TYPE_CHECKING

import typer

from evalrag.cli.options import PlanPath

if TYPE_CHECKING:
    from evalrag.cli.prepare import Setting
    from evalrag.curation.readiness import Readiness
    from evalrag.schema.plan import PipelinePlan


def check(plan: PlanPath = None) -> None:
    """Open what PLAN names, run nothing, and warn of what would bite.

    Example: evalrag check configs/demo.yaml
    """
    from evalrag.adapters.reach import reached
    from evalrag.cli.output import say
    from evalrag.cli.prepare import plan_path, prepare, quoted
    from evalrag.regression.narrative import counted
    from evalrag.reporters.plain import safe

    path = plan_path(plan)
    setting = prepare(path)
    try:
        lines, readiness = _lines(setting)
        places = reached(setting.pipeline.hooks.values())
    finally:
        setting.pipeline.close()
    errors = list(readiness.errors)
    for one in places:
        if one.well:
            lines.append(f"ok: {safe(one.said, 1000)}")
        else:
            errors.append(one.said + f"; {one.hint}" * bool(one.hint))
    lines += [f"error: {safe(line, 1000)}" for line in errors]
    lines += [f"warning: {safe(line, 1000)}" for line in readiness.warnings]
    found = counted(len(errors), "error"), counted(len(readiness.warnings), "warning")
    lines.append(", ".join(found))
    verb = "mend the errors, then: evalrag check" if errors else "evalrag run"
    lines.append(f"next: {verb} {quoted(path)}")
    say("\n".join(lines))
    raise typer.Exit(2 if errors else 0)


def _lines(setting: "Setting") -> tuple[list[str], "Readiness"]:
    from evalrag.adapters.fingerprint import pipeline_print
    from evalrag.adapters.imports import unwatched
    from evalrag.cli.jobs import corpus_of, reading_of, record_of
    from evalrag.cli.prepare import today
    from evalrag.cli.reports import to_files
    from evalrag.cli.selecting import select
    from evalrag.cli.verdicts import baseline_at
    from evalrag.curation.readiness import readiness
    from evalrag.judging.tasks import by_rules
    from evalrag.regression.narrative import counted
    from evalrag.regression.verdict import installed
    from evalrag.reporters.plain import safe
    from evalrag.schema.run import Selection

    loaded, dataset = setting.loaded, setting.dataset
    plan = loaded.plan
    counts: dict[str, int] = {}
    for row in dataset.rows:
        counts[row.kind.value] = counts.get(row.kind.value, 0) + 1
    kinds = ", ".join(f"{n} {kind}" for kind, n in counts.items())
    pipeline = pipeline_print(loaded, setting.pipeline)
    does = "it answers" if setting.pipeline.generates else "it retrieves alone"
    lines = [
        f"ok: plan {safe(plan.name)}",
        f"ok: dataset {safe(dataset.path)}: {counted(len(dataset.rows), 'row')} ({kinds})",
        f"ok: pipeline: {safe(parts(plan.pipeline))}; {does}"
        + (f"; not known: {safe(', '.join(pipeline.unknown))}" if pipeline.unknown else ""),
        f"ok: judge {safe(setting.judge.name)} measures {', '.join(sorted(setting.judge.offers))}",
    ]
    if plan.probes:
        lines.append(f"ok: probes: {', '.join(plan.probes)}, each where a row calls for it")
    if setting.decisions:
        n, name = len(setting.decisions), safe(plan.judge.decisions)
        lines.append(f"ok: {n} verdict{'s' * (n != 1)} of people in {name}")
    lines += [
        f"ok: report {safe(one.reporter.name)} to {safe(one.path or 'stdout')}"
        for one in to_files(None, loaded)
    ]
    corpus = None
    if plan.corpus.path is not None or setting.pipeline.corpus() is not None:
        corpus = corpus_of(setting)
        lines.append(f"ok: corpus of {counted(len(corpus), 'passage')}")
    record = record_of(
        setting,
        select(setting, Selection(split=("dev", "holdout")), None),
        Selection(split=("dev", "holdout")),
        run="check",
        day=today(),
    )
    gates, missing = installed(record, ())
    lines.append(
        f"ok: {counted(len(gates), 'gate')}: {safe(', '.join(gate.name for gate in gates))}"
    )
    if setting.baseline is not None:
        against = baseline_at(record.baseline)
        said = f"ok: baseline {safe(record.baseline)}"
        if against.run is not None:
            said += f": {counted(len(against.run.results), 'row')}"
        else:
            said = f"note: {safe(against.why_none)}: accept a run to make it"
        lines.append(said)
    return lines, readiness(
        plan,
        dataset.rows,
        record=record,
        gates=gates,
        missing=missing,
        corpus=corpus,
        reading=reading_of(loaded, today()),
        texts_alone=_returns_texts(setting),
        offers=frozenset(setting.judge.offers),
        at=lambda row: f"{dataset.path}:{dataset.lines[row]}",
        unwatched=unwatched(loaded),
        rules=by_rules(setting.judge),
    )


def parts(plan: "PipelinePlan") -> str:
    """What is in the pipeline, so that nobody edits code that the plan does not use."""
    from evalrag.adapters.objects import code_of
    from evalrag.schema.words import Stage

    keys = {"retriever": plan.retriever, "generator": plan.generator, "rewriter": plan.rewriter}
    entries = {f"{key} ": entry for key, entry in keys.items() if entry is not None}
    said = []
    for key, entry in (entries or {"": plan.called[Stage.ANSWER]}).items():
        code = code_of(entry)
        named = entry.use if code in (None, entry.use) else f"{entry.use} ({code})"
        said.append(f"{key}{named}")
    return ", ".join(said)


def _returns_texts(setting: "Setting") -> bool:
    """The retriever says that it returns strings, which are texts and carry no ids."""
    hook = setting.pipeline.hooks.get("retrieve")
    annotation = getattr(getattr(hook, "function", None), "__annotations__", {}).get("return")
    return annotation is not None and "str" in str(annotation) and "dict" not in str(annotation)
