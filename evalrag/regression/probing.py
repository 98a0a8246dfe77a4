"""Which probes a plan can do, a row calls for, and an earlier run has done already."""

from collections.abc import Sequence

from evalrag.evidence.assess import assess
from evalrag.judging.answer_checks import has_checks
from evalrag.judging.facts import facts_of
from evalrag.metrics.rival_first import rival_first
from evalrag.schema.plan import PipelinePlan, Use
from evalrag.schema.row import Row
from evalrag.schema.run import PipelinePrint, Reading, RunRecord
from evalrag.schema.score import Scored
from evalrag.schema.trace import Trace
from evalrag.schema.words import Probe, Stage

_BEFORE_CANDIDATES = (Stage.REWRITE.value, Stage.RETRIEVAL.value)
RECORDED = "recorded"


def cannot(probe: Probe, pipeline: PipelinePlan) -> str | None:
    """Why a plan cannot do a probe; None where it can."""
    if pipeline.use is not None:
        return (
            f"{probe} asks one stage alone, and the whole pipeline is one hook; give its "
            "retriever, rewriter and generator apart"
        )
    if probe is Probe.STANDALONE_QUESTION:
        if pipeline.rewriter is None:
            return f"{probe} is held against a rewritten query, and the plan has no rewriter"
        return _recorded("retriever", pipeline.retriever)
    if pipeline.generator is None:
        return f"{probe} asks the generator, and the plan has none"
    return _recorded("generator", pipeline.generator)


def _recorded(stage: str, entry: Use | None) -> str | None:
    if entry is None or entry.use != RECORDED:
        return None
    return f"the {stage} is recorded, and says the same whatever it is asked"


def wanted(row: Row, trace: Trace, probes: Sequence[Probe], reading: Reading) -> tuple[Probe, ...]:
    """Those of `probes` that this attempt calls for: no call is made that could tell nothing.

    The standalone question is asked where the row has one, and gold to find. The oracle context is
    given where evidence did not reach the generator, or a rival stood before it. No context is
    given on answerable rows with a reference or answer checks. A row whose own calls failed is not
    asked for more. They come in one order, whatever the plan's: one may use what another found.
    """
    return tuple(p for p in Probe if p in probes and _calls_for(p, row, trace, reading))


def _calls_for(probe: Probe, row: Row, trace: Trace, reading: Reading) -> bool:
    if probe is Probe.STANDALONE_QUESTION:
        fetched = trace.get("error_stage") not in _BEFORE_CANDIDATES
        return bool(row.gold and (row.standalone_question or "").strip()) and fetched
    if "error" in trace or "answer" not in trace or not row.answerable:
        return False
    if probe is Probe.NO_CONTEXT:
        return has_checks(row) or bool(facts_of(row))
    return bool(row.gold) and _context_failed(row, trace, reading)


def _context_failed(row: Row, trace: Trace, reading: Reading) -> bool:
    """Retrieval or ranking failed. Evidence that cannot be matched is the row's own error."""
    found = assess(row, trace["candidates"], trace["context"], reading)
    if found.error is not None:
        return False
    first = rival_first(found.context, found.documents, found.gold_at, gold=len(row.gold))
    return not all(found.found) or first == Scored(1.0)


_GENERATOR = ("prompt", "model", "other")
_RETRIEVER = ("window", "index", "other")
_NOT_KNOWN = "unknown"


def reusable(old: RunRecord, new: RunRecord) -> frozenset[Probe]:
    """The probes that ask what `old` asked, by the fingerprints of the stage that they ask.

    None where anything of either pipeline is unknown: what cannot be seen to change may have.
    """
    if not (_known(old.pipeline) and _known(new.pipeline)):
        return frozenset()
    asked = dict.fromkeys((Probe.ORACLE_CONTEXT, Probe.NO_CONTEXT), _GENERATOR)
    asked[Probe.STANDALONE_QUESTION] = _RETRIEVER
    return frozenset(
        probe
        for probe, parts in asked.items()
        if all(getattr(old.pipeline, part) == getattr(new.pipeline, part) for part in parts)
    )


def _known(pipeline: PipelinePrint) -> bool:
    parts = (*_GENERATOR, *_RETRIEVER)
    return not pipeline.unknown and all(getattr(pipeline, p) != _NOT_KNOWN for p in parts)
