"""A model judge in a plan, from the command line: what is asked, kept, compared, said and hidden.

The tests of one class share one folder, and stand in the order in which things happen in it.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.judges.asking import on_claims
from tests.judges.scripted import body_of, honest
from tests.provider import said
from tests.provider.said import Asked, Said
from tests.provider.server import KEY, ProviderServer
from tests.workspace import BOT, Done, Workspace

ALIAS, DATED = "gpt-5.5", "gpt-5.5-2026-04-23"
OTHER = "gpt-5.4-mini-2026-03-17"
COUNTED = BOT.replace(
    "def retrieve(question, top_k):",
    "def retrieve(question, top_k):\n"
    "        with open('asked.txt', 'a') as file:\n"
    "            file.write(question + '\\n')",
)


class Judged:
    """A shop whose judge is a model behind a local server."""

    def __init__(self, path: Path, server: ProviderServer) -> None:
        self.shop, self.server = Workspace(path), server
        self.shop.write("bot.py", COUNTED)
        self.plan()

    def plan(self, judge: dict[str, Any] | None = None, **changes: Any) -> None:
        given = {"model": DATED, "base_url": self.server.openai_url, "retries": 0}
        more = dict(judge or {})
        use = more.pop("use", "openai")
        kept = {name: more.pop(name) for name in ("votes", "require_other_family") if name in more}
        if use == "anthropic":
            given |= {"model": "claude-haiku-4-5-20251001", "base_url": self.server.anthropic_url}
        self.shop.plan(judge={"use": use, "with": given | more, **kept}, **changes)

    def __call__(self, *arguments: str, **environment: str) -> Done:
        """Run a command; `server.calls` are then those of it alone."""
        self.server.forget()
        keys: dict[str, Any] = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
        return self.shop.evalrag(*arguments, **(keys | environment))

    @property
    def pipeline_calls(self) -> int:
        return len((self.shop.path / "asked.txt").read_text().splitlines())

    def calls(self, run: str) -> list[dict[str, Any]]:
        path = self.shop.path / ".evalrag/runs" / run / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="class")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    with ProviderServer(honest) as server:
        yield Judged(tmp_path_factory.mktemp("judged"), server)


def flat(text: str) -> str:
    return " ".join(text.split())


class TestOneRunAfterAnother:
    """Judged, judged again from what was kept, judged by another model, and compared again."""

    def test_a_run_asks_two_questions_a_row(self, judged: Judged) -> None:
        done = judged("run", "plan.yaml", "--format", "json")
        assert done.code == 4
        assert len(judged.server.calls) == 10  # five answers; u1 declines, and plain code sees it
        assert done.json["outcomes"]["happy-path"] == {"pass": 2}
        (spent,) = done.json["spent"]
        assert (spent["what"], spent["calls"], spent["kept"], spent["failed"]) == (
            "judge",
            10,
            0,
            0,
        )
        assert spent["tokens_in"] > 0
        assert spent["cost"] is None
        assert done.json["head"] == []
        accepted = judged("baseline", "accept", "latest", "--reason", "first")
        assert (accepted.code, judged.server.calls) == (0, [])

    def test_every_call_has_its_line_with_the_raw_reply(self, judged: Judged) -> None:
        lines = judged.calls("0001")
        assert [(line["id"], line["task"]) for line in lines[:4]] == [
            ("h1", "claims"),
            ("h1", "relevancy"),
            ("h2", "claims"),
            ("h2", "relevancy"),
        ]
        for line in lines:
            assert json.loads(line["raw"])
            assert (line["model"], line["finish"]) == (DATED, "stop")
            assert line["tokens_in"] > 0 < line["tokens_out"]
            assert "problem" not in line

    def test_the_same_run_again_makes_no_call(self, judged: Judged) -> None:
        done = judged("run", "plan.yaml", "--format", "json")
        assert (done.code, judged.server.calls) == (0, [])
        (spent,) = done.json["spent"]
        assert (spent["calls"], spent["kept"], spent["cost"]) == (0, 10, 0.0)
        assert {line["cached"] for line in judged.calls("0002")} == {True}
        assert judged.shop.run_files("0001") == judged.shop.run_files("0002")

    def test_check_makes_no_call(self, judged: Judged) -> None:
        done = judged("check", "plan.yaml")
        assert (done.code, judged.server.calls) == (0, [])

    def test_without_the_cache_all_is_asked_again(self, judged: Judged) -> None:
        done = judged("run", "plan.yaml", "--no-cache")
        assert (done.code, len(judged.server.calls)) == (0, 10)
        assert "judge: 10 calls, " in flat(done.out)

    def test_what_was_open_is_asked_again_and_nothing_else(self, judged: Judged) -> None:
        judged("cache", "clear")
        judged.server.script = on_claims(said.refusal())
        judged("run", "plan.yaml")
        judged.server.script = honest
        done = judged("run", "plan.yaml")
        assert (done.code, len(judged.server.calls)) == (0, 5)

    def test_another_judge_compares_nothing_judged_and_names_the_command(
        self, judged: Judged
    ) -> None:
        judged.plan({"model": OTHER})
        done = judged("run", "plan.yaml", "--format", "json")
        assert done.code == 3
        assert len(judged.server.calls) == 10, "its verdicts are none of the first judge's"
        assert done.json["next"] == ["evalrag rescore baseline"]
        (note,) = done.json["head"]
        assert note.startswith(
            f"judged by openai/{DATED} before and by openai/{OTHER} now: judged metrics of 6 rows "
            "are not compared"
        )
        states = {gate["name"]: gate["status"] for gate in done.json["gates"]}
        assert states["no new contradictions"] == "undecided"
        assert states["evidence is retrieved"] == "passed"
        assert states["answerable rows are answered"] == "passed"

    def test_the_baseline_is_judged_again_without_its_pipeline(self, judged: Judged) -> None:
        before = judged.pipeline_calls
        done = judged("rescore", "baseline")
        assert done.code == 0
        assert judged.pipeline_calls == before
        assert judged.server.calls == [], "the answers are those that were judged a moment ago"
        command = done.out.strip().splitlines()[-1].removeprefix("next: evalrag ")
        compared = judged(*command.split(), "--format", "json")
        assert compared.code == 0
        assert compared.json["head"] == []
        states = {gate["name"]: gate["status"] for gate in compared.json["gates"]}
        assert states["no new contradictions"] == "passed"
        assert judged.pipeline_calls == before

    def test_rescore_without_the_cache_asks_the_judge_and_no_pipeline(self, judged: Judged) -> None:
        before = judged.pipeline_calls
        done = judged("rescore", "baseline", "--no-cache")
        assert (done.code, len(judged.server.calls)) == (0, 10)
        assert judged.pipeline_calls == before

    def test_a_judge_with_votes_is_another_judge(self, judged: Judged) -> None:
        judged.plan({"model": OTHER, "votes": 3})
        done = judged("run", "plan.yaml", "--row", "h1", "--format", "json")
        assert len(judged.server.calls) == 6
        assert any("judged metrics of 1 row" in line for line in done.json["head"])


SECRET = "JUDGE_ACCESS"
"""A name that does not look like that of a secret."""


def telling(asked: Asked) -> Said:
    """A model that has got hold of the key, and says it wherever it can."""
    body = body_of(asked)
    text = json.dumps(body).replace("read it", f"the key is {KEY}").replace("as asked", KEY)
    return said.text(text, headers={"x-echo": KEY})


def test_a_run_from_kept_verdicts_keeps_what_the_guard_caught(tmp_path: Path) -> None:
    with ProviderServer(_hasty) as server:
        judged = Judged(tmp_path / "shop", server)
        judged("run", "plan.yaml")
        assert len(server.calls) == 11  # the doubted claim is asked about once more
        judged("run", "plan.yaml")
        assert server.calls == []
        first, second = (
            (judged.shop.path / ".evalrag/runs" / run / "rows.jsonl").read_bytes()
            for run in ("0001", "0002")
        )
    assert b"the quoted words 'by next Tuesday' do not stand there" in first
    assert first == second


def _hasty(asked: Asked) -> Said:
    """At first, it quotes for one row what stands nowhere."""
    body = body_of(asked)
    if "gift wrapping cost?" in asked.user and "sentences" in body:
        body["sentences"][0]["claims"][0]["quotes"] = ["by next Tuesday"]
    return Said(text=json.dumps(body))


class TestRubric:
    """A team's own advice, in a file beside the plan."""

    def test_its_words_are_asked_under_and_a_change_asks_anew(self, judged: Judged) -> None:
        rubric = judged.shop.path / "policy.md"
        rubric.write_text("An answer cites the version of the policy.\n")
        judged.plan({"rubric": "policy.md"})
        judged("run", "plan.yaml")
        asked = [str(call.body) for call in judged.server.calls]
        assert len(asked) == 10
        assert all("cites the version of the policy" in body for body in asked)
        stored = judged.shop.path / ".evalrag/runs/0001/run.json"
        assert "with policy.md" in json.loads(stored.read_text())["judge"]["name"]
        assert "policy.md" in judged("check", "plan.yaml").out

        judged("run", "plan.yaml")
        assert judged.server.calls == []
        rubric.write_text("An answer names the country.\n")
        judged("run", "plan.yaml")
        assert len(judged.server.calls) == 10


