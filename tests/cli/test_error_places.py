"""Errors name the plan's line, paths as seen from here, and a command that can be typed."""

import json

import pytest

from tests.workspace import Workspace


def test_a_judge_that_there_is_not_is_named_with_its_line(shop: Workspace) -> None:
    shop.plan(judge={"use": "ofline"})
    lines = (shop.path / "plan.yaml").read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if "ofline" in text)

    done = shop.evalrag("check", "plan.yaml")

    assert done.err.startswith(f"error: plan.yaml:{line}:5: nothing is called 'ofline'; did you")


@pytest.mark.parametrize("judge", ["bot:FIRST", "bot:retrieve"])
def test_so_is_one_that_is_no_judge(shop: Workspace, judge: str) -> None:
    shop.plan(judge={"use": judge})

    done = shop.evalrag("check", "plan.yaml")

    assert "error: plan.yaml:" in done.err
    assert f": judge {judge} " in done.err


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (
            "bot:retreive",
            "bot:retreive: bot has no 'retreive'; did you mean 'retrieve'?\nnext: bot.py has ",
        ),
        (
            "bott:retrieve",
            "bott:retrieve: no module bott in this folder, nor among installed packages; did you "
            "mean 'bot'?",
        ),
        ("bm52", "nothing is called 'bm52'; did you mean 'bm25'?"),
    ],
)
@pytest.mark.parametrize("key", ["retriever", "generator"])
def test_a_hook_that_there_is_not_is_named_with_its_line(
    shop: Workspace, use: str, said: str, key: str
) -> None:
    shop.plan(pipeline={key: {"use": use}})
    lines = (shop.path / "plan.yaml").read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if use in text)

    done = shop.evalrag("check", "plan.yaml")

    assert f"error: plan.yaml:{line}:7: {said}" in done.err
    assert str(shop.path) not in done.err


def test_a_whole_pipeline_that_there_is_not_is_named_with_its_line(shop: Workspace) -> None:
    shop.plan(pipeline={"use": "bot:nothing", "retriever": None, "generator": None})

    assert "error: plan.yaml:" in shop.evalrag("check", "plan.yaml").err


def test_a_corpus_is_named_as_it_is_seen_from_here(shop: Workspace) -> None:
    shop.write("evals/corpus.jsonl", '{"id": 5}\n')
    shop.plan(corpus={"path": "evals/corpus.jsonl"})

    done = shop.evalrag("check", "plan.yaml")

    assert done.err.startswith("error: evals/corpus.jsonl:1: id: text is needed")


def test_the_hint_of_a_plan_that_is_wrong_names_it(shop: Workspace) -> None:
    shop.plan("my plan.yaml", nam="x")

    done = shop.evalrag("run", "my plan.yaml")

    assert "\nnext: correct the plan, then: evalrag check 'my plan.yaml'\n" in done.err


def test_a_plan_that_is_not_there_leads_to_those_that_are(shop: Workspace) -> None:
    shop.plan("other.yaml")
    shop.write("compose.yaml", "services: {}\n")

    done = shop.evalrag("check", "plam.yaml")

    assert "plam.yaml: there is no such file\n" in done.err
    assert (
        "next: evalrag check plan.yaml (plans here as well: other.yaml); or make one: evalrag init"
        in done.err
    )
    assert "next: evalrag check plan.yaml (plans here" in shop.evalrag("check").err


def test_where_there_is_no_plan_at_all_one_can_be_made(shop: Workspace) -> None:
    (shop.path / "plan.yaml").unlink()

    assert "\nnext: make one: evalrag init" in shop.evalrag("check", "plan.yaml").err
    assert "next: name one: evalrag run PLAN; or make one" in shop.evalrag("check").err


def test_a_folder_of_many_plans_names_a_few(shop: Workspace) -> None:
    for n in range(9):
        shop.plan(f"configs/p{n}.yaml")

    done = shop.evalrag("check", "configs/p5.yml")

    assert "evalrag check configs/p5.yaml (plans here as well: configs/p0.yaml, " in done.err
    assert "configs/p4.yaml and 3 more); or make one" in done.err


def test_a_hostile_file_name_is_made_safe(shop: Workspace) -> None:
    body = (shop.path / "plan.yaml").read_text()
    (shop.path / "plan.yaml").unlink()
    (shop.path / "a\x1b[31m; rm.yaml").write_text(body)

    done = shop.evalrag("check", "plan.yaml")

    assert "\x1b" not in done.err
    assert json.dumps(done.err)
    assert "evalrag check 'a" in done.err
