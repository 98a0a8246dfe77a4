"""Specification of `${NAME}` in a plan: values are filled in, and never shown."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from evalrag.errors import PlanError
from evalrag.loading.plan import LoadedPlan, load_plan

SECRET = "sk-live-0123456789"
WITH = "judge:\n  use: x\n  with: "
PLAN = """\
version: 1
name: bot
dataset: {path: golden.jsonl}
pipeline:
  retriever: {use: "bot:search"}
"""


def load(tmp_path: Path, extra: str, environ: Mapping[str, str]) -> LoadedPlan:
    (tmp_path / "golden.jsonl").touch()
    path = tmp_path / "evalrag.yaml"
    path.write_text(PLAN + extra, encoding="utf-8")
    return load_plan(path, environ)


def judged(tmp_path: Path, written: str, environ: Mapping[str, str]) -> object:
    """What `written` becomes under `with`, where every type is free."""
    text = f"judge:\n  use: x\n  with:\n    a: {written}\n"
    return load(tmp_path, text, environ).plan.judge.with_["a"]


@pytest.mark.parametrize(
    ("written", "environ", "value"),
    [
        pytest.param("${A}", {"A": "x"}, "x", id="a variable"),
        pytest.param("a ${A}/${B} b", {"A": "x", "B": "y"}, "a x/y b", id="two within a text"),
        pytest.param("${A:-d}", {}, "d", id="a default"),
        pytest.param("${A:-d}", {"A": "x"}, "x", id="a default that is not needed"),
        pytest.param(
            "${A:-d}", {"A": ""}, "d", id="a default for an empty variable, as in a shell"
        ),
        pytest.param("${A}", {"A": ""}, None, id="an empty variable is nothing"),
        pytest.param("'${A}'", {"A": ""}, "", id="and in quotes an empty text"),
        pytest.param("${A:-http://x:1/}", {}, "http://x:1/", id="a default with colons"),
        pytest.param("$${A}", {}, "${A}", id="an escaped reference"),
        pytest.param("$A and $", {"A": "x"}, "$A and $", id="a dollar alone"),
        pytest.param("${A}", {"A": "5"}, 5, id="a number"),
        pytest.param("${A:-0.5}", {}, 0.5, id="a number by default"),
        pytest.param("${A}", {"A": "true"}, True, id="a boolean"),
        pytest.param("'${A}'", {"A": "5"}, "5", id="quotes keep it a text"),
        pytest.param("x${A}", {"A": "5"}, "x5", id="a part of a text is no number"),
        pytest.param("${A}", {"A": "1e999"}, "1e999", id="a commit that looks like a number"),
        pytest.param("${A}", {"A": "${B}", "B": "x"}, "${B}", id="values are not read again"),
        pytest.param("${A}", {"A": "[a, !!x b]"}, "[a, !!x b]", id="nor are they YAML"),
    ],
)
def test_filled_in(tmp_path: Path, written: str, environ: Mapping[str, str], value: object) -> None:
    found = judged(tmp_path, written, environ)

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        pytest.param(
            "judge:\n  use: ${JUDGE}\n",
            "7:3: judge.use: the environment variable JUDGE is not set",
            id="a variable that is not set",
        ),
        pytest.param(
            "run:\n  repeats: ${N}\n",
            "7:3: run.repeats: the environment variable N is not set",
            id="one that should be a number",
        ),
        pytest.param("judge: {use: '${1X}'}\n", "6:9: judge.use: write ${NAME}", id="no name"),
        pytest.param("judge: {use: '${A'}\n", "6:9: judge.use: write ${NAME}", id="no end"),
        pytest.param(
            "judge: {use: '${A:-${B}}'}\n", "6:9: judge.use: write ${NAME}", id="one in another"
        ),
        pytest.param(
            "judge: {use: ${A}}\n",
            "6:14: inside {...} and [...], a ${NAME} stands in quotes",
            id="braces in braces",
        ),
        pytest.param(
            "${KEY}: x\n", '6:1: ["${KEY}"]: unknown key "${KEY}"', id="keys are left alone"
        ),
    ],
)
def test_one_mistake_is_one_message(tmp_path: Path, extra: str, said: str) -> None:
    with pytest.raises(PlanError) as caught:
        load(tmp_path, extra, {})

    [problem] = caught.value.problems
    assert str(problem).removeprefix(f"{tmp_path / 'evalrag.yaml'}:").startswith(said)


@pytest.mark.parametrize("quote", [pytest.param("", id="bare"), pytest.param("'", id="quoted")])
def test_the_schema_decides_what_a_reference_is(tmp_path: Path, quote: str) -> None:
    extra = f"  top_k: {quote}${{K}}{quote}\n  version: {quote}${{SHA}}{quote}\n"

    plan = load(tmp_path, extra, {"K": "7", "SHA": "1234567"}).plan

    assert plan.pipeline.top_k == 7
    assert plan.pipeline.version == "1234567"


def test_what_may_be_stored_has_the_names_alone(tmp_path: Path) -> None:
    extra = 'judge:\n  use: x\n  with: {key: "${KEY}", url: "${URL:-http://default}"}\n'

    loaded = load(tmp_path, extra, {"KEY": SECRET})

    assert loaded.plan.judge.with_["key"] == SECRET
    assert SECRET not in str(loaded.shown)
    assert loaded.shown["judge"]["with"]["key"] == "${KEY}"
    assert loaded.digest == load(tmp_path, extra, {"KEY": "another-key", "URL": "u"}).digest


@pytest.mark.parametrize(
    ("extra", "environ", "secrets"),
    [
        pytest.param(WITH + "{token: 'a ${A}'}", {"A": SECRET}, {SECRET}, id="a part of a text"),
        pytest.param(
            WITH + "{api_key: {b: ['${A}']}}", {"A": SECRET}, {SECRET}, id="anywhere in it"
        ),
        pytest.param(WITH + "{index: '${A}'}", {"A": SECRET}, set(), id="an index is none"),
        pytest.param(WITH + "{a: '${A:-default}'}", {}, set(), id="a default is no secret"),
        pytest.param(WITH + "{a: '${A}'}", {"A": "short"}, set(), id="nor is a short value"),
        pytest.param("judge: {use: '${A}'}", {"A": SECRET}, set(), id="nor a name"),
        pytest.param(
            "corpus: {version_key: '${A}'}", {"A": SECRET}, set(), id="nor a path or a key"
        ),
        pytest.param("judge: {use: '${A_KEY}'}", {"A_KEY": SECRET}, {SECRET}, id="but for a key"),
        pytest.param("  version: ${A}", {"A": SECRET}, set(), id="nor the pipeline's version"),
        pytest.param(
            "  version: ${A}\njudge: {use: x, with: {token: '${A}'}}",
            {"A": SECRET},
            {SECRET},
            id="unless it is used elsewhere too",
        ),
        pytest.param("judge: {use: x}", {"A": SECRET}, set(), id="nor what the plan does not name"),
    ],
)
def test_secrets(tmp_path: Path, extra: str, environ: Mapping[str, str], secrets: set[str]) -> None:
    assert load(tmp_path, extra + "\n", environ).secrets == secrets


@pytest.mark.parametrize(
    "extra",
    [
        pytest.param("run:\n  repeats: ${KEY}\n", id="where a number is needed"),
        pytest.param("run:\n  repeats: x${KEY}\n", id="as a part of a text"),
        pytest.param("gates:\n- name: g\n  metric: m\n  must: ${KEY}\n", id="as a rule"),
        pytest.param(
            "gates:\n- {name: g, metric: m, must: not_drop, on_unresolved: '${KEY}'}\n",
            id="where one of a few words is needed",
        ),
        pytest.param("corpus:\n  path: ${KEY}\n", id="as a path"),
        pytest.param(
            "gates: []\nwaivers: [{row: a, gate: '${KEY}', until: 2026-11-30, reason: x}]\n",
            id="as the name of a gate",
        ),
        pytest.param(
            "gates: [{name: '${KEY}', metric: m, must: not_drop}]\n"
            "waivers: [{row: a, gate: '${KEY}x', until: 2026-11-30, reason: x}]\n",
            id="as the gate that was meant",
        ),
        pytest.param(
            "gates:\n"
            "- {name: '${KEY}', metric: m, must: not_drop}\n"
            "- {name: '${KEY}', metric: m, must: not_drop}\n",
            id="in a validator's own words",
        ),
        pytest.param("waivers: '${KEY}'\n", id="where a list is needed"),
        pytest.param("run: {repeats: 0}\njudge: {use: '${KEY}'}\n", id="beside another mistake"),
    ],
)
@pytest.mark.parametrize("secret", [SECRET, "k" * 500, "123456789012"])
def test_a_mistake_does_not_print_a_secret(tmp_path: Path, extra: str, secret: str) -> None:
    with pytest.raises(PlanError) as caught:
        load(tmp_path, extra, {"KEY": secret})

    assert secret[:30] not in str(caught.value)
