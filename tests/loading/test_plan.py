"""Specification of reading a plan: every mistake with its line, column and key."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from evalrag.errors import PlanError
from evalrag.loading.plan import LoadedPlan, load_plan

PLAN = """\
version: 1
name: support-bot
dataset: {path: golden.jsonl}
pipeline:
  retriever: {use: "bot:search", with: {index: prod}}
"""
GATE = "gates: [{name: g, metric: m, must: not_drop}]\n"


def load(tmp_path: Path, text: str | bytes, environ: Mapping[str, str] | None = None) -> LoadedPlan:
    (tmp_path / "golden.jsonl").touch()
    path = tmp_path / "evalrag.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_plan(path, environ or {})


def problems(
    tmp_path: Path, text: str | bytes, environ: Mapping[str, str] | None = None
) -> list[str]:
    with pytest.raises(PlanError) as caught:
        load(tmp_path, text, environ)
    assert caught.value.exit_code == 2
    prefix = f"{tmp_path / 'evalrag.yaml'}:"
    return [str(problem).removeprefix(prefix) for problem in caught.value.problems]


def test_a_plan_and_where_things_stand_in_it(tmp_path: Path) -> None:
    loaded = load(tmp_path, PLAN)

    assert loaded.plan.name == "support-bot"
    assert loaded.plan.pipeline.retriever is not None
    assert loaded.plan.pipeline.retriever.with_ == {"index": "prod"}
    assert loaded.path.is_absolute()
    assert loaded.resolve("golden.jsonl") == tmp_path / "golden.jsonl"
    assert loaded.positions["name",] == (2, 1)
    assert loaded.positions["pipeline", "retriever", "with", "index"] == (5, 41)
    assert loaded.secrets == frozenset()


@pytest.mark.parametrize(
    ("field", "place"),
    [
        pytest.param(("pipeline", "retriever"), (5, 3), id="a key of the file"),
        pytest.param(("pipeline", "retriever", "model"), (5, 3), id="a key it lacks: the owner's"),
        pytest.param(("judge",), (1, 1), id="a default: the plan's"),
    ],
)
def test_later_problems_are_located_too(
    tmp_path: Path, field: tuple[str, ...], place: tuple[int, int]
) -> None:
    problem = load(tmp_path, PLAN).problem("no such thing", *field)

    assert (problem.line, problem.column) == place
    assert problem.field == ".".join(field)


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        pytest.param("nmae: x", '6:1: nmae: unknown key "nmae": did you mean "name"?', id="a typo"),
        pytest.param(
            "run: {repeat: 2}",
            '6:7: run.repeat: unknown key "repeat": did you mean "repeats"?',
            id="a typo inside",
        ),
        pytest.param(
            "judge: {use: x, with_: {}}",
            '6:17: judge.with_: unknown key "with_": did you mean "with"?',
            id="the name of a field in the code is no key",
        ),
        pytest.param("name: y", '6:1: name: the key "name" stands twice: first in line 2', id="x2"),
        pytest.param(
            "judge: {use: x, with: {a: 1, a: 2}}",
            '6:30: judge.with.a: the key "a" stands twice: first in line 6',
            id="a key twice in a free part",
        ),
        pytest.param("5: x", "6:1: the key 5 is no text: quote it", id="a number as a key"),
        pytest.param("true: x", "6:1: the key true is no text: quote it", id="a boolean as a key"),
        pytest.param("? [a]\n: x", "6:3: a key is a text, not a list", id="a list as a key"),
        pytest.param("<<: {a: 1}", "6:1: merge keys (<<) are not read", id="a merge key"),
        pytest.param(
            "judge: !!python/object/apply:os.system ['ls']",
            "6:8: tags such as !!python/object/apply:os.system are not read",
            id="a tag that runs code",
        ),
        pytest.param("judge: !mine x", "6:8: tags such as !mine are not read", id="a local tag"),
        pytest.param(
            "judge: !!str x", "6:8: tags such as !!str are not read", id="even a safe tag"
        ),
        pytest.param("!!str judge: x", "6:1: tags such as !!str are not read", id="a tagged key"),
        pytest.param("---\nversion: 1", "6:1: one document is read", id="two documents"),
        pytest.param("\trun: {}", "6:1: a tab cannot indent YAML: use spaces", id="a tab"),
        pytest.param("run:\n\trepeats: 1", "7:1: a tab cannot indent", id="a tab inside"),
        pytest.param("run: [1", "7:1: not YAML: expected ',' or ']'", id="an open bracket"),
        pytest.param("run: 'x", "7:1: not YAML: found unexpected end", id="an open quote"),
        pytest.param("run: a: b", '6:7: not YAML: a ":" is not expected here', id="two colons"),
        pytest.param(
            "run: *nowhere", "6:6: not YAML: found undefined alias", id="an alias of none"
        ),
        pytest.param("x: &a [*a]", "6:4: an alias stands inside what it names", id="a cycle"),
        pytest.param("x: " + "[" * 9999, "6:43: nested more than 40 levels deep", id="brackets"),
        pytest.param("x: " + "- " * 9999, "6:4: not YAML", id="dashes in one line"),
        pytest.param("x: " + "{a: " * 9999, "6:157: nested more than 40", id="braces"),
        pytest.param(
            "x: \x01", "6:4: the character U+0001 may not stand", id="a control character"
        ),
        pytest.param('x: "\\ud800"', "6:4: x: an escape is half of", id="half of a surrogate pair"),
        pytest.param('"\\ud800": x', "6:1: an escape is half of", id="the same as a key"),
        pytest.param(
            'x: "\\U00110000"', "6:7: an escape stands for no character", id="no character"
        ),
        pytest.param(
            "quote_coverage: .nan", "6:17: quote_coverage: .nan is not a finite", id="NaN"
        ),
        pytest.param("quote_coverage: -.inf", "6:17: quote_coverage: -.inf is not", id="infinity"),
        pytest.param("quote_coverage: 1e999", "6:17: quote_coverage: 1e999 is not", id="overflow"),
        pytest.param(
            "quote_coverage: 2", "6:1: quote_coverage: must be at most 1, not 2", id="> 1"
        ),
        pytest.param(
            "fail_on_loosened: yes",
            '6:1: fail_on_loosened: true or false is needed, not "yes"',
            id="yes is a text",
        ),
        pytest.param(
            "run: {retry_on: [OSError, 200]}",
            "6:7: run.retry_on: an HTTP code of a failure is from 400 to 599, not 200",
            id="a code of no failure",
        ),
        pytest.param(
            "run: {stage_concurrency: {generation: 4}}",
            '6:27: run.stage_concurrency.generation: the plan does not call "generation": it calls '
            "retrieval",
            id="a stage that the plan lacks",
        ),
        pytest.param(
            "run: {stage_concurrency: {retrieval: 0}}",
            "6:27: run.stage_concurrency.retrieval: must be at least 1, not 0",
            id="no call at once",
        ),
        pytest.param(
            "run: {repeats: '2'}",
            '6:7: run.repeats: a whole number is needed, not "2"',
            id="a number in quotes",
        ),
        pytest.param("run: {repeats: 2.0}", "6:7: run.repeats: a whole number", id="a fraction"),
        pytest.param("run: {timeout_s: true}", "6:7: run.timeout_s: a number is", id="true as 1"),
        pytest.param("run: 5", "6:1: run: an object is needed, not 5", id="a number for a mapping"),
        pytest.param("metrics: hit", '6:1: metrics: a list is needed, not "hit"', id="a lone text"),
        pytest.param("metrics: [hit, 5]", "6:16: metrics[1]: 5 is a number", id="a number in it"),
        pytest.param(
            "  version: 2026",
            "6:3: pipeline.version: 2026 is a number and text is needed: put it in quotes",
            id="a version without quotes",
        ),
        pytest.param(
            "  top_k: null\n  use: x", "4:1: pipeline: give either `use`", id="two shapes"
        ),
        pytest.param(
            "corpus: {path: no.jsonl}", "6:10: corpus.path: there is no file", id="corpus"
        ),
        pytest.param(
            "waivers: [{row: a, gate: g, until: 2026-11-31, reason: x}]",
            "6:29: waivers[0].until: a day is written YYYY-MM-DD",
            id="a day that does not exist",
        ),
        pytest.param(
            GATE + "waivers: [{row: a, gate: gg, until: 2026-11-30, reason: x}]",
            '7:20: waivers[0].gate: no gate is called "gg": did you mean "g"?',
            id="a waiver of a gate that is not there",
        ),
        pytest.param(
            "retired: [{row: a, reason: x}, {row: b, reason: x}, {row: a, reason: y}]",
            "6:53: retired[2]: retired[0] says this already: keep one",
            id="a row retired twice",
        ),
        pytest.param(
            "waivers:\n"
            "- {row: a, gate: g, until: 2026-11-30, reason: x}\n"
            "- {row: a, gate: g, until: 2026-12-30, reason: y}",
            "8:3: waivers[1]: waivers[0] says this already",
            id="a waiver twice",
        ),
        pytest.param(
            "gates: [{name: g, metric: m, must: {at_leest: 1}}]",
            '6:30: gates[0].must: "at_leest" is none of',
            id="a rule with a typo",
        ),
        pytest.param(
            "gates: [{name: g, metric: m, must: {must: at_least, valu: 1, value: 2}}]",
            '6:53: gates[0].must.valu: unknown key "valu": did you mean "value"?',
            id="a rule in full with a typo",
        ),
        pytest.param(
            "gates: [{name: g, metric: m, must: not_drp}]",
            '6:30: gates[0].must: "not_drp" is not one of not_drop',
            id="a rule of one word with a typo",
        ),
        pytest.param(
            "gates: [{name: g, metric: m, must: [not_drop, {at_least: '1'}]}]",
            '6:48: gates[0].must[1].at_least: a number is needed, not "1"',
            id="a limit in quotes",
        ),
        pytest.param(
            "gates: [{name: g, metric: m, must: 3}]",
            "6:30: gates[0].must: a rule, such as not_drop or",
            id="a rule that is a number",
        ),
        pytest.param(
            "gates: [{name: g, metric: m, must: []}]",
            "6:30: gates[0].must: is empty: at least one entry",
            id="no rule",
        ),
        pytest.param(
            "gates: [{name: g, metric: m, must: not_drop}, {name: g, metric: n, must: not_rise}]",
            "6:1: gates: two gates are called 'g'",
            id="two gates of one name",
        ),
        pytest.param(
            "gates: [defaults, {name: g, metric: m, must: not_drop}, defaults]",
            "6:1: gates: `defaults` stands there twice",
            id="the default gates twice",
        ),
        pytest.param(
            "gates: [default]",
            '6:9: gates[0]: "default" is none of defaults: did you mean "defaults"?',
            id="the word misspelt",
        ),
        pytest.param(
            "gates: [defaults, {name: g, metric: m, must: not_drop, tolerance: '1'}]",
            "6:56: gates[1].tolerance: a number is needed",
            id="a gate after the word",
        ),
        pytest.param("gates: [3]", "6:9: gates[0]: an object is needed", id="no gate"),
        pytest.param(
            "gates: [defaults]\n"
            "waivers: [{row: a, gate: evidence is retrieve, until: 2026-11-30, reason: x}]",
            '7:20: waivers[0].gate: no gate is called "evidence is retrieve": did you mean "evid',
            id="a waiver of a misspelt default gate",
        ),
    ],
)
def test_one_mistake_is_one_message(tmp_path: Path, extra: str, said: str) -> None:
    [problem] = problems(tmp_path, f"{PLAN}{extra}\n")

    assert problem.startswith(said)
    assert len(problem) < 450


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"", "the plan is empty", id="an empty file"),
        pytest.param(b"# later\n", "the plan is empty", id="a comment alone"),
        pytest.param(b"- a\n", "1:1: a plan is a mapping", id="a list"),
        pytest.param(b"hello", "1:1: a plan is a mapping", id="a text"),
        pytest.param(b"name: caf\xe9\n", "1:10: not UTF-8: byte 0xE9", id="Latin-1"),
        pytest.param(b"\xef\xbb\xbfname: caf\xe9", "1:10: not UTF-8", id="Latin-1 after a mark"),
        pytest.param(PLAN.encode("utf-16"), "1:1: this file is UTF-16", id="UTF-16"),
        pytest.param(
            b"x: " + b"a" * 10**7, "the file is larger than 1,000,000", id="ten megabytes"
        ),
        pytest.param(PLAN.replace("1", "2").encode(), "1:1: version: this evalrag reads", id="v2"),
        pytest.param(
            PLAN.replace("golden", "gone").encode(),
            '3:11: dataset.path: there is no file "gone.jsonl"',
            id="a dataset that is not there",
        ),
    ],
)
def test_a_file_that_is_no_plan(tmp_path: Path, data: bytes, said: str) -> None:
    [problem] = problems(tmp_path, data)

    assert problem.removeprefix(f"{tmp_path / 'evalrag.yaml'}: ").strip().startswith(said)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("nowhere.yaml", "there is no such file", id="a file that is not there"),
        pytest.param(".", "this is a folder", id="a folder"),
        pytest.param("a\0b", "not the name of a file", id="a null byte in the name"),
        pytest.param("x" * 5000, "cannot be read: File name too long", id="a name without end"),
    ],
)
def test_a_file_that_cannot_be_opened(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        load_plan(tmp_path / name, {})


def test_an_alias_bomb_goes_out(tmp_path: Path) -> None:
    """One that would be a million million values, and one that would be twelve thousand."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]

    [problem] = problems(tmp_path, PLAN + "\n".join(lines))

    assert "aliases repeat too much" in problem

    [problem] = problems(tmp_path, f"{PLAN}a: &a [{'x, ' * 99}x]\nb: [{'*a, ' * 119}*a]\n")

    assert "aliases repeat too much" in problem


