"""A judge asked more than once, or shown how people judged: still one judge to everybody else."""

import dataclasses
import inspect
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from evalrag.judging.tasks import (
    ClaimsReply,
    ClaimsTask,
    Example,
    Judge,
    Reply,
    Task,
    Unjudged,
    by_rules,
    reads_wordings,
)
from evalrag.judging.votes import settle

MOST_EXAMPLES = 4


class Panel:
    """The plan's judge with its votes and its examples."""

    def __init__(
        self,
        judge: Judge,
        *,
        votes: int = 1,
        examples: Mapping[str, Sequence[Example]] | None = None,
        examples_digest: str | None = None,
    ) -> None:
        """`examples` are other answers that people labelled, by their question."""
        self._judge, self._votes, self._examples = judge, votes, examples or {}
        self._digest = examples_digest
        self.name, self.offers = judge.name, judge.offers
        self.cached: bool = getattr(judge, "cached", False) is True
        self.rules, self.wordings = by_rules(judge), reads_wordings(judge)
        self.price: dict[str, float] | None = getattr(judge, "price", None)
        self.model: str | None = getattr(judge, "model", None)

    def fingerprint(self) -> dict[str, JsonValue]:
        told = dict(self._judge.fingerprint())
        if self._votes > 1:
            told["votes"] = self._votes
        if self._digest is not None:
            told["examples"] = self._digest
        return told

    async def ask(self, task: Task) -> Reply:
        """What more than half of the votes say. The first finds the claims, all others label them.

        Raises:
            Unjudged: one of the votes could not be had, or is about other claims.
        """
        if isinstance(task, ClaimsTask):
            task = dataclasses.replace(task, examples=self._shown(task))
        first = await self._judge.ask(task)
        replies = [first]
        if isinstance(task, ClaimsTask) and isinstance(first, ClaimsReply):
            task = dataclasses.replace(task, claims=tuple(c.text for c in first.claims))
            if not task.claims:
                return first
        try:
            for _ in range(self._votes - 1):
                replies.append(await self._judge.ask(task))
            return settle(replies)
        except Unjudged as error:
            earlier = tuple(one for reply in replies for one in reply.heard)
            heard = (*earlier, *error.heard)
            raise Unjudged(str(error), heard, judge_failed=error.judge_failed) from None

    async def close(self) -> None:
        await close(self._judge)

    def _shown(self, task: ClaimsTask) -> tuple[Example, ...]:
        """How people labelled other answers to the same question: never this very answer."""
        known = self._examples.get(" ".join(task.question.split()), ())
        own = task.answer.strip()
        return tuple(one for one in known if one.answer.strip() != own)[:MOST_EXAMPLES]


async def close(judge: Judge) -> None:
    """Give back what a judge holds on this event loop; most hold nothing."""
    closing = getattr(judge, "close", None)
    if closing is not None:
        made = closing()
        if inspect.isawaitable(made):
            await made
