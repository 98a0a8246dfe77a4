"""One row through the user's pipeline: what each stage did, as a trace."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from evalrag.adapters.calls import Caller, HookFailed, Waiting
from evalrag.adapters.hooks import Hook
from evalrag.adapters.reach import close
from evalrag.adapters.shapes import Whole, answered, retrieved, rewritten, whole
from evalrag.evidence.window import window
from evalrag.redaction import one_line
from evalrag.schema.ask import Ask
from evalrag.schema.plan import PipelinePlan
from evalrag.schema.trace import Passage, ProbeCost, ProbeTrace, Trace
from evalrag.schema.words import Stage


class Pipeline(Protocol):
    """What is observed. `run` raises for no fault of the user's: errors stand in the trace."""

    @property
    def generates(self) -> bool:
        """It gives answers: false in a retrieval-only plan."""

    @property
    def hooks(self) -> Mapping[str, Hook]:
        """Stage -> hook, for the fingerprint; empty where nothing of the user's is called."""

    async def run(self, ask: Ask) -> Trace: ...

    def corpus(self) -> Iterable[Passage] | None:
        """All passages that the retriever can return, where it knows them."""

    def waiting(self) -> Sequence[Waiting]:
        """The calls in flight, the longest first."""

    def close(self) -> None: ...


class Staged:
    """A retriever, with or without a rewriter before it and a generator behind it.

    The rewriter's query goes to the retriever. The generator is asked what the user typed, since
    that is what its answer is held against.
    """

    def __init__(self, hooks: Mapping[str, Hook], plan: PipelinePlan, caller: Caller) -> None:
        self.hooks, self._plan, self._caller = hooks, plan, caller

    @property
    def generates(self) -> bool:
        return "generate" in self.hooks

    async def run(self, ask: Ask) -> Trace:
        """All stages in order, up to the first that fails."""
        trace = Trace(candidates=[], context=[], seconds={})
        query = ask.question
        stage = Stage.REWRITE
        try:
            if "rewrite" in self.hooks:
                query = trace["query"] = await self._call("rewrite", stage, trace, ask, rewritten)
            stage = Stage.RETRIEVAL
            await self._retrieve(trace, ask, query)
            stage = Stage.GENERATION
            if "generate" in self.hooks:
                await self._generate(trace, ask)
        except HookFailed as error:
            trace["error"], trace["error_stage"] = str(error), stage.value
            _timed(trace, stage, error.seconds, error.tries)
        return trace

    async def _retrieve(self, trace: Trace, ask: Ask, query: str) -> None:
        found = await self._call(
            "retrieve",
            Stage.RETRIEVAL,
            trace,
            ask,
            partial(retrieved, top_k=self._plan.top_k),
            question=query,
        )
        trace["candidates"] = found.passages
        trace["context"] = windowed(found.passages, self._plan)
        if found.dropped:
            trace["dropped"] = found.dropped

    async def _generate(self, trace: Trace, ask: Ask) -> None:
        handed = len(trace["context"])
        found = await self._call(
            "generate",
            Stage.GENERATION,
            trace,
            ask,
            partial(answered, candidates=trace["candidates"]),
            passages=[_copy(passage) for passage in trace["context"]],
        )
        trace["answer"] = found.answer
        if found.citations is not None:
            trace["citations"] = found.citations
        if found.usage is not None:
            trace["usage"] = found.usage
        if found.context is not None:
            trace["context"], trace["told"] = found.context, True
            trace["handed"] = handed
        if found.reused_from is not None:
            trace["context_reused_from"] = found.reused_from

    async def search(self, ask: Ask, question: str) -> tuple[ProbeTrace, ProbeCost]:
        """What the retriever returns for another question than the row's query."""
        top_k = self._plan.top_k
        offers = {**_offers(ask, top_k), "question": question}
        found, cost = await self._probe("retrieve", offers, partial(retrieved, top_k=top_k))
        probe: ProbeTrace = {"query": question}
        if isinstance(found, str):
            probe["unresolved"] = found
        else:
            probe["candidates"] = found.passages
        return probe, cost

    async def answer(self, ask: Ask, passages: Sequence[Passage]) -> tuple[ProbeTrace, ProbeCost]:
        """What the generator answers from other passages than the row's context."""
        given = list(passages)
        offers = {**_offers(ask, self._plan.top_k), "passages": list(map(_copy, given))}
        found, cost = await self._probe("generate", offers, partial(answered, candidates=given))
        probe: ProbeTrace = {"context": given}
        if isinstance(found, str):
            probe["unresolved"] = found
            return probe, cost
        probe["answer"] = found.answer
        if found.context is not None and found.context != given:
            probe["context"], probe["handed"] = found.context, given
        if found.usage is not None:
            cost["usage"] = found.usage
        return probe, cost

    async def _probe(self, name: str, offers: Any, shape: Any) -> tuple[Any, ProbeCost]:
        """What a hook returned, in shape; why it returned nothing, as a string."""
        try:
            called = await self._caller.ask(self.hooks[name], offers, shape)
        except HookFailed as error:
            return str(error), {"seconds": error.seconds}
        return called.value, {"seconds": called.seconds}

    async def _call(
        self, name: str, stage: Stage, trace: Trace, ask: Ask, shape: Any, **more: Any
    ) -> Any:
        offers = {**_offers(ask, self._plan.top_k), **more}
        called = await self._caller.ask(self.hooks[name], offers, shape)
        _timed(trace, stage, called.seconds, called.tries)
        return called.value

    def corpus(self) -> Iterable[Passage] | None:
        known = getattr(self.hooks["retrieve"].owner, "corpus", None)
        builtin = ":" not in self.hooks["retrieve"].name
        return known() if builtin and known is not None else None

    def waiting(self) -> Sequence[Waiting]:
        return self._caller.waiting()

    def close(self) -> None:
        self._caller.close()
        close(self.hooks.values())