def test_all_problems_come_together_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = """\
version: "1"
nmae: x
dataset: {path: gone.jsonl}
pipeline:
  retriever: {use: 5}
  top_k: ${K}
  top_k: 3
run: {repeats: 0, 7: x}
"""

    assert [problem[:40] for problem in problems(tmp_path, text)] == [
        '1:1: version: a whole number is needed, not "1"'[:40],
        "1:1: name: is missing",
        '2:1: nmae: unknown key "nmae": did you mean'[:40],
        "5:15: pipeline.retriever.use: 5 is a number"[:40],
        "6:3: pipeline.top_k: the environment variable"[:40],
        '7:3: pipeline.top_k: the key "top_k" stands'[:40],
        "8:7: run.repeats: must be at least 1, not 0"[:40],
        "8:19: run: the key 7 is no text: quote it"[:40],
    ]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        pytest.param("on", "on", id="on is a text"),
        pytest.param("No", "No", id="no is a text"),
        pytest.param("12:30", "12:30", id="a time is a text"),
        pytest.param("2026-11-30", "2026-11-30", id="a day is a text"),
        pytest.param("007", "007", id="a leading zero makes a text"),
        pytest.param("1_000", "1_000", id="an underscore too"),
        pytest.param("0o17", 15, id="octal"),
        pytest.param("0x1F", 31, id="hexadecimal"),
        pytest.param("-3", -3, id="a negative number"),
        pytest.param("1e3", 1000.0, id="an exponent without a dot"),
        pytest.param(".5", 0.5, id="a fraction"),
        pytest.param("true", True, id="true"),
        pytest.param("~", None, id="null"),
        pytest.param("'5'", "5", id="quotes make a text"),
        pytest.param("9" * 65, "9" * 65, id="too many digits are a text"),
        pytest.param("=", "=", id="YAML 1.1's default value is a text"),
        pytest.param("|\n        a\n        b", "a\nb\n", id="a block"),
    ],
)
def test_scalars_mean_what_they_look_like(tmp_path: Path, written: str, value: object) -> None:
    text = PLAN + f"judge:\n  use: x\n  with:\n    a: {written}\n"

    found = load(tmp_path, text).plan.judge.with_["a"]

    assert found == value
    assert type(found) is type(value)


