"""What is wrong ends in one clear message and exit 2, or in an error of its own row alone."""

import json
import re

import pytest

from evalrag.schema.run import FORMAT
from tests.workspace import BOT, PLAN, ROWS, Workspace


def plan_text(**changes: object) -> str:
    return json.dumps({**PLAN, **changes}, indent=2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("version: 1\nname: x\nnam: y\n", "nam", id="an unknown key"),
        pytest.param("version: 1\nversion: 1\n", "version", id="a duplicate key"),
        pytest.param("version: [1]\nname: x\n", "version", id="a wrong type"),
        pytest.param("version: !!python/object:os.system 1\n", "tag", id="a tag"),
        pytest.param("", "empty", id="an empty plan"),
        pytest.param("- 1\n", "mapping", id="a list"),
        pytest.param("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "", id="aliases of aliases"),
        pytest.param("version: 1\nname: " + "x" * 10_000_000 + "\n", "", id="10 MB of one scalar"),
        pytest.param(
            plan_text(gates=[{"name": "g", "metric": "recal", "must": "not_drop"}]),
            "no metric is called 'recal'",
            id="a metric that there is not",
        ),
        pytest.param(
            plan_text(gates=[{"name": "g", "metric": "hard_fail", "must": "not_drop"}]),
            "use not_rise",
            id="a rule of the other direction",
        ),
        pytest.param(
            plan_text(gates=[{"name": "g", "metric": "seconds", "must": "not_rise"}]),
            "a baseline keeps no seconds",
            id="a relative gate on a running cost",
        ),
        pytest.param(
            plan_text(
                gates=[{"name": "g", "metric": "hit", "must": "not_drop", "where": {"knd": "x"}}]
            ),
            "rows have no field 'knd'",
            id="a field that rows do not have",
        ),
        pytest.param(
            plan_text(
                gates=[
                    {"name": "g", "metric": "hit", "must": "not_drop", "where": {"kind": "near"}}
                ]
            ),
            "did you mean 'near-miss'",
            id="a kind that there is not",
        ),
        pytest.param(
            plan_text(
                waivers=[{"row": "h1", "gate": "evidnce", "until": "2026-12-31", "reason": "r"}]
            ),
            "no default gate is called 'evidnce'",
            id="a waiver of no gate",
        ),
        pytest.param(
            plan_text(
                waivers=[
                    {
                        "row": "h7",
                        "gate": "evidence is retrieved",
                        "until": "2026-12-31",
                        "reason": "r",
                    }
                ]
            ),
            "the dataset has no row 'h7'",
            id="a waiver of no row",
        ),
        pytest.param(
            plan_text(metrics=["ndgc"]), "did you mean 'ndcg'", id="a metric to keep, misspelt"
        ),
    ],
)
def test_a_plan_that_is_wrong(shop: Workspace, text: str, said: str) -> None:
    shop.write("plan.yaml", text)

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 2, done
    assert said in done.err
    assert "plan.yaml" in done.err
    assert "next: " in done.err
    assert len(done.err) < 10_000
    assert not (shop.path / ".evalrag").exists()


def line(**fields: object) -> str:
    return json.dumps({**ROWS[0], **fields})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(b"", "no row", id="a dataset of no rows"),
        pytest.param(line().encode() + b"\n{broken\n", ":2", id="a broken line"),
        pytest.param(line().encode() + b"\n" + line().encode(), "already the id", id="an id twice"),
        pytest.param(
            line(note="caf\xe9").encode("utf-8").replace(b"\\u00e9", b"\xe9"),
            "UTF-8",
            id="Latin-1 bytes",
        ),
        pytest.param(line(kind="multi-hop").encode(), "two gold", id="one evidence of two hops"),
        pytest.param(line(gold=[{"quote": " ", "doc": "d"}]).encode(), "quote", id="empty quote"),
        pytest.param(line(quesion="x").encode(), "question", id="an unknown field"),
        pytest.param(line().encode()[:-1] + b', "meta": {"x": NaN}}', "NaN", id="NaN"),
        pytest.param(line(kind="near-mis").encode(), "near-miss", id="an unknown kind"),
    ],
)
def test_a_dataset_that_is_wrong(shop: Workspace, text: bytes, said: str) -> None:
    (shop.path / "golden.jsonl").write_bytes(text)

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 2, done
    assert said in done.err
    assert "golden.jsonl" in done.err


