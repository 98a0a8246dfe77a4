"""`evalrag judge decide`: a person says what a claim, a fact or the form of an answer is."""

from typing import TYPE_CHECKING, Annotated

import typer

from evalrag.cli.options import RUNS, RunName, RunsFolder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalrag.errors import UsageError
    from evalrag.judging.ruling import Read, Thing
    from evalrag.loading.plan import LoadedPlan
    from evalrag.schema.decision import Decision
    from evalrag.schema.result import Attempt, RowResult
    from evalrag.schema.row import Row
    from evalrag.stores.runs import StoredRun


def decide(
    run: RunName,
    row: Annotated[str, typer.Argument(metavar="ROW", help="The row's id.")],
    claim: Annotated[
        int | None,
        typer.Option(envvar="EVALRAG_CLAIM", metavar="N", help="The claim, as show counts them."),
    ] = None,
    fact: Annotated[
        int | None,
        typer.Option(envvar="EVALRAG_FACT", metavar="N", help="The reference fact, as show does."),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            envvar="EVALRAG_LABEL",
            metavar="LABEL",
            help="Of a claim SUPPORTED, ABSENT or CONTRADICTED; of a fact STATED, MISSING or"
            " CONTRADICTED.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            envvar="EVALRAG_FORM",
            metavar="FORM",
            help="What the answer does: ANSWERED, QUALIFIED, DECLINED, CORRECTS or CLARIFIES.",
        ),
    ] = None,
    reason: Annotated[str, typer.Option(envvar="EVALRAG_REASON", help="Why; kept for ever.")] = "",
    by: Annotated[
        str | None,
        typer.Option(envvar="EVALRAG_BY", metavar="NAME", help="Who decides; git's user.name."),
    ] = None,
    attempt: Annotated[
        int | None,
        typer.Option(
            envvar="EVALRAG_ATTEMPT", metavar="N", help="Which attempt was read, if they differ."
        ),
    ] = None,
    plan: Annotated[
        str | None,
        typer.Option("--plan", envvar="EVALRAG_PLAN", help="The plan; the run's own by default."),
    ] = None,
    runs: RunsFolder = RUNS,
) -> None:
    """Decide what a judge could not, or got wrong, on ROW of RUN.

    A fact or a form holds in every later run until the question or the answer changes; a claim
    holds until the question or the passages of its context change. A later decision on the same
    thing wins. To take one back, remove its line from the file that is named.

    Example: evalrag judge decide latest near-miss-03 --claim 2 --label SUPPORTED --reason "..."
    """
    from evalrag.cli.output import say
    from evalrag.cli.prepare import plan_path, quoted, read_plan, today
    from evalrag.cli.secrecy import hide_lines
    from evalrag.cli.verdicts import open_run, ref_of, row_of
    from evalrag.errors import UsageError
    from evalrag.judging.ruling import Nothing, ruled
    from evalrag.loading.decisions import load_decisions
    from evalrag.loading.show import relative
    from evalrag.stores.decisions import keep

    thing = _thing(claim=claim, fact=fact, form=form, label=label)
    why = _reason(reason)
    stored = open_run(run, runs)
    ref = ref_of(stored, runs)
    result = row_of(stored, row, run=run)
    loaded = read_plan(plan_path(plan if plan is not None else stored.record.plan_path))
    path = loaded.resolve(loaded.plan.judge.decisions)
    load_decisions(path, shown=relative(path))  # a damaged file is found out before it is added to
    golden = _golden(loaded, result, stored)
    read, seen = _read(stored, golden, result, thing, attempt, ref=ref)
    try:
        made, before = ruled(
            thing,
            seen,
            read=read,
            row=result.id,
            reason=why,
            by=_person(by, loaded),
            on=today(),
        )
    except Nothing as error:
        raise UsageError(f"row {result.id!r}: {error}", hint=_show(ref, result.id)) from None
    keep(path, made, hide_lines())
    rescore = f"evalrag rescore {quoted(ref)}" + (f" --plan {quoted(plan)}" if plan else "")
    say(_told(made, thing, before, relative(path)) + f"\nnext: {rescore}")


def _thing(*, claim: int | None, fact: int | None, form: str | None, label: str | None) -> "Thing":
    """What is asked for on the command line.

    Raises:
        UsageError: none or several things, or a label that there is not.
    """
    from evalrag.judging.ruling import Thing
    from evalrag.schema.decision import CLAIM_LABELS, FACT_LABELS
    from evalrag.schema.words import Form

    if sum(one is not None for one in (claim, fact, form)) != 1:
        raise _wrong("decide one thing: a claim, a fact, or the form of the answer")
    if form is not None:
        if label is not None:
            raise _wrong("--label is for --claim and --fact; --form says the form itself")
        return Thing("form", 0, _word("form", form, tuple(Form)))
    name, number = ("claim", claim) if claim is not None else ("fact", fact)
    known = CLAIM_LABELS if name == "claim" else FACT_LABELS
    if label is None:
        raise _wrong(f"--{name} needs a --label: one of {', '.join(known)}")
    return Thing(name, number or 0, _word("label", label, known))