def test_an_anchor_for_a_shared_block_is_fine(tmp_path: Path) -> None:
    text = PLAN.replace("{index: prod}", "&w {index: prod}") + "judge: {use: x, with: *w}\n"

    loaded = load(tmp_path, text)

    assert loaded.plan.judge.with_ == {"index": "prod"}
    assert loaded.positions["judge", "with"] == (6, 17)


@pytest.mark.parametrize("key", ["gates", "waivers", "thresholds", "baseline", "judge"])
def test_a_key_whose_entries_are_all_commented_out_is_missing(tmp_path: Path, key: str) -> None:
    assert load(tmp_path, f"{PLAN}{key}:\n#  - x\n").plan == load(tmp_path, PLAN).plan


def test_no_gate_is_not_the_same_as_no_word_about_gates(tmp_path: Path) -> None:
    assert load(tmp_path, PLAN + "gates: []\n").plan.gates == ()
    assert load(tmp_path, PLAN).plan.gates is None


def test_default_gates_stand_in_a_list_by_one_word_and_can_be_waived(tmp_path: Path) -> None:
    waiver = "waivers: [{row: a, gate: evidence is retrieved, until: 2026-11-30, reason: x}]\n"

    plan = load(tmp_path, PLAN + "gates: [defaults]\n" + waiver).plan

    assert plan.gates == ("defaults",)