def test_a_dataset_with_a_bom_windows_line_ends_and_blank_lines_is_fine(shop: Workspace) -> None:
    body = "\r\n\r\n".join(json.dumps(row) for row in ROWS) + "\r\n"
    (shop.path / "golden.jsonl").write_bytes(b"\xef\xbb\xbf" + body.encode())

    assert shop.evalrag("run", "plan.yaml").code == 4


def test_all_problems_of_a_dataset_are_said_together(shop: Workspace) -> None:
    (shop.path / "golden.jsonl").write_text(
        "\n".join([line(id="a", kind="x"), "{", line(id="b", gold=[])])
    )

    done = shop.evalrag("run", "plan.yaml")

    assert all(f"golden.jsonl:{number}" in done.err for number in (1, 2, 3))


def test_an_emptied_dataset_is_wrong_input_and_never_a_pass(shop: Workspace) -> None:
    shop.accepted()
    shop.rows([])

    assert shop.evalrag("run", "plan.yaml").code == 2


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param("return None", "None", id="nothing"),
        pytest.param("return 'a text'", "str", id="a string"),
        pytest.param("return [passage('wrap#0'), None]", "None", id="nothing among passages"),
        pytest.param(
            "return [{'id': 'a', 'text': 'b', 'score': float('nan')}]",
            "score",
            id="a score that is no number",
        ),
        pytest.param(
            "return [{'doc': 'a'}]", "neither an id nor a text", id="a passage of nothing"
        ),
        pytest.param("raise SystemExit(0)", "SystemExit", id="an exit"),
    ],
)
def test_a_retriever_that_returns_rubbish_costs_its_row(
    shop: Workspace, body: str, said: str
) -> None:
    shop.accepted()
    shop.write(
        "bot.py",
        BOT.replace(
            "first = FIRST.get(question, [])",
            f"if 'gift wrapping cost' in question: {body}\n        first = FIRST.get(question, [])",
        ),
    )

    done = shop.evalrag("run", "plan.yaml", "--format", "json")

    assert done.code == 3
    assert done.json["errored"] == ["h2"]
    assert said in shop.evalrag("show", "latest", "h2").out.replace("\n", " ")


def test_ten_thousand_passages_duplicates_and_passages_without_ids_are_fine(
    shop: Workspace,
) -> None:
    shop.write(
        "bot.py",
        BOT.replace(
            "return [passage(name) for name in names][:top_k]",
            "return [passage(n) for n in names for _ in (0, 1)] + ['a text'] * 10_000",
        ),
    )
    shop.plan(pipeline={"top_k": 50})

    done = shop.evalrag("run", "plan.yaml", "--format", "json")

    assert done.code == 4, done
    assert done.json["errored"] == []


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        pytest.param("''", "fail", id="an empty string fails the row"),
        pytest.param("42", "error", id="a number is an error of the row"),
        pytest.param("None", "error", id="nothing is an error of the row"),
    ],
)
def test_a_generator_that_returns_rubbish(shop: Workspace, answer: str, outcome: str) -> None:
    shop.write(
        "bot.py",
        BOT.replace(
            "return passages[0]",
            f"if 'cost' in question: return {answer}\n        return passages[0]",
        ),
    )

    done = shop.evalrag("run", "plan.yaml", "--no-baseline", "--format", "json")

    assert done.json["outcomes"]["happy-path"] == {"pass": 1, outcome: 1}