class TestTheKey:
    """It stands in no file and in no output, whatever the server does with it."""

    def test_it_is_nowhere(self, judged: Judged) -> None:
        told: list[str] = []

        def command(*arguments: str, code: int) -> Done:
            done = judged(*arguments, **{SECRET: KEY, "OPENAI_API_KEY": ""})
            assert done.code == code, done
            told.append(done.out + done.err)
            return done

        judged.plan({"api_key_env": SECRET})
        judged.server.script = telling
        command("run", "plan.yaml", "-o", "out.json", "-o", "out.txt", code=4)
        command("baseline", "accept", "latest", "--reason", "first", code=0)
        shown = command("show", "latest", "h1", code=0)
        assert "the key is [redacted]" in flat(shown.out)
        raw = judged.calls("0001")[0]["raw"]
        assert "the key is [redacted]" in raw
        command("run", "plan.yaml", "--format", "json", code=0)
        judged.server.script = on_claims(said.text(f"My key is {KEY}, and no JSON."))
        command("run", "plan.yaml", "--no-cache", code=3)
        error = said.Refused(401, f"Incorrect API key provided: {KEY}.")
        judged.server.script = said.always(Said(error=error))
        refused = command("run", "plan.yaml", "--no-cache", code=3)
        assert "the key was refused (401: Incorrect API key provided: [redacted].)" in flat(
            refused.out
        )
        command("show", "latest", "h1", code=0)
        command("rescore", "baseline", "--no-cache", code=0)
        command("check", "plan.yaml", code=0)

        assert [text for text in told if KEY in text] == []
        files = [path for path in judged.shop.path.rglob("*") if path.is_file()]
        assert any(path.name == "verdicts.sqlite" for path in files)
        assert len([path for path in files if path.name == "calls.jsonl"]) >= 4
        for path in files:
            assert KEY.encode() not in path.read_bytes(), path

    def test_a_plan_cannot_hold_it(self, judged: Judged) -> None:
        judged.plan({"api_key": "sk-in-the-plan"})
        done = judged("run", "plan.yaml")
        assert done.code == 2
        assert "unknown key 'api_key'; did you mean 'api_key_env'?" in done.err
        assert "sk-in-the-plan" not in done.out + done.err


