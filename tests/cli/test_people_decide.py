"""`evalrag judge decide` as a process: what a person said holds until what they read changes."""

import json
import os
import subprocess
from typing import Any

import pytest

from tests.workspace import BOT, ROWS, Workspace

OWN_WORDS = "Roughly 30 days after delivery it closes. Gift wrapping costs 4 euros for each parcel."
GATE = {"name": "nothing wrong", "metric": "hard_fail", "must": {"at_most": 0}}
REASON = ("--reason", "the window that the context names", "--by", "Ana")


def bot(shop: Workspace, **answers: str) -> None:
    """A bot that answers some questions, by the first word, as a test wants it."""
    text = BOT.replace("def generate(question, passages):", "def extract(question, passages):")
    shop.write("bot.py", text)
    with (shop.path / "bot.py").open("a", encoding="utf-8") as file:
        file.write(
            f"\nOWN = {answers!r}\n\n\ndef generate(question, passages):\n"
            "    return OWN.get(question.split()[0], extract(question, passages))\n"
        )


@pytest.fixture
def open_claim(shop: Workspace) -> Workspace:
    """A project whose answer on h1 holds one claim that the offline judge leaves open."""
    rows = [dict(row) for row in ROWS]
    rows[0]["question"] = "Length of the return window?"
    rows[0]["reference_facts"] = ["Returns are possible for 30 days."]
    shop.rows(rows)
    bot(shop, Length=OWN_WORDS)
    shop.plan(gates=[GATE], baseline=None)
    return shop


def row_of(shop: Workspace, name: str, run: str) -> dict[str, Any]:
    lines = (shop.path / ".evalrag/runs" / run / "rows.jsonl").read_text().splitlines()
    found: dict[str, Any] = next(r for r in map(json.loads, lines) if r["id"] == name)
    return found