def test_a_hook_with_a_parameter_that_nobody_knows_is_said_before_anything_runs(
    shop: Workspace,
) -> None:
    shop.write("bot.py", BOT.replace("(question, top_k):", "(question, top_k, tenant):"))

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 2
    assert "tenant" in done.err
    assert not (shop.path / ".evalrag").exists()


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ("bot:retreive", "retrieve"),
        ("bto:retrieve", "bto"),
        ("bm52", "bm25"),
    ],
)
def test_a_name_that_does_not_resolve_names_the_closest(
    shop: Workspace, use: str, said: str
) -> None:
    shop.plan(pipeline={"retriever": {"use": use}})

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 2
    assert said in done.err


def test_gold_and_rival_on_one_passage_is_an_error_of_check_and_of_the_row(
    shop: Workspace,
) -> None:
    shop.write("corpus.jsonl", json.dumps({"id": "a", "doc": "d", "text": "one two three"}) + "\n")
    rows = [
        {**ROWS[0], "gold": [{"doc": "d"}], "near_miss": ["a"], "kind": "near-miss"},
        {**ROWS[5]},
    ]
    shop.rows(rows)
    shop.plan(
        pipeline={
            "retriever": {"use": "bm25", "with": {"path": "corpus.jsonl"}},
            "generator": None,
        }
    )
    shop.rows([{**rows[0], "question": "one two?"}, rows[1]])

    check = shop.evalrag("check", "plan.yaml")
    done = shop.evalrag("run", "plan.yaml", "--no-baseline", "--format", "json")

    assert check.code == 2
    assert re.search(r"^error: golden\.jsonl:1: h1\b", check.out, re.MULTILINE)
    assert done.json["errored"] == ["h1"]


def test_a_span_and_no_passage_with_spans_is_an_error_of_the_row(shop: Workspace) -> None:
    shop.rows([{**ROWS[0], "gold": [{"doc": "returns", "span": [0, 10]}]}, *ROWS[1:]])

    done = shop.evalrag("run", "plan.yaml", "--no-baseline", "--format", "json")

    assert done.code == 3
    assert done.json["errored"] == ["h1"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "nope.yaml"], "no such file"),
        (["run"], "evalrag.yaml"),
        (["run", "plan.yaml", "--kind", "near"], "near-miss"),
        (["run", "plan.yaml", "--row", "zz"], "no row 'zz'"),
        (["run", "plan.yaml", "--split", "test"], "holdout"),
        (["run", "plan.yaml", "--format", "xml"], "--format json"),
        (["run", "plan.yaml", "--failing"], "none"),
        (["show", "latest", "h1"], "none yet"),
        (["gate", "0009"], "there is no run"),
        (["explain", "ndgc"], "evalrag explain ndcg"),
        (["schema", "plans"], "plan"),
        (["baseline", "accept", "latest"], "say why"),
    ],
)
def test_a_command_line_that_is_wrong(shop: Workspace, arguments: list[str], said: str) -> None:
    done = shop.evalrag(*arguments)

    assert done.code == 2, done
    assert said in done.err
    assert "next: " in done.err


def test_a_stored_run_that_was_damaged_says_where(shop: Workspace) -> None:
    shop.evalrag("run", "plan.yaml")
    rows = shop.path / ".evalrag/runs/0001/rows.jsonl"
    rows.write_text(rows.read_text().replace('"kind":"near-miss"', '"kind":"near"'))

    done = shop.evalrag("gate", "latest")

    assert done.code == 2
    assert "line 3: kind" in done.err


def test_a_baseline_of_a_newer_format_is_refused_and_absolute_gates_still_decide(
    shop: Workspace,
) -> None:
    shop.accepted()
    head = shop.path / "baseline/run.json"
    head.write_text(head.read_text().replace(f'"format": {FORMAT}', '"format": 99'))

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 4
    assert "upgrade" in done.out
    gates = shop.evalrag("gate", "--format", "json").json["gates"]
    assert {g["name"]: g["status"] for g in gates}["nothing is invented"] == "passed"