class TestNothingRuns:
    """What is wrong with a judge is said before anything is called, with exit code 2."""

    @pytest.mark.parametrize(
        ("judge", "environment", "words"),
        [
            pytest.param(
                {"base_url": None}, {"OPENAI_API_KEY": ""}, "set OPENAI_API_KEY in the", id="no key"
            ),
            pytest.param(
                {"base_url": None, "api_key_env": "MINE"}, {}, "set MINE in the", id="none of mine"
            ),
            pytest.param(
                {"use": "anthropic", "base_url": None},
                {"ANTHROPIC_API_KEY": " "},
                "set ANTHROPIC_API_KEY in the",
                id="no key of anthropic",
            ),
            pytest.param(
                {"modle": "x"}, {}, "unknown key 'modle'; did you mean 'model'?", id="a typo"
            ),
        ],
    )
    def test_a_judge_that_cannot_be_made(
        self, judged: Judged, judge: dict[str, Any], environment: dict[str, str], words: str
    ) -> None:
        judged.plan(judge)
        addresses = {"OPENAI_BASE_URL": "", "ANTHROPIC_BASE_URL": ""}
        done = judged("run", "plan.yaml", **(addresses | environment))
        assert done.code == 2, done
        assert words in flat(done.err)
        assert not (judged.shop.path / "asked.txt").exists()
        assert judged.server.calls == []

    def test_a_judge_of_the_generators_family_where_another_is_required(
        self, judged: Judged
    ) -> None:
        generator = {"use": "bot:generate", "model": "gpt-5.4-mini-2026-03-17"}
        judged.plan({"require_other_family": True}, pipeline={"generator": generator})
        done = judged("run", "plan.yaml")
        assert done.code == 2
        assert f"judge {DATED} and generator gpt-5.4-mini-2026-03-17 are both" in flat(done.err)
        assert not (judged.shop.path / "asked.txt").exists()

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            pytest.param(None, "cannot be read", id="missing"),
            pytest.param(b" \n\t", "is empty", id="empty"),
            pytest.param(b"\xff\xfe\x00caf\xe9", "is no UTF-8 text", id="no text"),
            pytest.param(b"a" * 8001, "is longer than 8000", id="over-long"),
            pytest.param("\u00e9".encode() * 20_000, "is longer than 8000", id="cut in a letter"),
        ],
    )
    @pytest.mark.parametrize("command", ["run", "check"])
    def test_a_rubric_that_cannot_be_used(
        self, judged: Judged, content: bytes | None, words: str, command: str
    ) -> None:
        judged.plan({"rubric": "rubric.md"})
        path = judged.shop.path / "rubric.md"
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content)
        done = judged(command, "plan.yaml")
        assert done.code == 2, done
        assert re.search(r"plan\.yaml:\d+:\d+: with\.rubric: rubric\.md", flat(done.err)), done.err
        assert words in flat(done.err)
        assert judged.server.calls == []

    def test_a_page_says_how_a_judge_is_set_up(self, judged: Judged) -> None:
        judged.plan({"base_url": None, "api_key_env": "MINE"})
        refused = judged("run", "plan.yaml")
        command = refused.err.splitlines()[-1]
        assert command == "next: see: evalrag explain judges"
        done = judged(*command.split()[-2:])
        assert done.code == 0
        assert "api_key_env" in done.out


