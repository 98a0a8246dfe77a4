"""A model judge behind its real client, one row put to it, and what the server was asked."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from evalrag.judges import anthropic, openai
from evalrag.judges.ask import judge_row
from evalrag.judges.desk import Desk
from evalrag.judges.panel import Panel, close
from evalrag.judging.measures import JUDGED
from evalrag.judging.scores import judged_scores
from evalrag.judging.tasks import Heard, Judge
from evalrag.schema.result import Claim, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.score import Score
from tests.judges.scripted import body_of, fenced, honest, named
from tests.provider.said import Asked, Provider, Said, Script
from tests.provider.server import Call, ProviderServer

QUESTION = "How long is the refund window?"
PAGE = "The refund window is 30 days from delivery."
MODELS = {"openai": "gpt-5.5-2026-04-23", "anthropic": "claude-haiku-4-5-20251001"}
PROVIDERS = pytest.mark.parametrize("provider_name", ["openai", "anthropic"])


def row(**fields: Any) -> Row:
    """A row without a reference, so that claims and relevancy are all that is asked about it."""
    base: dict[str, Any] = {"id": "r", "kind": "happy-path", "question": QUESTION, "gold": ["c"]}
    return Row.model_validate(base | fields)


@dataclass
class Asking:
    """One judge before one server."""

    server: ProviderServer
    provider: Provider
    settings: dict[str, Any] = field(default_factory=dict)
    votes: int = 1

    def __post_init__(self) -> None:
        self.heard: list[Heard] = []
        self.judge = self.built()

    def built(self) -> Judge:
        given = {"model": MODELS[self.provider], "timeout_s": 10, **self.settings}
        judge: Judge
        if self.provider == "openai":
            judge = openai.build(base_url=self.server.openai_url, **given)
        else:
            judge = anthropic.build(base_url=self.server.anthropic_url, **given)
        return Panel(judge, votes=self.votes) if self.votes > 1 else judge

    def __call__(
        self,
        answer: str | None = PAGE,
        context: Sequence[str] = (PAGE,),
        of: Row | None = None,
    ) -> Verdicts:
        return asyncio.run(self._ask(answer, context, of or row()))

    async def _ask(self, answer: str | None, context: Sequence[str], of: Row) -> Verdicts:
        visit = Desk(self.judge).visit()
        try:
            return await judge_row(self.judge, of, context=context, answer=answer, visit=visit)
        finally:
            self.heard = visit.heard
            await close(self.judge)

    @property
    def claims_calls(self) -> list[Call]:
        """Calls about the claims of an answer, found or given."""
        return [c for c in self.server.calls if _of_claims(c.user)]


def _of_claims(user: str) -> bool:
    data = fenced(user)
    return bool(named(data, "answer s") or named(data, "claim c"))


def on_claims(said: Said | Script, other: Script = honest) -> Script:
    """A script that says `said` wherever claims are asked for."""

    def script(asked: Asked) -> Said:
        if not _of_claims(asked.user):
            return other(asked)
        return said(asked) if callable(said) else said

    return script


def entry(label: str, quotes: Sequence[str] = (), against: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "reason": "read it",
        "quotes": list(quotes),
        "against": list(against),
        "label": label,
    }


def claim(text: str, label: str, *quotes: str, against: Sequence[str] = ()) -> dict[str, Any]:
    return {"claim": text, **entry(label, quotes, against)}


def in_rounds(found: Sequence[dict[str, Any]], *labelled: Said | Callable[[Asked], Said]) -> Script:
    """The claims that are found in the first sentence, then what is said of claims asked again."""
    rounds = list(labelled)

    def script(asked: Asked) -> Said:
        data = fenced(asked.user)
        if named(data, "claim c"):
            said = rounds.pop(0) if len(rounds) > 1 else rounds[0]
            return said(asked) if callable(said) else said
        count = len(named(data, "answer s"))
        made: list[dict[str, Any]] = [
            {"id": f"s{n}", "claims": [], "none": "courtesy"} for n in range(1, count + 1)
        ]
        made[0] |= {"claims": list(found), "none": ""}
        return Said(text=json.dumps({"sentences": made}))

    return on_claims(script)


def again(*entries: dict[str, Any]) -> Said:
    """The labels of claims that were given, `c1`, `c2` ..."""
    listed = [{"id": f"c{n}"} | one for n, one in enumerate(entries, 1)]
    return Said(text=json.dumps({"claims": listed}))


def changed_claims(change: Callable[[dict[str, Any]], object]) -> Script:
    """The honest reply about claims, after `change` was at it."""

    def script(asked: Asked) -> Said:
        body = body_of(asked)
        change(body)
        return Said(text=json.dumps(body))

    return on_claims(script)


def only(found: Verdicts) -> Claim:
    (one,) = found.claims
    return one


def scores(found: Verdicts, answer: str = PAGE, of: Row | None = None) -> dict[str, Score]:
    return judged_scores(of or row(), found, answer, offers=JUDGED)
