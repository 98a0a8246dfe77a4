"""What the pipeline did for one row. Plain mappings: they are many, and they are read in loops."""

from typing import Any, NotRequired

from typing_extensions import TypedDict


class Passage(TypedDict):
    """What a retriever returned. Every key may be missing, but text or id is there."""

    id: NotRequired[str]
    doc: NotRequired[str]
    text: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    span: NotRequired[tuple[int, int]]
    """Character offsets in the document, end exclusive."""
    score: NotRequired[float]


class Usage(TypedDict):
    """What the row's calls used, as far as the pipeline says it."""

    input_tokens: NotRequired[int]
    output_tokens: NotRequired[int]
    cost: NotRequired[float]


class ProbeTrace(TypedDict):
    """What one probe asked, and what came of it."""

    query: NotRequired[str]
    """What the retriever was asked."""
    candidates: NotRequired[list[Passage]]
    context: NotRequired[list[Passage]]
    """What the generator was given, or says that it used of that."""
    handed: NotRequired[list[Passage]]
    """What it was given, where it says that it used something else."""
    answer: NotRequired[str]
    unresolved: NotRequired[str]
    """Why nothing came of it: the call failed, or there was nothing to ask with."""


class ProbeCost(TypedDict):
    """What a probe's call took. It is no part of what the row's own calls took."""

    seconds: NotRequired[float]
    usage: NotRequired[Usage]
    kept: NotRequired[bool]
    """Nobody was called: an earlier run had asked the very same."""


class Trace(TypedDict):
    """One attempt at one row.

    `context` is what the generator was given, in order. `told` says whether the pipeline itself
    named it (True) or whether it was derived from the window (False).
    """

    query: NotRequired[str]
    candidates: list[Passage]
    reranked: NotRequired[list[Passage]]
    context: list[Passage]
    told: NotRequired[bool]
    """The pipeline named its context itself."""
    handed: NotRequired[int]
    """How many of the candidates the generator was handed, where it named what it used."""
    merged: NotRequired[bool]
    """A context and no candidates: retrieval and ranking cannot be told apart."""
    dropped: NotRequired[int]
    """Candidates past `top_k`, which were counted and not kept."""
    answer: NotRequired[str]
    """Missing in a retrieval-only plan; may be empty otherwise."""
    citations: NotRequired[list[str]]
    usage: NotRequired[Usage]
    seconds: NotRequired[dict[str, float]]
    attempts: NotRequired[dict[str, int]]
    """Tries of each stage that needed more than one."""
    error: NotRequired[str]
    error_stage: NotRequired[str]
    context_reused_from: NotRequired[int]
    """The turn of the user's, from 1, whose passages were used again."""
    probes: NotRequired[dict[str, ProbeTrace]]
    """By the name of the probe."""
    probe_costs: NotRequired[dict[str, ProbeCost]]
    """Of those that called somebody, or would have."""


def known_cost(trace: Trace) -> float | None:
    """What an attempt cost with its probes, as far as the pipeline says it; None where it does not.

    A probe that was kept from an earlier run cost nothing in this one.
    """
    made = [probe for probe in trace.get("probe_costs", {}).values() if not probe.get("kept")]
    usages = [trace.get("usage"), *(probe.get("usage") for probe in made)]
    known = [usage["cost"] for usage in usages if usage is not None and "cost" in usage]
    return sum(known) if known else None
