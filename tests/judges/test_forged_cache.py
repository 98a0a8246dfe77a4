"""A verdict that somebody wrote into the cache is held against its words like any other."""

import asyncio
from pathlib import Path

import pytest

from evalrag.judges.ask import judge_row
from evalrag.judges.desk import Desk
from evalrag.judges.panel import close
from evalrag.judging.cache_key import cache_key
from evalrag.judging.kept import text_of
from evalrag.judging.tasks import ClaimsReply, ClaimsTask, Heard, history_of, sent
from evalrag.schema.result import Claim, Verdicts
from evalrag.schema.words import Label
from evalrag.stores.verdict_cache import VerdictCache
from tests.judges.asking import PAGE, PROVIDERS, QUESTION, Asking, row
from tests.provider.said import Provider
from tests.provider.server import KEY, ProviderServer

WRONG = "The refund window is 14 days from delivery."
FORGED = Claim(id="c1", text=WRONG, label=Label.SUPPORTED, quote=PAGE, passages=(1,))


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


async def judged(asking: Asking, path: Path, claims: tuple[Claim, ...]) -> Verdicts:
    """The verdicts on the wrong answer, with a reply of these claims in the cache."""
    desk = Desk(asking.judge, cache=VerdictCache(path))
    task = ClaimsTask(QUESTION, (PAGE,), WRONG, history=history_of(row()))
    reply = ClaimsReply(claims, (Heard("claims", model="m"),))
    assert desk.cache is not None
    key = cache_key(desk.print, "claims", sent(task), 0, 0)
    desk.cache.put(
        key, text_of(reply), judge=desk.digest, model="m", tokens_in=None, tokens_out=None
    )
    visit = desk.visit()
    found = await judge_row(asking.judge, row(), context=(PAGE,), answer=WRONG, visit=visit)
    assert any(one.cached and one.task == "claims" for one in visit.heard)
    await close(asking.judge)
    return found


@PROVIDERS
@pytest.mark.parametrize(
    "claims",
    [
        pytest.param((FORGED,), id="a quote that says otherwise"),
        pytest.param((FORGED.model_copy(update={"quote": WRONG}),), id="a foreign quote"),
        pytest.param((FORGED.model_copy(update={"quote": None}),), id="no quote"),
        pytest.param((), id="the claim is missing"),
        pytest.param((FORGED.model_copy(update={"text": PAGE}),), id="a true claim in its place"),
        pytest.param(
            (FORGED, FORGED.model_copy(update={"id": "c2", "text": PAGE})), id="one too many"
        ),
        pytest.param((FORGED.model_copy(update={"label": Label.ABSENT}),), id="another label"),
    ],
)
def test_a_forged_verdict_does_not_make_a_wrong_answer_right(
    provider: ProviderServer, tmp_path: Path, provider_name: Provider, claims: tuple[Claim, ...]
) -> None:
    path = tmp_path / "verdicts.sqlite"
    found = asyncio.run(judged(Asking(provider, provider_name), path, claims))
    labels = {one.label for one in found.claims if one.text == WRONG}
    assert Label.SUPPORTED not in labels
    assert found.guard or "claims" in found.unresolved