def _word(option: str, given: str, known: "Sequence[str]") -> str:
    from evalrag.loading.show import clean

    said = given.strip().upper()
    if said not in known:
        raise _wrong(f"--{option} {clean(given)!r} is not one of {', '.join(known)}")
    return said


def _wrong(message: str) -> "UsageError":
    from evalrag.errors import UsageError

    return UsageError(
        message,
        hint="evalrag judge decide RUN ROW, with --claim N --label LABEL, --fact N --label LABEL, "
        'or --form FORM, and --reason "..."',
    )


def _reason(given: str) -> str:
    if not given.strip(" .\n\t"):
        raise _wrong("say why: it is kept with the decision")
    return " ".join(given.split())


def _golden(loaded: "LoadedPlan", result: "RowResult", stored: "StoredRun") -> "Row":
    """The golden row, which asks today what it asked in the run.

    Raises:
        RunError: it is gone, or it asks something else now.
    """
    from evalrag.cli.prepare import quoted
    from evalrag.errors import RunError
    from evalrag.loading.dataset import load_dataset
    from evalrag.loading.show import relative

    file = loaded.resolve(loaded.plan.dataset.path)
    dataset = load_dataset(file, shown=relative(file))
    row = next((row for row in dataset.rows if row.id == result.id), None)
    if row is None:
        raise RunError(
            f"the dataset has no row {result.id!r} any more, so no later run could use this",
            where=dataset.path,
            hint=f"put the row back, or name its plan: --plan PLAN (it was {loaded.file})",
        )
    if dataset.asked[row.id] != result.asked:
        raise RunError(
            f"row {row.id!r} asks something else than it did in run {stored.record.id}",
            where=dataset.path,
            hint=f"evalrag run {quoted(loaded.file)} --row {quoted(row.id)}",
        )
    return row


def _read(
    stored: "StoredRun",
    row: "Row",
    result: "RowResult",
    thing: "Thing",
    attempt: int | None,
    *,
    ref: str,
) -> tuple["Read", "Attempt"]:
    """The attempt that was read, and its digests. Attempts that are alike need not be told apart.

    Raises:
        RunError: the run keeps no texts, or none of this row.
        UsageError: there is no such attempt, or several that differ.
    """
    from evalrag.cli.secrecy import hide_lines
    from evalrag.errors import RunError, UsageError
    from evalrag.judging.ruling import Read, counted
    from evalrag.schema.decision import answer_digest, context_digest

    attempts = result.attempts or (result,)
    traces = stored.traces(row.id) if stored.has_traces else None
    if traces is None or len(traces) != len(attempts):
        raise RunError(
            f"this run keeps no traces of row {row.id!r}, so nobody can know what was read",
            where=str(stored.path),
            hint="evalrag run PLAN",
        )
    redact = hide_lines()
    digests = [
        Read(
            answer=answer_digest(row, trace.get("answer", ""), redact=redact),
            context=context_digest(
                row, [passage.get("text", "") for passage in trace["context"]], redact=redact
            ),
        )
        for trace in traces
    ]
    if attempt is not None:
        if not 1 <= attempt <= len(attempts):
            raise UsageError(
                f"row {row.id!r} has no attempt {attempt}: it has {len(attempts)}",
                hint=_show(ref, row.id),
            )
        return digests[attempt - 1], attempts[attempt - 1]
    alike = {
        (read if thing.name == "claim" else read.answer, counted(thing, one))
        for read, one in zip(digests, attempts, strict=True)
    }
    if len(alike) > 1:
        raise UsageError(
            f"the {len(attempts)} attempts at row {row.id!r} differ: say which one was read",
            hint=f"add --attempt N, from 1 to {len(attempts)}, as {_show(ref, row.id)} counts",
        )
    return digests[0], attempts[0]


def _show(ref: str, row: str) -> str:
    from evalrag.regression.exits import quoted

    return f"evalrag show {quoted(ref)} {quoted(row)}"


def _person(given: str | None, loaded: "LoadedPlan") -> str:
    from evalrag.cli.person import person
    from evalrag.errors import UsageError

    found = person(given, loaded.folder)
    if found is None:
        raise UsageError("say who decides: git knows no user.name here", hint="add --by NAME")
    return found


def _told(made: "Decision", thing: "Thing", before: str, path: str) -> str:
    from evalrag.reporters.plain import safe

    text = made.claim if made.claim is not None else made.fact
    lines = [f"{safe(made.row)}, {thing}: {safe(before)} -> {thing.label}, by {safe(made.by)}"]
    if text is not None:
        lines.append(f"  {safe(text)}")
    lines.append(f"kept in {safe(path)}, which belongs in git")
    return "\n".join(lines)
