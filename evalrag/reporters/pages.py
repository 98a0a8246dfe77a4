"""Reference pages, from the docstrings and tables of the code that does what they say."""

from collections.abc import Iterator
from typing import NamedTuple

from evalrag.judging.measures import JUDGED
from evalrag.judging.reasons import REASONS
from evalrag.metrics.table import MEASURES
from evalrag.regression.catalogue import CATALOGUE
from evalrag.regression.cells import READINGS
from evalrag.regression.default_gates import DEFAULTS
from evalrag.reporters.adapter_pages import adapter_pages
from evalrag.reporters.judge_pages import judge_pages
from evalrag.reporters.metric_pages import metric_page
from evalrag.reporters.plan_pages import plan_pages
from evalrag.reporters.row_pages import row_pages
from evalrag.reporters.written import written
from evalrag.schema.diff import Change
from evalrag.schema.words import Kind, Stage

RULES = {
    "defaults": "In `gates`, in the place of a gate: the ten default gates, each installed where "
    "the plan can produce its metric and there is a row that it looks at, as if the plan wrote no "
    "gates. Gates beside it need other names.",
    "not_drop": "Per row: the metric may not be lower than in the baseline, by more than the "
    "gate's `tolerance` (default 0). Refused on a metric that is better when it is lower.",
    "not_rise": "Per row: the metric may not be higher than in the baseline, by more than the "
    "gate's `tolerance` (default 0). Refused on a metric that is better when it is higher.",
    "not_break": "Per row: what passed in the baseline may not fail. For `stage.NAME` and "
    "`outcome`. A stage that is not asked now is no break.",
    "at_least": "Per row, without a baseline: no value below the number.",
    "at_most": "Per row, without a baseline: no value above the number.",
    "total_at_most": "The sum over the gate's rows, without a baseline. Unresolved and errored "
    "rows count by their best and their worst case: a total that they could turn is undecided.",
    "mean_at_least": "The mean over the gate's rows that have a value, without a baseline, by best "
    "and worst case.",
    "mean_drop_at_most": "The mean over the rows that both runs scored may not be worse than in "
    "the baseline by more than the number.",
    "rate_at_least": "The share of rows that pass, or whose value is 1, without a baseline.",
}
EXITS = {
    "0": "Passed: every gate that looked at rows passed, and something was gated.\n"
    "To hold later runs against this one: evalrag baseline accept latest --reason WHY",
    "1": "A gate failed. The report names the rows, and what to change first.\n"
    "To see one: evalrag show latest ROW\n"
    "If the change is meant: evalrag baseline accept latest --reason WHY\n"
    "If one row may fail for a while: evalrag explain waivers",
    "2": "The plan, the dataset or the command line is wrong. Nothing was run.\n"
    "The error names file and line, and ends in what to type. To see all of it: evalrag check PLAN",
    "3": "Undecided: a gate or the run could not be decided. Never a pass.\n"
    "To see which rows are open, and why: evalrag show latest, then evalrag show latest ROW\n"
    "A call that failed: mend it, then evalrag run PLAN\n"
    "A verdict that the judge could not give: evalrag judge decide latest ROW, or a model judge "
    "(evalrag explain judge)\n"
    "Nothing was gated: evalrag check PLAN says which gates look at nothing",
    "4": "A gate compares with a baseline, and there is none that can be compared with.\n"
    "To make this run the baseline: evalrag baseline accept latest --reason WHY\n"
    "To go without, for now: evalrag run PLAN --no-baseline",
    "70": "A bug in evalrag. Please report it, with what was printed, the command, and: "
    "evalrag --version",
    "130": "Interrupted: Ctrl-C, SIGTERM, a full disk, max_seconds, max_cost or --first-failure. "
    "What is finished is kept.\n"
    "To go on with the rest: evalrag run PLAN --resume",
}
KINDS = {
    Kind.HAPPY_PATH: "A question that should simply work. Needs gold, or reference facts.",
    Kind.NEAR_MISS: "A question whose answer has a sibling: a passage in the same words with "
    "another number or another subject. Needs gold and at least one near_miss.",
    Kind.MULTI_HOP: "A question that needs two passages or more. Needs at least two gold "
    "evidences; context_recall is 1 when all of them are in the context, else 0.",
    Kind.STALE_POLICY: "A question whose answer changed: the old version is still around. Needs "
    "gold and at least one superseded evidence.",
    Kind.UNANSWERABLE: "A question that the corpus does not answer. Needs unanswerable_because: "
    "out-of-scope, not-in-corpus or false-premise. The right answer says so.",
}
STAGES = {
    Stage.REWRITE: "Does the rewritten query find what the standalone question finds? Not "
    "applicable without standalone_question, or where it was not probed.",
    Stage.RETRIEVAL: "Passes when all gold evidence is among the candidates; without gold, when "
    "claim_recall reaches its threshold. Not applicable to unanswerable rows.",
    Stage.RANKING: "Passes when all evidence among the candidates is in the context, and no rival "
    "stands before it. Not applicable when none is among the candidates.",
    Stage.GENERATION: "Passes when nothing is contradicted (hard_fail), faithfulness and, where "
    "measured, relevancy reach their thresholds, and the answer is not empty. Not applicable to a "
    "decline, which the boundary judges.",
    Stage.BOUNDARY: "Passes when the form of the answer is one that the row expects. A decline "
    "while the evidence is not in the context is retrieval's fault, and not applicable here.",
    Stage.ANSWER: "Passes when every answer check of the row holds (answer_contains, "
    "answer_excludes) and answer_correctness, where it was measured, reaches its threshold. A "
    "check that does not hold fails it whatever a judge says. Not applicable with neither.",
}
WORDS = {
    "outcome": "Of a row: fail if any stage failed, else error, else unresolved, else pass.",
    "unresolved": "A verdict that could not be had. Never a pass, never 0; gates on it are "
    "undecided unless they say on_unresolved.",
    "flaky": "A mark beside the outcome: the attempts of one run did not agree.",
    "loosened": "What became easier to pass since the baseline. Said first in every report.",
    "waived": "A row that may fail one gate to the end of a day: waivers in the plan.",
    "quarantine": "A row that runs and is shown, and stands outside every gate to the end of a "
    "day: quarantine in the plan.",
    "window": "The passages that the model was given: context_k, context_chars, or what the "
    "pipeline says.",
    "seconds": "Wall time of a row's calls, for gates such as {metric: seconds, must: {at_most: "
    "5}}. Beside it: tokens and cost, as far as the pipeline says them.",
    "probes": "Further calls of your hooks that tell two causes apart, in the plan: probes: "
    "[standalone_question, oracle_context, no_context]. They cost, so that none is made that could "
    "tell nothing, and their calls, tokens and cost stand in a line of their own. A probe fails "
    "where it found what it looks for, and is unresolved, with a reason, where it could not be "
    "had, which costs the row nothing. Its answer is judged like any other. A run that is resumed "
    "asks none again. A later run keeps those of the newest run of the same plan where the row, "
    "the passages that are put in, and the fingerprint of the stage that is asked are the same; "
    "while anything of the fingerprint is not known (evalrag check says what) every probe is "
    "asked anew.",
    "standalone_question": "A probe: the retriever is asked the row's standalone_question instead "
    "of the rewritten query. Decides the rewrite stage. Needs a retriever and a rewriter.",
    "oracle_context": "A probe: where retrieval or ranking failed, the generator is asked with the "
    "gold put into its context: passages among the candidates or in the corpus that find each "
    "evidence, else the words of the quote. Fails where the answer would be wrong all the same: "
    "two-problems. Rows whose gold is empty are not asked. Needs a generator.",
    "no_context": "A probe: the generator is asked with no passages, on answerable rows with "
    "answer checks or a reference. Fails where the answer is right all the same: from-memory. "
    "Needs a generator, and answer checks or a judge that measures answer_correctness.",
    "stage.NAME": "A stage as a metric of a gate, such as stage.answer with must: not_break.",
}
CHANGES = {
    Change.BROKE: "A stage passed in the baseline and fails now.",
    Change.NOW_FAILING: "Undecided in the baseline, and it fails now; listed with `broke`.",
    Change.LOST: "Decided in the baseline, and unresolved or errored now.",
    Change.REMOVED: "In the baseline, and not in the dataset any more.",
    Change.EDITED: "Question, history or kind changed: it asks something else now.",
    Change.NEW: "Not in the baseline.",
    Change.RELABELLED: "Only labels changed. The baseline's trace was scored again with the new "
    "ones, and the row fares as that does, well or badly: what it lost by them no gate that "
    "compares can see, and every report says it first.",
    Change.STILL_FAILING: "Failed, and fails.",
    Change.STILL_UNDECIDED: "Undecided, and still is.",
    Change.IMPROVED: "A stage was fixed, and the row still fails.",
    Change.FIXED: "Failed, and passes.",
    Change.RECOVERED: "Was undecided, and passes.",
    Change.STILL_PASSING: "Passed, and passes.",
}