class OneHook:
    """A pipeline in one hook, which says itself what it retrieved, used and answered."""

    generates = True

    def __init__(self, hook: Hook, plan: PipelinePlan, caller: Caller) -> None:
        self.hooks, self._plan, self._caller = {"answer": hook}, plan, caller

    async def run(self, ask: Ask) -> Trace:
        """One call. Where it fails nothing was reached, retrieval included."""
        plan = self._plan
        try:
            called = await self._caller.ask(
                self.hooks["answer"],
                _offers(ask, plan.top_k),
                partial(whole, top_k=plan.top_k),
            )
        except HookFailed as error:
            trace = Trace(candidates=[], context=[], seconds={})
            trace["error"], trace["error_stage"] = str(error), Stage.RETRIEVAL.value
            _timed(trace, Stage.ANSWER, error.seconds, error.tries)
            return trace
        found = called.value
        if found.broken is not None:
            found.broken = one_line(self._caller.redact(found.broken))
        elif found.answered is None:
            found.broken = 'returned no answer; give one under "answer"'
        trace = as_trace(found, plan, name=self.hooks["answer"].name)
        _timed(trace, Stage.ANSWER, called.seconds, called.tries)
        return trace

    def corpus(self) -> Iterable[Passage] | None:
        return None

    def waiting(self) -> Sequence[Waiting]:
        return self._caller.waiting()

    def close(self) -> None:
        self._caller.close()
        close(self.hooks.values())


def as_trace(found: Whole, plan: PipelinePlan, *, name: str) -> Trace:
    """What a whole pipeline says, with what it leaves unsaid derived from the plan's window."""
    trace = Trace(candidates=[], context=[])
    if found.query is not None:
        trace["query"] = found.query
    if found.reranked is not None:
        trace["reranked"] = found.reranked
    if found.candidates is not None:
        trace["candidates"] = found.candidates.passages
        if found.candidates.dropped:
            trace["dropped"] = found.candidates.dropped
    if found.context is not None:
        trace["context"], trace["told"] = found.context, True
        if found.candidates is None:
            trace["candidates"], trace["merged"] = list(found.context), True
    else:
        ranked = trace["candidates"] if found.reranked is None else found.reranked
        trace["context"] = windowed(ranked, plan)
    if found.reused_from is not None:
        trace["context_reused_from"] = found.reused_from
    if found.answered is not None:
        trace["answer"] = found.answered.answer
        if found.answered.citations is not None:
            trace["citations"] = found.answered.citations
        if found.answered.usage is not None:
            trace["usage"] = found.answered.usage
    if found.broken is not None:
        trace["error"], trace["error_stage"] = f"{name} {found.broken}", Stage.GENERATION.value
    return trace


def windowed(candidates: Sequence[Passage], plan: PipelinePlan) -> list[Passage]:
    """The candidates that fit the plan's window."""
    return window(candidates, context_k=plan.context_k, context_chars=plan.context_chars)


def _timed(trace: Trace, stage: Stage, seconds: float, tries: int) -> None:
    """Keep how long the last try took, and how many there were where one was not enough."""
    trace.setdefault("seconds", {})[stage.value] = seconds
    if tries > 1:
        trace.setdefault("attempts", {})[stage.value] = tries


def _offers(ask: Ask, top_k: int) -> dict[str, Any]:
    return {
        "question": ask.question,
        "top_k": top_k,
        "history": [dict(turn) for turn in ask.history],
        "row_id": ask.row_id,
        "repeat": ask.repeat,
    }


def _copy(passage: Passage) -> Passage:
    """A hook may do with it what it likes: the trace keeps what it was given."""
    copy = passage.copy()
    if "metadata" in copy:
        copy["metadata"] = dict(copy["metadata"])
    return copy
