"""What a reader has to know of the judge before believing its verdicts."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalrag.judging.families import family, no_model, pinned
from evalrag.regression.narrative import names
from evalrag.schema.brief import Result
from evalrag.schema.result import Verdicts
from evalrag.schema.run import RunRecord

_MOST = 3


def guard_notes(results: Sequence[Result]) -> Iterator[str]:
    """What the guard caught: the rows that it left open say so themselves."""
    verdicts = [(r.id, r.verdicts) for r in results if r.verdicts is not None]
    verdicts += [(r.id, p.verdicts) for r in results for p in r.probes.values() if p.verdicts]
    caught = dict.fromkeys(row for row, said in verdicts if said.guard)
    if caught:
        times = sum(len(said.guard) for _, said in verdicts)
        what = "1 verdict" if times == 1 else f"{times} verdicts"
        yield f"the guard held {what} against the words quoted: {names(caught)}"


def judging_notes(record: RunRecord, results: Sequence[Result]) -> Iterator[str]:
    """Families and pins of the models, and text that speaks to a judge."""
    judge = _model(record.judge.details if record.judge else {})
    generators = [name for name in generator_models(record.pipeline.shown) if not no_model(name)]
    if judge is not None:
        own = family(judge)
        same = [name for name in generators if own is not None and family(name) == own]
        if same:
            yield (
                f"the judge {judge} and the generator {same[0]} are of one model family ({own}): "
                "a judge favours its own; name another under judge.with.model"
            )
    for who, model in (("judge", judge), *(("generator", name) for name in generators)):
        if model is not None and not pinned(model):
            yield (
                f"the {who} model {model!r} is an alias that may be another model tomorrow; "
                "name a dated one where there is one"
            )
    unpinned = record.totals.get("judge_unpinned")
    if unpinned:
        yield f"not pinned, since the judge's model does not take it: {', '.join(unpinned)}"
    verdicts = [(r.id, r.verdicts) for r in results if r.verdicts is not None]
    yield from _unreached(verdicts)
    verdicts += [(r.id, p.verdicts) for r in results for p in r.probes.values() if p.verdicts]
    loud = dict.fromkeys(row for row, said in verdicts if said.suspicious)
    if loud:
        yield f"text that speaks to a judge, not to a reader, in {names(loud)}"
    settled = record.totals.get("decided")
    if settled:
        yield f"settled by people: {names(settled)}"


def drift(old: RunRecord, new: RunRecord) -> Iterator[str]:
    """The same judge was served by another model than in the baseline."""
    before, now = (record.totals.get("judge_models") for record in (old, new))
    same = old.judge is not None and new.judge is not None and old.judge.digest == new.judge.digest
    if same and before and now and before != now:
        yield (
            f"the judge drifted: {', '.join(before)} served it in the baseline, and "
            f"{', '.join(now)} now"
        )


def generator_models(shown: Mapping[str, Any]) -> list[str]:
    """The models that the plan names for its pipeline, but for those that the environment names."""
    generator = shown.get("generator")
    found = [shown.get("model"), generator.get("model") if isinstance(generator, dict) else None]
    return [name for name in found if isinstance(name, str) and "${" not in name]


def _model(details: Mapping[str, Any]) -> str | None:
    model = details.get("model")
    return model if isinstance(model, str) else None


def _unreached(verdicts: Sequence[tuple[str, Verdicts]]) -> Iterator[str]:
    """The commonest reasons for which whole tasks have no verdict, each once."""
    reasons = Counter(why for _, said in verdicts for why in set(said.unresolved.values()))
    shared = [(why, n) for why, n in reasons.most_common(_MOST) if n > 1]
    for why, n in shared:
        yield f"no verdict on {n} rows: {why}"