EDITORS = (
    "JSON Schema for an editor: completion, and mistakes underlined. Write the schemas with:\n"
    "  evalrag schema --write schemas\n"
    "For yaml-language-server (VS Code, Neovim, Helix) make this a plan's first line, with the "
    "path as the plan has it:\n"
    "  # yaml-language-server: $schema=schemas/plan.schema.json\n"
    "row.schema.json is for a line of golden.jsonl; report.schema.json for what --format json "
    "prints. `${NAME}` in place of a number is underlined and right."
)


class Page(NamedTuple):
    name: str
    group: str
    text: str


def pages() -> dict[str, Page]:
    """Every page by its name, in the order in which they are listed.

    A word with two meanings, as the stage and the diagnosis `rewrite`, has both on its page.
    """
    found: dict[str, Page] = {}
    for page in _pages():
        had = found.get(page.name)
        if had is not None:
            page = had._replace(text=f"{had.text}\n\nAs a {page.group}:\n{page.text}")
        found[page.name] = page
    return found


def _pages() -> Iterator[Page]:
    for name, measure in MEASURES.items():
        text = metric_page(name, measure.function, measure.direction)
        yield Page(name, "retrieval metric", text)
    for name, judged in JUDGED.items():
        yield Page(name, "judged metric", judged.page)
    for entry in CATALOGUE.values():
        text = f"{entry.holds}\n\nLook at: {entry.look}.\nTry: {entry.change}."
        yield Page(entry.code, "diagnosis or warning", text)
    for kind, text in KINDS.items():
        yield Page(kind.value, "kind of row", text)
    for stage, text in STAGES.items():
        yield Page(stage.value, "stage", text)
        yield Page(f"stage.{stage.value}", "stage as a metric", text)
    for word, text in WORDS.items():
        yield Page(word, "word of the reports", text)
    for rule, text in RULES.items():
        yield Page(rule, "gate rule", text)
    for gate in DEFAULTS:
        text = (
            f"One of the ten default gates. As a plan would write it, under `gates`:\n"
            f"  - {written(gate.gate)}\n\nWithout it, {gate.unguarded}."
        )
        yield Page(gate.gate.name, "default gate", text)
    for word, text in judge_pages().items():
        yield Page(word, "judges", text)
    for code, text in REASONS.items():
        yield Page(code, "reason of the offline judge", text)
    for word, text in adapter_pages().items():
        yield Page(word, "adapter", text)
    for word, text in row_pages(KINDS):
        yield Page(word, "row of the dataset", text)
    for word, text in plan_pages():
        if word != "row":  # the page of a row is not for the key of three others
            yield Page(word, "key of a plan", text)
    for change, text in CHANGES.items():
        yield Page(change.value, "change of a row", text)
    for cell, text in READINGS.items():
        yield Page(cell, "cell of the reading table", text)
    yield Page("schema", "editors", EDITORS)
    for code, text in EXITS.items():
        yield Page(code, "exit code", text)
