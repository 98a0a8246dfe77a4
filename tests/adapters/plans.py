"""Plans and modules of a user, written to a folder, and rows asked through them."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

from evalrag.adapters.build import build_pipeline
from evalrag.adapters.fingerprint import pipeline_print
from evalrag.adapters.pipeline import Pipeline
from evalrag.execution.observe import observe
from evalrag.loading.plan import LoadedPlan, load_plan
from evalrag.schema.ask import Ask
from evalrag.schema.run import PipelinePrint
from evalrag.schema.trace import Trace

IDS = tuple(f"r{n}" for n in range(200))
GIVEN = dedent("""
    def given(question):
        return [{"id": "p1", "doc": "refunds", "text": "Within 30 days.", "metadata": {"v": 1}},
                {"id": "p2", "text": "Else not.", "score": 0.5}]
""")
"""The retriever before an adapter that is `placed` as generator or rewriter."""


def load(
    folder: Path,
    pipeline: Mapping[str, Any],
    *,
    code: str = "",
    run: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    **more: Any,
) -> LoadedPlan:
    """A plan in `folder`, with `code` as its module `bot`."""
    if code:
        (folder / "bot.py").write_text(dedent(code), encoding="utf-8")
    (folder / "rows.jsonl").write_text("{}\n", encoding="utf-8")
    plan = {
        "version": 1,
        "name": "support",
        "dataset": {"path": "rows.jsonl"},
        "pipeline": pipeline,
        "run": {"concurrency": 4, **(run or {})},
        **more,
    }
    path = folder / "plan.yaml"
    path.write_text(json.dumps(plan), encoding="utf-8")
    return load_plan(path, environ or {})


def build(folder: Path, pipeline: Mapping[str, Any], **more: Any) -> Pipeline:
    return build_pipeline(load(folder, pipeline, **more), IDS)


def placed(use: str, settings: Mapping[str, Any], stage: str = "retriever") -> dict[str, Any]:
    """The pipeline of a plan with an adapter as that stage, or as the whole of it."""
    entry = {"use": use, "with": settings}
    if stage == "whole":
        return entry
    return {"retriever": {"use": "bot:given"}, stage: entry}


def print_of(folder: Path, pipeline: Mapping[str, Any], **more: Any) -> PipelinePrint:
    """The fingerprint of what a plan describes."""
    loaded = load(folder, pipeline, **more)
    built = build_pipeline(loaded, IDS)
    try:
        return pipeline_print(loaded, built)
    finally:
        built.close()


def retriever(code: str, folder: Path, *, use: str = "bot:retrieve", **more: Any) -> Pipeline:
    """A plan with one retriever of that code."""
    settings = more.pop("settings", {})
    extra = more.pop("extra", {})
    return build(folder, {"retriever": {"use": use, "with": settings}, **extra}, code=code, **more)


def asked(
    pipeline: Pipeline, questions: Sequence[str] = ("what?",), *, concurrency: int = 4
) -> list[Trace]:
    """The traces of rows r0, r1, ... in order."""
    asks = [
        Ask(IDS[n], question, ({"role": "user", "content": "hello"},))
        for n, question in enumerate(questions)
    ]
    seen: dict[str, Trace] = {}
    try:
        asyncio.run(
            observe(
                asks,
                pipeline,
                concurrency=concurrency,
                on_done=lambda ask, trace: seen.__setitem__(ask.row_id, trace),
            )
        )
    finally:
        pipeline.close()
    return [seen[ask.row_id] for ask in asks]


def lines(path: Path, records: Sequence[Any]) -> Path:
    """`records` as JSON Lines; a string is written as it is."""
    text = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records)
    path.write_text(text, encoding="utf-8")
    return path
