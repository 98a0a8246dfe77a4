"""A pipeline that is asked a little more of some rows, to tell two causes apart."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from evalrag.evidence.oracle import NotAvailable, oracle_context
from evalrag.regression.probing import wanted
from evalrag.schema.ask import Ask
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage, ProbeCost, ProbeTrace, Trace
from evalrag.schema.words import Probe

Earlier = Callable[[str, int], Mapping[str, ProbeTrace]]
"""Row and attempt -> the probes of it that an earlier run has done, and that may stand."""


class Staged(Protocol):
    """A pipeline whose stages can be asked one by one. Their errors stand in what they return."""

    async def run(self, ask: Ask, /) -> Trace: ...
    async def search(self, ask: Ask, question: str, /) -> tuple[ProbeTrace, ProbeCost]: ...
    async def answer(
        self, ask: Ask, passages: Sequence[Passage], /
    ) -> tuple[ProbeTrace, ProbeCost]: ...


def none_earlier(row: str, repeat: int) -> Mapping[str, ProbeTrace]:
    return {}


@dataclass(frozen=True, slots=True)
class Probing:
    """Runs a row, then the plan's probes that it calls for, as part of the same attempt.

    So they are journalled with it, and never counted among the row's own seconds or tokens.
    """

    pipeline: Staged
    probes: Sequence[Probe]
    rows: Mapping[str, Row]
    reading: Reading
    corpus: Callable[[], Iterable[Passage]] | None = None
    """Where gold is looked for that was not retrieved; None where it is not known."""
    earlier: Earlier = field(default=none_earlier)

    async def run(self, ask: Ask) -> Trace:
        trace = await self.pipeline.run(ask)
        row = self.rows[ask.row_id]
        for probe in wanted(row, trace, self.probes, self.reading):
            made, cost = await self._probe(probe, ask, row, trace)
            trace.setdefault("probes", {})[probe.value] = made
            if cost is not None:
                trace.setdefault("probe_costs", {})[probe.value] = cost
        return trace

    async def _probe(
        self, probe: Probe, ask: Ask, row: Row, trace: Trace
    ) -> tuple[ProbeTrace, ProbeCost | None]:
        """What came of it, and what it took; no cost where there was nothing to ask with."""
        known = self.earlier(ask.row_id, ask.repeat).get(probe.value)
        if probe is Probe.STANDALONE_QUESTION:
            question = row.standalone_question or ""
            if known is not None and known.get("query") == question:
                return known, {"kept": True}
            return await self.pipeline.search(ask, question)
        passages: Sequence[Passage] = ()
        if probe is Probe.ORACLE_CONTEXT:
            try:
                passages = self._oracle(row, trace)
            except NotAvailable as error:
                return {"unresolved": str(error)}, None
        if known is not None and known.get("handed", known.get("context")) == list(passages):
            return known, {"kept": True}
        return await self.pipeline.answer(ask, passages)

    def _oracle(self, row: Row, trace: Trace) -> Sequence[Passage]:
        """From what was retrieved, as the generator knows it, and then from the corpus."""
        found = trace.get("probes", {}).get(Probe.STANDALONE_QUESTION.value, {})
        sources: list[Iterable[Passage]] = [trace["candidates"], found.get("candidates", ())]
        if self.corpus is not None:
            sources.append(self.corpus())
        return oracle_context(row, sources, self.reading)