def test_a_waiver_of_a_default_gate_is_not_looked_at_here(tmp_path: Path) -> None:
    waiver = "waivers: [{row: a, gate: evidence is retrieved, until: 2026-11-30, reason: x}]\n"

    assert load(tmp_path, PLAN + waiver).plan.waivers[0].until == "2026-11-30"


@pytest.mark.parametrize(
    "same",
    [
        pytest.param("\ufeff" + PLAN, id="a byte order mark"),
        pytest.param(PLAN.replace("\n", "\r\n"), id="Windows line ends"),
        pytest.param("# a comment\n" + PLAN + "\n\n", id="comments and blank lines"),
        pytest.param(PLAN.replace("{path: golden.jsonl}", "\n    path: golden.jsonl"), id="blocks"),
        pytest.param(
            "".join([*PLAN.splitlines(keepends=True)[1:], "version: 1\n"]), id="keys in any order"
        ),
        pytest.param(PLAN.replace("support-bot", "'support-bot'"), id="quotes"),
    ],
)
def test_the_digest_is_of_the_content_and_not_of_its_writing(tmp_path: Path, same: str) -> None:
    assert load(tmp_path, same).digest == load(tmp_path, PLAN).digest


def test_the_digest_sees_a_change(tmp_path: Path) -> None:
    assert load(tmp_path, PLAN.replace("prod", "test")).digest != load(tmp_path, PLAN).digest
