"""`evalrag run --dry-run`: how much a run would ask, said without asking anything."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalrag.cli.prepare import Setting, quoted
from evalrag.execution.session import Replays
from evalrag.judging.answer_checks import has_checks
from evalrag.judging.facts import asked_of, facts_of
from evalrag.judging.prompts import prompt_of
from evalrag.judging.tasks import (
    CLAIM_METRICS,
    ClaimsTask,
    FactsTask,
    FormTask,
    RecallTask,
    RelevancyTask,
    Task,
    UsefulTask,
    by_rules,
    history_of,
    task_name,
)
from evalrag.regression.narrative import counted
from evalrag.schema.row import Row

PER_TOKEN = 4
"""Characters of English that are about a token."""
GUARDED = (ClaimsTask, FactsTask, RecallTask)
"""What a judge is asked a second time, where plain code doubts what it said the first time."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would ask. A number of tokens is None where nothing is known of the texts."""

    rows: int
    repeats: int
    calls: dict[str, int]
    """Stage -> calls of the pipeline."""
    retries: int
    window_tokens: int | None
    """Of all questions and passages that the generator would be given."""
    judge: str
    judge_calls: dict[str, int]
    """Task -> calls at most."""
    judge_tokens: int | None

    def as_json(self) -> str:
        told: dict[str, Any] = {
            "schema_version": 1,
            "dry_run": True,
            "rows": self.rows,
            "repeats": self.repeats,
            "calls": self.calls,
            "retries": self.retries,
            "about_tokens_given": self.window_tokens,
            "judge": {
                "name": self.judge,
                "calls_at_most": sum(self.judge_calls.values()),
                "calls_by_task": self.judge_calls,
                "about_tokens": self.judge_tokens,
            },
        }
        return json.dumps(told, indent=2)

    def as_text(self, plan: str) -> str:
        lines = [f"{counted(self.rows, 'row')}, {counted(self.repeats, 'attempt')} each"]
        for stage, calls in self.calls.items():
            line = f"{stage}: {counted(calls, 'call')}"
            if stage == "generation":
                line += f", {_tokens(self.window_tokens)} of questions and passages"
            lines.append(line)
        if not self.calls:
            lines.append("pipeline: no calls, its outputs are recorded")
        elif self.retries:
            lines.append(f"a call that fails is tried again up to {self.retries} times")
        lines.append(self._judge())
        lines.append(f"nothing was asked\nnext: evalrag run {plan}")
        return "\n".join(lines)

    def _judge(self) -> str:
        if not self.judge_calls:
            return f"judge {self.judge}: no calls"
        tasks = ", ".join(f"{name} {calls}" for name, calls in self.judge_calls.items())
        return (
            f"judge {self.judge}: at most {counted(sum(self.judge_calls.values()), 'call')} "
            f"({tasks}), {_tokens(self.judge_tokens)} without the answers; retries apart, and what "
            "is kept from earlier runs is not asked again"
        )


def estimate(setting: Setting, rows: Sequence[Row]) -> Estimate:
    """Count what a run of `rows` would ask. No hook and no judge is called."""
    plan = setting.loaded.plan
    repeats, window = plan.run.repeats, _window(setting)
    asks = not isinstance(setting.pipeline, Replays)
    judge_calls: dict[str, int] = {}
    characters = 0
    questions = 0
    for row in rows:
        questions += len(row.question)
        if plan.judge.use == "offline":
            continue
        for task in _tasks(row, setting):
            times = (2 if isinstance(task, GUARDED) else 1) * plan.judge.votes * repeats
            name = task_name(task)
            judge_calls[name] = judge_calls.get(name, 0) + times
            characters += times * _length(task, window)
    attempts = len(rows) * repeats
    given = None if window is None else (attempts * window + repeats * questions) // PER_TOKEN
    return Estimate(
        rows=len(rows),
        repeats=repeats,
        calls={stage.value: attempts for stage in plan.pipeline.called} if asks else {},
        retries=plan.run.retries,
        window_tokens=given,
        judge=setting.judge.name,
        judge_calls=judge_calls,
        judge_tokens=None if window is None else characters // PER_TOKEN,
    )


def say_estimate(setting: Setting, rows: Sequence[Row], *, form: str) -> str:
    """The estimate as text for people, or as JSON."""
    found = estimate(setting, rows)
    return found.as_json() if form == "json" else found.as_text(quoted(setting.loaded.file))


def _tasks(row: Row, setting: Setting) -> list[Task]:
    """All that a judge may be asked about one attempt."""
    offers, question, history = setting.judge.offers, row.question, history_of(row)
    tasks: list[Task] = []
    if setting.pipeline.generates:
        if "answer_form" in offers:
            tasks.append(FormTask(question, "", history))
        if CLAIM_METRICS & offers:
            tasks.append(ClaimsTask(question, (), "", history=history))
        decided = has_checks(row) and by_rules(setting.judge)
        if facts_of(row) and "answer_correctness" in offers and not decided:
            names, also = asked_of(setting.judge, facts_of(row))
            tasks.append(FactsTask(question, names, "", history=history, also=also))
        if "answer_relevancy" in offers:
            tasks.append(RelevancyTask(question, "", history))
        if "passage_usefulness" in offers:
            tasks.append(UsefulTask(question, (), history))
    if row.reference_facts and "claim_recall" in offers:
        names, also = asked_of(setting.judge, row.reference_facts)
        tasks.append(RecallTask(names, (), also=also))
    return tasks


def _length(task: Task, window: int | None) -> int:
    """Characters of the prompt of a task, its passages by the size of the window."""
    prompt = prompt_of(task, "0" * 16)
    reads = isinstance(task, ClaimsTask | RecallTask | UsefulTask)
    return len(prompt.instructions) + len(prompt.data) + (window or 0) * reads


def _window(setting: Setting) -> int | None:
    """Characters of the passages that a model is given, as far as plan and corpus tell."""
    plan = setting.loaded.plan
    if plan.pipeline.context_chars is not None:
        return plan.pipeline.context_chars
    known = tuple(setting.pipeline.corpus() or ())
    if not known or plan.pipeline.context_k is None:
        return None
    mean = sum(len(passage.get("text", "")) for passage in known) / len(known)
    return round(mean * plan.pipeline.context_k)


def _tokens(count: int | None) -> str:
    if count is None:
        return "an unknown number of tokens (the passages are not known before)"
    return f"about {count:,} tokens"