class TestWhatTheHeadSays:
    """Families, aliases, drift, what was not pinned, and cost."""

    def test_family_alias_and_cost(self, judged: Judged) -> None:
        judged.server.unsupported = {"temperature"}
        generator = {"use": "bot:generate", "model": "gpt-5.4-mini"}
        judged.plan(
            {"model": ALIAS, "price": {"input": 2.0, "output": 10.0}},
            pipeline={"generator": generator},
        )
        done = judged("run", "plan.yaml", "--format", "json")
        assert done.code == 4
        assert done.json["head"] == [
            f"the judge {ALIAS} and the generator gpt-5.4-mini are of one model family (gpt): a "
            "judge favours its own; name another under judge.with.model",
            f"the judge model '{ALIAS}' is an alias that may be another model tomorrow; name a "
            "dated one where there is one",
            "the generator model 'gpt-5.4-mini' is an alias that may be another model tomorrow; "
            "name a dated one where there is one",
            "not pinned, since the judge's model does not take it: temperature",
        ]
        lines = judged.calls("0001")
        assert {tuple(line["dropped"]) for line in lines} == {("temperature",)}
        for line in lines:
            assert line["cost"] == (2 * line["tokens_in"] + 10 * line["tokens_out"]) / 1_000_000
        (spent,) = done.json["spent"]
        assert spent["cost"] == pytest.approx(sum(line["cost"] for line in lines))
        assert judged("baseline", "accept", "latest", "--reason", "first").code == 0

    def test_drift_of_the_served_model(self, judged: Judged) -> None:
        judged.server.served[ALIAS] = "gpt-5.5-2027-01-09"
        kept = judged("run", "plan.yaml", "--format", "json")
        assert judged.server.calls == []
        assert not any("drifted" in line for line in kept.json["head"])

        done = judged("run", "plan.yaml", "--no-cache", "--format", "json")
        assert (
            f"the judge drifted: {DATED} served it in the baseline, and gpt-5.5-2027-01-09 now"
            in done.json["head"]
        )
        assert done.code == 0

    def test_a_baseline_of_two_served_models_names_both(self, judged: Judged) -> None:
        judged("run", "plan.yaml", "--no-cache", "--row", "h1")
        assert judged("baseline", "accept", "latest", "--reason", "one row").code == 0
        totals = json.loads((judged.shop.path / "baseline/run.json").read_text())["totals"]
        assert totals["judge_models"] == [DATED, "gpt-5.5-2027-01-09"]
        assert totals["judge_unpinned"] == ["temperature"]
        assert totals["rows"] == 6

    def test_another_family_is_not_warned_of(self, judged: Judged) -> None:
        judged.plan({"use": "anthropic", "require_other_family": True}, pipeline={
            "generator": {"use": "bot:generate", "model": "gpt-5.4-mini-2026-03-17"}
        })  # fmt: skip
        done = judged("run", "plan.yaml", "--format", "json")
        assert not any("family" in line or "alias" in line for line in done.json["head"])
        assert done.json["fingerprints"]["judge"]["details"]["settings"]["temperature"] == (
            "not pinned"
        )
