"""A setting and its chosen rows made a job: the head of the run, and what scores it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from evalrag import __version__
from evalrag.adapters.fingerprint import pipeline_print
from evalrag.adapters.pipeline import Staged
from evalrag.cli.git import git_says
from evalrag.cli.prepare import Setting
from evalrag.execution.judged import Scorer
from evalrag.execution.observe import Pipeline
from evalrag.execution.probing import Probing, none_earlier
from evalrag.execution.session import Job
from evalrag.judges.build import judge_print
from evalrag.judges.desk import Cache
from evalrag.loading.corpus import read_corpus
from evalrag.loading.plan import LoadedPlan
from evalrag.loading.show import relative
from evalrag.metrics.table import SCORING_VERSION
from evalrag.regression.default_gates import with_defaults
from evalrag.regression.scoring import Scoring
from evalrag.regression.where import looked_at, named
from evalrag.schema.ask import Ask
from evalrag.schema.digest import digest
from evalrag.schema.plan import UNSEEN
from evalrag.schema.row import Row
from evalrag.schema.rows import Card, PlainRow, ids_of
from evalrag.schema.run import DatasetPrint, Reading, RunRecord, Selection
from evalrag.schema.trace import Passage
from evalrag.schema.words import Probe, Split
from evalrag.stores.calls import call_line, cost_of
from evalrag.stores.earlier import earlier_probes
from evalrag.stores.traces import timing_bytes, trace_bytes


def record_of(
    setting: Setting, rows: Sequence[Row], selection: Selection, *, run: str, day: str
) -> RunRecord:
    """The head of a new run, without totals."""
    plan, loaded = setting.loaded.plan, setting.loaded
    return RunRecord(
        id=run,
        day=day,
        tool=__version__,
        commit=commit_of(loaded.folder),
        scoring=SCORING_VERSION,
        plan=plan.name,
        plan_path=relative(loaded.path),
        plan_digest=loaded.digest,
        baseline=relative(setting.baseline) if setting.baseline else None,
        dataset=_dataset_print(setting, rows),
        pipeline=pipeline_print(loaded, setting.pipeline),
        generates=setting.pipeline.generates,
        judge=judge_print(setting.judge),
        reading=reading_of(loaded, day),
        selection=selection,
        repeats=plan.run.repeats,
        probes=plan.probes,
        thresholds=plan.thresholds,
        metrics=plan.metrics,
        gates=with_defaults(plan.gates) if plan.gates is not None else None,
        fail_on_loosened=plan.fail_on_loosened,
        allow_errors=plan.run.allow_errors,
        waivers=plan.waivers,
        quarantine=plan.quarantine,
        retired=plan.retired,
        decisions=setting.decisions.standing,
    )


def reading_of(loaded: LoadedPlan, day: str) -> Reading:
    plan = loaded.plan
    return Reading(
        quote_coverage=plan.quote_coverage,
        version_key=plan.corpus.version_key,
        superseded_when=plan.superseded_when,
        valid_until=plan.valid_until,
        day=day,
        top_k=plan.pipeline.top_k,
        context_k=plan.pipeline.context_k,
        context_chars=plan.pipeline.context_chars,
    )


def _dataset_print(setting: Setting, rows: Sequence[Row]) -> DatasetPrint:
    dataset = setting.dataset
    chosen = set(ids_of(rows))
    cards = dataset.rows.cards
    kinds: dict[str, int] = {}
    for card in cards:
        kinds[card.kind._value_] = kinds.get(card.kind._value_, 0) + 1
    gates = setting.loaded.plan.gates
    looked = with_defaults(gates if gates is not None else ("defaults",))
    return DatasetPrint(
        path=dataset.path,
        digest=dataset.digest,
        rows=len(cards),
        kinds=kinds,
        labels=dict(Counter(label for card in cards for label in card.labels)),
        holdout=tuple(card.id for card in cards if card.split is Split.HOLDOUT),
        left_out=tuple(card.id for card in cards if card.id not in chosen),
        gate_rows={gate.name: _looked_at(gate.where, cards, kinds) for gate in looked},
    )


def _looked_at(
    where: Mapping[str, Any], cards: Sequence[Card | PlainRow], kinds: Mapping[str, int]
) -> int:
    """How many rows a gate looks at; one that names no more than kinds takes their counts."""
    if not where:
        return len(cards)
    if where.keys() == {"kind"}:
        return sum(n for kind, n in kinds.items() if named(where["kind"], kind))
    return sum(map(looked_at(where), cards))


def job_of(
    setting: Setting, rows: Sequence[Row], record: RunRecord, *, cache: Cache | None = None
) -> Job:
    """The run, ready to be conducted."""
    plan, dataset = setting.loaded.plan, setting.dataset
    scoring = Scoring(
        reading=record.reading,
        thresholds=plan.thresholds,
        generates=record.generates,
        offers=frozenset(setting.judge.offers),
        judge=setting.judge.name,
        keep=frozenset(plan.metrics) if plan.metrics is not None else None,
    )
    corpus = _corpus(setting)
    return Job(
        rows=rows,
        record=record,
        scorer=Scorer(
            scoring=scoring,
            judge=setting.judge,
            digests=lambda row: (dataset.digests[row], dataset.asked[row]),
            corpus=corpus,
            cache=cache,
            decisions=setting.decisions,
        ),
        concurrency=plan.run.concurrency,
        trace_line=trace_bytes,
        timing_line=timing_bytes,
        call_line=call_line(setting.judge.price),
        cost_of=lambda heard: cost_of(heard, setting.judge.price),
        judge_calls=plan.judge.use != "offline",
        settings=_settings(setting.loaded),
    )


def _settings(loaded: LoadedPlan) -> str:
    """Digest of the plan as written, but for what cannot change a result."""
    shown = dict(loaded.shown)
    steering = shown.pop("run", None)
    if isinstance(steering, dict):
        kept = {key: value for key, value in steering.items() if key not in UNSEEN}
        shown |= {"run": kept} if kept else {}
    return digest(shown)


def _corpus(setting: Setting) -> Any:
    """How to read the corpus when a diagnosis first needs it; None where none is known."""
    plan = setting.loaded.plan.corpus
    if plan.path is None and setting.pipeline.corpus() is None:
        return None

    @cache
    def passages() -> Sequence[Passage]:
        return corpus_of(setting)

    return passages


def corpus_of(setting: Setting) -> Sequence[Passage]:
    """Every passage of the plan's corpus and of the retriever's own.

    A record of the plan's corpus without a span is a whole document, and spans all of it. The
    retriever's passages are what chunk ids name; where both files are one they are there once.
    """
    plan = setting.loaded.plan.corpus
    found: list[Passage] = []
    if plan.path is not None:
        path = setting.loaded.resolve(plan.path)
        shown = relative(path)
        for passage in read_corpus(path, fields=plan.fields, where=plan.where, shown=shown):
            if "span" not in passage:
                passage["span"] = (0, len(passage.get("text", "")))
            found.append(passage)
    seen = {passage.get("id") for passage in found}
    own: Iterable[Passage] = setting.pipeline.corpus() or ()
    return [*found, *(passage for passage in own if passage.get("id") not in seen)]


def commit_of(folder: Path) -> str | None:
    """The git commit that the plan stands in; None without git."""
    return git_says(folder, "rev-parse", "HEAD")


def probing(setting: Setting, job: Job, *, reuse: bool) -> Pipeline[Ask]:
    """The setting's pipeline, asked the plan's probes as well where it has any.

    The corpus is read here, where the oracle context will need it: what is wrong with it is better
    said before the first call. `reuse`: what an earlier run asked of the same stage is not asked
    again.
    """
    plan, pipeline = setting.loaded.plan, setting.pipeline
    if not plan.probes or not isinstance(pipeline, Staged):
        return pipeline
    corpus = job.scorer.corpus
    if corpus is not None and Probe.ORACLE_CONTEXT in plan.probes:
        corpus()
    digests = setting.dataset.digests
    earlier = earlier_probes(setting.runs, job.record, digests) if reuse else none_earlier
    return Probing(
        pipeline,
        plan.probes,
        rows={row.id: row for row in job.rows},
        reading=job.record.reading,
        corpus=corpus,
        earlier=earlier,
    )


def journal_head(job: Job, selection: Selection) -> dict[str, Any]:
    """What a journal says of its run, so that `--resume` needs nothing else."""
    return {
        "key": job.key(),
        "plan": job.record.plan_path,
        "day": job.record.day,
        "selection": selection.model_dump(mode="json"),
        "judge": digest(job.record.judge.details) if job.record.judge else None,
    }