def decisions(shop: Workspace, name: str = "decisions.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (shop.path / name).read_text().splitlines()]


def test_an_open_claim_that_a_person_settles_stays_settled(open_claim: Workspace) -> None:
    shop = open_claim
    first = shop.evalrag("run", "plan.yaml")
    assert first.code == 3
    assert "next: evalrag show 0001 h1\n" in first.out
    command = (
        'evalrag judge decide 0001 h1 --claim 1 --label "SUPPORTED|ABSENT|CONTRADICTED" '
        '--reason "..."'
    )
    assert f"next: {command}\n" in first.out
    assert f"next: {command}\n" in shop.evalrag("show", "0001", "h1").out

    done = shop.evalrag("judge", "decide", "0001", "h1", "--claim", "1", "--label", "supported",
                        *REASON)  # fmt: skip

    assert done.code == 0, done
    assert "h1, claim 1: UNRESOLVED -> SUPPORTED, by Ana" in done.out
    assert "kept in decisions.jsonl" in done.out
    assert done.out.rstrip().endswith("next: evalrag rescore 0001")
    (kept,) = decisions(shop)
    assert kept["claim"] == kept["claims"][0] == OWN_WORDS.split(". ")[0] + "."
    assert len(kept["claims"]) == 2
    assert (kept["row"], kept["by"], kept["on"]) == ("h1", "Ana", "2026-11-30")

    assert shop.evalrag("rescore", "0001").code == 0
    gated = shop.evalrag("gate", "latest")
    again = shop.evalrag("run", "plan.yaml")

    assert (gated.code, again.code) == (0, 0)
    assert "settled by people: h1" in again.out
    claims = row_of(shop, "h1", "0003")["verdicts"]["claims"]
    assert [(claim["label"], claim.get("code")) for claim in claims] == [
        ("SUPPORTED", "people"),
        ("SUPPORTED", None),
    ]
    assert claims[0]["reason"] == f"decided by Ana on 2026-11-30: {REASON[1]}"
    assert row_of(shop, "h1", "0002") == row_of(shop, "h1", "0003")
    assert "did not apply" not in again.err
    shown = shop.evalrag("show", "latest", "h1").out
    assert "c1 SUPPORTED Roughly 30 days" in shown
    assert "decided by Ana on 2026-11-30" in shown


@pytest.mark.parametrize("changed", ["question", "context", "answer"])
def test_it_holds_until_question_context_or_answer_change(
    open_claim: Workspace, changed: str
) -> None:
    shop = open_claim
    shop.evalrag("run", "plan.yaml")
    shop.evalrag("judge", "decide", "1", "h1", "--claim", "1", "--label", "SUPPORTED", *REASON)
    if changed == "question":
        text = (shop.path / "golden.jsonl").read_text()
        shop.write("golden.jsonl", text.replace("Length of the", "Length of a"))
    elif changed == "context":
        bot(shop, Length=OWN_WORDS)
        text = (shop.path / "bot.py").read_text()
        shop.write("bot.py", text.replace("at nine in", "at ten in").replace("30 days", "31 days"))
    else:
        bot(shop, Length=OWN_WORDS.replace("Roughly", "about"))

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 3
    assert "1 decision did not apply" in done.err
    assert "settled by people" not in done.out


def test_a_decision_on_an_answer_that_the_baseline_gave_holds_on_both_sides(
    shop: Workspace,
) -> None:
    shop.evalrag("run", "plan.yaml")
    shop.evalrag("baseline", "accept", "latest", "--reason", "read")
    shop.evalrag("judge", "decide", "latest", "h1", "--form", "DECLINED", *REASON)

    done = shop.evalrag("run", "plan.yaml", "--format", "json")

    h1 = next(change for change in done.json["diff"]["changes"] if change["id"] == "h1")
    assert h1["change"] == "still failing"
    assert (h1["stages"]["boundary"], done.code) == ("still failing", 0)


def test_a_new_context_voids_no_decision_on_a_form(shop: Workspace) -> None:
    shop.evalrag("run", "plan.yaml")
    shop.evalrag("judge", "decide", "latest", "h1", "--form", "CORRECTS", *REASON)
    shop.plan(pipeline={"context_k": 3})

    done = shop.evalrag("run", "plan.yaml")

    assert "did not apply" not in done.err
    assert row_of(shop, "h1", "0002")["verdicts"]["form"] == "CORRECTS"


def test_a_decision_on_a_row_that_was_not_asked_for_goes_without_saying(
    open_claim: Workspace,
) -> None:
    shop = open_claim
    shop.evalrag("run", "plan.yaml")
    shop.evalrag("judge", "decide", "1", "h1", "--claim", "1", "--label", "SUPPORTED", *REASON)

    assert "did not apply" not in shop.evalrag("run", "plan.yaml", "--row", "h2").err
    shop.rows(ROWS[1:])
    assert "did not apply" in shop.evalrag("run", "plan.yaml", "--row", "h2").err


def test_a_contradiction_by_people_fails_the_gate(open_claim: Workspace) -> None:
    shop = open_claim
    shop.evalrag("run", "plan.yaml")
    shop.evalrag("judge", "decide", "1", "h1", "--claim", "1", "--label", "CONTRADICTED", *REASON)

    assert shop.evalrag("run", "plan.yaml").code == 1


def test_what_a_judge_decided_may_be_decided_again_and_the_last_word_stands(
    open_claim: Workspace,
) -> None:
    shop = open_claim
    shop.evalrag("run", "plan.yaml")
    decide = ("judge", "decide", "latest", "h1", *REASON)

    told = shop.evalrag(*decide, "--claim", "2", "--label", "ABSENT")
    assert "claim 2: SUPPORTED -> ABSENT" in told.out
    shop.evalrag("rescore", "latest")
    told = shop.evalrag(*decide, "--claim", "2", "--label", "SUPPORTED")
    assert "claim 2: ABSENT -> SUPPORTED" in told.out
    shop.evalrag(*decide, "--claim", "1", "--label", "SUPPORTED")

    assert shop.evalrag("run", "plan.yaml").code == 0
    assert len(decisions(shop)) == 3
    claims = row_of(shop, "h1", "0003")["verdicts"]["claims"]
    assert [(claim["label"], claim["code"]) for claim in claims] == [("SUPPORTED", "people")] * 2


def test_a_fact_and_a_form_are_decided(open_claim: Workspace) -> None:
    shop = open_claim
    shop.evalrag("run", "plan.yaml")
    shown = shop.evalrag("show", "latest", "h1").out
    assert "fact 1 " in shown
    decide = ("judge", "decide", "latest", "h1", *REASON)

    fact = shop.evalrag(*decide, "--fact", "1", "--label", "STATED")
    form = shop.evalrag(*decide, "--form", "QUALIFIED")

    assert "fact 1: " in fact.out
    assert "-> STATED, by Ana" in fact.out
    assert "form: ANSWERED (forms/2) -> QUALIFIED, by Ana" in form.out
    shop.evalrag("run", "plan.yaml")
    row = row_of(shop, "h1", "0002")
    assert row["scores"]["answer_correctness"] == 1.0
    assert (row["verdicts"]["form"], row["verdicts"]["form_by"]) == ("QUALIFIED", "people")
    assert "Answer (QUALIFIED, by people)" in shop.evalrag("show", "latest", "h1").out


def test_an_open_form_is_settled_against_the_baseline(shop: Workspace) -> None:
    shop.accepted()
    bot(shop, Who="Hello!")
    first = shop.evalrag("run", "plan.yaml")
    assert first.code == 3
    assert "evalrag judge decide 0002 u1 --form" in first.out

    shop.evalrag("judge", "decide", "0002", "u1", "--form", "DECLINED", *REASON)

    done = shop.evalrag("run", "plan.yaml")
    assert done.code == 0, done.out
    assert "settled by people: u1" in done.out


def test_every_attempt_with_that_content_is_decided(open_claim: Workspace) -> None:
    shop = open_claim
    shop.plan(gates=[GATE], baseline=None, run={"repeats": 3})
    shop.evalrag("run", "plan.yaml")

    done = shop.evalrag("judge", "decide", "1", "h1", "--claim", "1", "--label", "SUPPORTED",
                        *REASON)  # fmt: skip

    assert done.code == 0, done
    assert shop.evalrag("run", "plan.yaml").code == 0
    attempts = row_of(shop, "h1", "0002")["attempts"]
    assert [a["verdicts"]["claims"][0]["code"] for a in attempts] == ["people"] * 3


def test_attempts_that_differ_are_told_apart(open_claim: Workspace) -> None:
    shop = open_claim
    text = (shop.path / "bot.py").read_text()
    text = text.replace("def generate(question, passages):", "def answer(question, passages):")
    shop.write(
        "bot.py",
        text + "\n\ndef generate(question, passages, repeat):\n"
        "    said = answer(question, passages)\n"
        "    return said if repeat != 1 else said.replace('Roughly', 'about')\n",
    )
    shop.plan(gates=[GATE], baseline=None, run={"repeats": 2})
    first = shop.evalrag("run", "plan.yaml")
    assert "--attempt 1" in first.out
    decide = ("judge", "decide", "1", "h1", "--claim", "1", "--label", "SUPPORTED", *REASON)

    refused = shop.evalrag(*decide)
    beyond = shop.evalrag(*decide, "--attempt", "3")
    done = shop.evalrag(*decide, "--attempt", "2")

    assert (refused.code, beyond.code, done.code) == (2, 2, 0)
    assert "--attempt" in refused.err
    assert "has no attempt 3" in beyond.err
    assert "about 30 days" in decisions(shop)[0]["claim"]
    again = shop.evalrag("run", "plan.yaml")
    assert again.code == 3
    assert "--attempt 1" in again.out


def test_nothing_is_kept_of_a_command_that_is_wrong(open_claim: Workspace) -> None:
    shop = open_claim
    shop.evalrag("run", "plan.yaml")
    for arguments, said in WRONG:
        done = shop.evalrag("judge", "decide", *arguments)
        assert done.code == 2, (arguments, done)
        assert said in done.err, (arguments, done.err)
        assert "next: " in done.err
    assert not (shop.path / "decisions.jsonl").exists()


CLAIM = ("--claim", "1", "--label", "SUPPORTED")
WRONG: list[tuple[tuple[str, ...], str]] = [
    (("latest", "h1", *REASON), "decide one thing"),
    (("latest", "h1", "--claim", "1", "--form", "ANSWERED", *REASON), "decide one thing"),
    (("latest", "h1", "--claim", "1", *REASON), "needs a --label: one of SUPPORTED, ABSENT"),
    (("latest", "h1", "--claim", "1", "--label", "STATED", *REASON), "not one of SUPPORTED"),
    (("latest", "h1", "--claim", "1", "--label", "UNRESOLVED", *REASON), "not one of SUPPORTED"),
    (("latest", "h1", "--fact", "1", "--label", "ABSENT", *REASON), "not one of STATED, MISSING"),
    (("latest", "h1", "--form", "YES", *REASON), "not one of ANSWERED, QUALIFIED"),
    (("latest", "h1", "--form", "ANSWERED", "--label", "ABSENT", *REASON), "--label is for"),
    (("latest", "h1", *CLAIM, "--by", "Ana"), "say why"),
    (("latest", "h1", *CLAIM, "--by", "Ana", "--reason", "..."), "say why"),
    (("latest", "h1", "--claim", "3", "--label", "ABSENT", *REASON), "numbered from 1 to 2"),
    (("latest", "h1", "--claim", "0", "--label", "ABSENT", *REASON), "numbered from 1 to 2"),
    (("latest", "u1", *CLAIM, *REASON), "names no claim: the answer declines"),
    (("latest", "h2", "--fact", "1", "--label", "STATED", *REASON), "names no fact"),
    (("latest", "h11", *CLAIM, *REASON), "has no row 'h11'"),
    (("0009", "h1", *CLAIM, *REASON), "there is no run"),
    (("latest", "h1", *CLAIM, *REASON, "--plan", "other.yaml"), "no such file"),
]


def test_it_says_who_decides_or_is_refused(
    open_claim: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = open_claim
    shop.evalrag("run", "plan.yaml")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    decide = ("judge", "decide", "1", "h1", *CLAIM, "--reason", "read it")

    refused = shop.evalrag(*decide)
    subprocess.run(["git", "init", "-q"], cwd=shop.path, check=True)
    subprocess.run(["git", "config", "user.name", "Bo Git"], cwd=shop.path, check=True)
    done = shop.evalrag(*decide)

    assert refused.code == 2
    assert "--by NAME" in refused.err
    assert done.code == 0, done
    assert decisions(shop)[0]["by"] == "Bo Git"


def test_a_row_that_asks_something_else_now_or_is_gone_cannot_be_decided(
    open_claim: Workspace,
) -> None:
    shop = open_claim
    shop.evalrag("run", "plan.yaml")
    text = (shop.path / "golden.jsonl").read_text()
    decide = ("judge", "decide", "1", "h1", *CLAIM, *REASON)

    shop.write("golden.jsonl", text.replace("Length of the", "Length of a"))
    edited = shop.evalrag(*decide)
    shop.rows(ROWS[1:])
    gone = shop.evalrag(*decide)

    assert (edited.code, gone.code) == (2, 2)
    assert "asks something else" in edited.err
    assert "evalrag run plan.yaml --row h1" in edited.err
    assert "has no row 'h1' any more" in gone.err


def test_a_run_without_traces_cannot_be_decided_on(open_claim: Workspace) -> None:
    shop = open_claim
    shop.evalrag("run", "plan.yaml")
    (shop.path / ".evalrag/runs/0001/traces.jsonl").unlink()

    done = shop.evalrag("judge", "decide", "1", "h1", *CLAIM, *REASON)

    assert done.code == 2
    assert "keeps no traces of row 'h1'" in done.err


@pytest.mark.parametrize("command", ["run", "check", "rescore", "decide"])
def test_a_damaged_line_is_an_error_at_its_place(open_claim: Workspace, command: str) -> None:
    shop = open_claim
    shop.evalrag("run", "plan.yaml")
    shop.evalrag("judge", "decide", "1", "h1", *CLAIM, *REASON)
    path = shop.path / "decisions.jsonl"
    path.write_text(path.read_text() + path.read_text()[:90])
    before = path.read_bytes()
    arguments = {
        "run": ("run", "plan.yaml"),
        "check": ("check", "plan.yaml"),
        "rescore": ("rescore", "latest"),
        "decide": ("judge", "decide", "1", "h1", *CLAIM, *REASON),
    }[command]

    done = shop.evalrag(*arguments)

    assert done.code == 2
    assert "decisions.jsonl:2" in done.err
    assert "next: " in done.err
    assert path.read_bytes() == before


def test_the_plan_names_the_file_and_check_counts_it(open_claim: Workspace) -> None:
    shop = open_claim
    shop.plan(gates=[GATE], baseline=None, judge={"use": "offline", "decisions": "said/by.jsonl"})
    shop.evalrag("run", "plan.yaml")

    done = shop.evalrag("judge", "decide", "1", "h1", *CLAIM, *REASON)

    assert "kept in said/by.jsonl" in done.out
    assert len(decisions(shop, "said/by.jsonl")) == 1
    assert "1 verdict of people in said/by.jsonl" in shop.evalrag("check", "plan.yaml").out
    assert shop.evalrag("run", "plan.yaml").code == 0


def test_a_secret_in_what_was_read_neither_is_kept_nor_hinders(
    open_claim: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recorded outputs are scored as they stand, and stored without secrets."""
    shop = open_claim
    shop.evalrag("run", "plan.yaml")
    traces = (shop.path / ".evalrag/runs/0001/traces.jsonl").read_text().splitlines()
    lines = []
    for trace in map(json.loads, traces):
        for passage in trace["candidates"]:
            passage["text"] += " The code is s3cretvalue."
        context = [trace["candidates"][place] for place in trace["context"]]
        line = {name: trace[name] for name in ("id", "candidates", "answer")}
        lines.append(json.dumps(line | {"context": context}))
    shop.write("out.jsonl", "\n".join(lines))
    recorded = {"use": "recorded", "with": {"path": "out.jsonl"}, "retriever": None}
    shop.plan(gates=[GATE], baseline=None, pipeline=recorded | {"generator": None})
    monkeypatch.setenv("SHOP_API_KEY", "s3cretvalue")
    assert shop.evalrag("run", "plan.yaml").code == 3

    done = shop.evalrag("judge", "decide", "latest", "h1", *CLAIM, "--by", "Ana",
                        "--reason", "s3cretvalue is fine")  # fmt: skip

    assert done.code == 0, done
    assert "s3cretvalue" not in (shop.path / "decisions.jsonl").read_text() + done.out
    assert shop.evalrag("run", "plan.yaml").code == 0
