"""People decide what judges cannot: kept in a file, by content, until the content changes."""

import json

import pytest

from tests.workspace import Workspace

LOOSE = """
    import bot

    SAID = {said!r}

    def generate(question, passages):
        if "gift wrapping cost" in question:
            return SAID
        return bot.generate(question, passages)
"""
OPEN = "Having a present packed nicely is 4 euros."
"""Free paraphrase, which rules cannot judge."""
REASON = ("--reason", "read beside the page")


@pytest.fixture
def loose(shop: Workspace) -> Workspace:
    """A shop that says one thing in words of its own."""
    says(shop, OPEN)
    return shop


def says(shop: Workspace, said: str) -> None:
    shop.write("loose.py", LOOSE.replace("{said!r}", repr(said)))
    shop.plan(pipeline={"generator": {"use": "loose:generate"}, "watch": ["*.py"]})


def outcome(shop: Workspace, *arguments: str) -> str:
    """How h2 ended in a new run."""
    done = shop.evalrag("run", "plan.yaml", "--no-baseline", "--format", "json", *arguments)
    return "unresolved" if "h2" in done.json["unresolved"] else "decided"


def test_an_open_claim_is_settled_and_stays_settled(loose: Workspace) -> None:
    assert outcome(loose) == "unresolved"
    shown = loose.evalrag("show", "latest", "h2")
    assert "evalrag judge decide" in shown.out

    decided = loose.evalrag(
        "judge", "decide", "latest", "h2", "--claim", "1", "--label", "SUPPORTED", *REASON
    )

    assert decided.code == 0, decided
    assert "evalrag rescore 0001" in decided.out + decided.err
    line = json.loads((loose.path / "decisions.jsonl").read_text())
    assert (line["row"], line["label"], line["reason"]) == (
        "h2",
        "SUPPORTED",
        "read beside the page",
    )
    assert loose.evalrag("rescore", "0001").code == 0
    again = loose.evalrag("show", "latest", "h2").out
    assert "decided by" in again
    assert "PASS" in again
    assert outcome(loose) == "decided"
    assert "settled by people: h2" in loose.evalrag("gate", "latest", "--no-baseline").out


def test_it_holds_until_the_answer_changes(loose: Workspace) -> None:
    outcome(loose)
    loose.evalrag(
        "judge", "decide", "latest", "h2", "--claim", "1", "--label", "SUPPORTED", *REASON
    )

    says(loose, "Having a gift packed nicely sets you back 4 euros.")
    done = loose.evalrag("run", "plan.yaml", "--no-baseline", "--format", "json")

    assert done.json["unresolved"] == ["h2"]
    assert "1 decision did not apply" in done.err


def test_people_may_find_a_claim_wrong(loose: Workspace) -> None:
    outcome(loose)
    loose.evalrag(
        "judge", "decide", "latest", "h2", "--claim", "1", "--label", "CONTRADICTED", *REASON
    )

    done = loose.evalrag("run", "plan.yaml", "--no-baseline", "--format", "json")

    assert done.json["outcomes"]["happy-path"] == {"fail": 1, "pass": 1}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("h2", "--claim", "9", "--label", "SUPPORTED"), "claim", id="no such claim"),
        pytest.param(("h2", "--claim", "1", "--label", "GOOD"), "SUPPORTED", id="no such label"),
        pytest.param(("h9", "--claim", "1", "--label", "SUPPORTED"), "h9", id="no such row"),
        pytest.param(("h2", "--label", "SUPPORTED"), "--claim", id="nothing named"),
        pytest.param(("h2", "--fact", "1", "--label", "STATED"), "fact", id="no such fact"),
        pytest.param(("h2", "--form", "MAYBE"), "ANSWERED", id="no such form"),
    ],
)
def test_what_cannot_be_decided(
    shared_loose: Workspace, arguments: tuple[str, ...], said: str
) -> None:
    done = shared_loose.evalrag("judge", "decide", "latest", *arguments, *REASON)

    assert done.code == 2, done
    assert said in done.err
    assert "next:" in done.err
    assert not (shared_loose.path / "decisions.jsonl").exists()


@pytest.fixture(scope="module")
def shared_loose(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    shop = Workspace(tmp_path_factory.mktemp("loose"))
    says(shop, OPEN)
    outcome(shop)
    return shop


def test_a_damaged_file_of_decisions_is_refused_before_anything_runs(loose: Workspace) -> None:
    loose.write("decisions.jsonl", '{"content": "x"}\n')

    done = loose.evalrag("run", "plan.yaml")

    assert done.code == 2
    assert "decisions.jsonl:1" in done.err
