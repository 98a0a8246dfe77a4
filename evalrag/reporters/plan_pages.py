"""Reference pages of a plan: its keys, and under each of them its own."""

import inspect
from collections.abc import Iterator, Mapping

from evalrag.loading.shape import fields_of
from evalrag.reporters.listed import line, listed, model_of, whole
from evalrag.schema.gate import Rule
from evalrag.schema.plan import Plan

EXAMPLES: Mapping[str, str] = {
    "plan": """
version: 1
name: my-bot
dataset: {path: golden.jsonl}
corpus: {path: corpus.jsonl}
pipeline:
  retriever: {use: "my_bot:retrieve"}
  generator: {use: "my_bot:generate"}
  top_k: 20
  context_k: 5
  watch: [my_bot.py]
baseline: {path: baseline}
""",
    "gates": """
gates:
  - defaults
  - {name: quick enough, metric: seconds, must: {at_most: 5}}
  - {name: the right page first, where: {kind: [near-miss]}, metric: context_recall, must: not_drop}
""",
    "waivers": """
waivers:
  - row: wrap
    gate: evidence is retrieved
    until: 2027-01-31
    reason: the page is being rewritten
""",
    "quarantine": """
quarantine:
  - row: charge
    until: 2027-01-31
    owner: Ada
    reason: two people read the page differently
""",
    "retired": """
retired:
  - row: fax-number
    reason: there is no fax any more
""",
    "reports": """
reports:
  - {use: junit, to: out/junit.xml}
  - {use: html, to: out/report.html}
""",
    "thresholds": """
thresholds: {faithfulness: 0.9}
""",
    "run": """
run: {concurrency: 4, timeout_s: 30, retries: 2}
""",
    "probes": """
probes: [oracle_context, no_context]
""",
    "superseded_when": """
superseded_when: {metadata: {status: old}}
""",
}
"""As a plan has them; below the first, each fits into it."""


def plan_pages() -> Iterator[tuple[str, str]]:
    """Name and text of the page of a plan, of its keys, and of the keys below them.

    A name that stands under several keys (`path`, `use`) has all of them on its page.
    """
    yield (
        "plan",
        f"A file in YAML; inputs are relative to it.\n\n{listed(Plan)}\n\n"
        f"For example:{_indented('plan')}\n\n"
        "evalrag explain KEY says what stands below a key; evalrag init writes a plan to start "
        "from.\nFor an editor: evalrag explain schema.",
    )
    said: dict[str, list[str]] = {}
    for key in fields_of(Plan):
        if key != "judge":  # which has a page of its own
            said.setdefault(key, []).append(_top(key))
        for name, text in _below(key):
            said.setdefault(name, []).append(text)
    for name, texts in said.items():
        yield name, "\n\n".join(texts)


def _below(key: str) -> Iterator[tuple[str, str]]:
    """The keys that stand under one of the plan's."""
    within = model_of(Plan, key)
    if within is None:
        return
    for name in fields_of(within):
        text = f"Of a plan, under `{key}`: {line(within, name)}"
        inner = model_of(within, name)
        if inner is not None:
            text += f"\n{inspect.getdoc(inner) or ''}"
            text += f"\n{listed(inner)}" * (inner is not Rule)
        yield name, f"{text}\nSee also: evalrag explain {key}."


def _top(key: str) -> str:
    text = f"Of a plan: {line(Plan, key)}"
    within = model_of(Plan, key)
    if within is not None:
        doc = inspect.getdoc(within) or ""
        said = f"{doc}\n" * (doc not in text)
        text += f"\n\n{said}{whole(within)}"
    if key in EXAMPLES:
        text += f"\n\nFor example:{_indented(key)}"
    return f"{text}\n\nSee also: evalrag explain plan."


def _indented(key: str) -> str:
    return EXAMPLES[key].rstrip().replace("\n", "\n  ")
