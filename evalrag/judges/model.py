"""A model as a judge: a task becomes a call, and what comes back becomes a verdict or none."""

import dataclasses
import secrets
import time
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from evalrag.judges.calls import CallFailed, Calls
from evalrag.judges.rubric import Rubric, named, printed
from evalrag.judging.fence import fenced
from evalrag.judging.forms import FORMS
from evalrag.judging.guard import GUARD
from evalrag.judging.measures import FREE, JUDGED, OPTIONAL
from evalrag.judging.prompts import MOST_SENTENCES, PROMPTS, Prompt, prompt_of, sentences_of
from evalrag.judging.replies import UNUSABLE, Unreadable, reply_of
from evalrag.judging.tasks import ClaimsTask, Heard, Reply, Task, Unjudged, task_name

OFFERS = frozenset(JUDGED) - FREE - OPTIONAL | {"answer_form"}
_LONGEST_RAW = 20_000


@dataclass(frozen=True, slots=True)
class Said:
    """What came back from one call, in words that every provider shares."""

    text: str | None
    finish: str | None = None
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    refusal: str | None = None
    cut: bool = False
    """It ends where the limit of tokens was, not where the model ended."""
    problem: str | None = None
    """Why it is no reply to this call, whatever it says."""
    dropped: tuple[str, ...] = ()


class Speaker(Protocol):
    """One provider's client: sends a prompt, and says what came back."""

    provider: str
    model: str
    timeout_s: float
    retries: int
    secrets: frozenset[str]

    def settings(self) -> dict[str, JsonValue]:
        """All settings that can change a reply."""
        ...

    async def say(self, prompt: Prompt) -> Said:
        """One call, with the client's own retries.

        Raises:
            CallFailed: there is no reply.
        """
        ...

    async def close(self) -> None:
        """Give back the connections of this event loop."""
        ...


class ModelJudge:
    """Asks a model. A reply that does not fit is asked for once more, and then is no verdict."""

    wordings = True
    cached = True
    """A verdict costs money: what was settled once is kept."""

    def __init__(
        self,
        speaker: Speaker,
        *,
        price: dict[str, float] | None = None,
        usefulness: bool = False,
        rubric: Rubric | None = None,
    ) -> None:
        self._speaker, self.price, self._rubric = speaker, price, rubric
        self._calls = Calls(speaker.timeout_s, speaker.retries)
        self.secrets = speaker.secrets
        self.name = named(f"{speaker.provider}/{speaker.model}", rubric)
        self.offers = OFFERS | OPTIONAL if usefulness else OFFERS

    @property
    def model(self) -> str:
        return self._speaker.model

    def fingerprint(self) -> dict[str, JsonValue]:
        return {
            "judge": self._speaker.provider,
            "model": self._speaker.model,
            "settings": self._speaker.settings(),
            "prompts": PROMPTS,
            "guard": GUARD,
            "forms": FORMS,
            **printed(self._rubric),
        }

    async def ask(self, task: Task) -> Reply:
        """The verdict on a task.

        Raises:
            Unjudged: there is none; the reason says whether the model refused, was cut off, said
                what cannot be read, or was never reached.
        """
        if isinstance(task, ClaimsTask) and len(sentences_of(task.answer)) > MOST_SENTENCES:
            raise Unjudged(f"the answer has more than {MOST_SENTENCES} sentences")
        heard: list[Heard] = []
        try:
            return await self._ask(task, heard)
        except Unreadable as error:
            why = str(error)
        try:
            return await self._ask(task, heard, why)
        except Unreadable as error:
            raise Unjudged(f"{UNUSABLE}: {error}", tuple(heard)) from None

    async def close(self) -> None:
        await self._speaker.close()

    async def _ask(self, task: Task, heard: list[Heard], earlier: str | None = None) -> Reply:
        said = await self._call(task, heard, earlier)
        problem = _problem(said, self._speaker)
        if problem is not None:
            raise self._unjudged(heard, problem)
        try:
            if said.text is None or not said.text.strip():
                raise Unreadable("it is empty")
            reply = reply_of(task, said.text)
        except Unreadable as error:
            heard[-1] = dataclasses.replace(heard[-1], problem=f"it cannot be used: {error}")
            raise
        return dataclasses.replace(reply, heard=tuple(heard))

    async def _call(self, task: Task, heard: list[Heard], earlier: str | None) -> Said:
        if self._calls.final is not None:
            raise Unjudged(self._calls.final, tuple(heard))
        marker = secrets.token_hex(6)
        prompt = prompt_of(task, marker, self._rubric.text if self._rubric else "")
        if earlier is not None:
            again = (
                f"{prompt.data}\nAn earlier reply could not be used, for the reason given here. "
                f"Reply again, in full.\n{fenced('reason', earlier, marker)}"
            )
            prompt = dataclasses.replace(prompt, data=again)
        began = time.monotonic()
        name = task_name(task)
        try:
            said = await self._calls.within(self._speaker.say(prompt))
        except CallFailed as error:
            heard.append(Heard(name, seconds=time.monotonic() - began))
            raise self._unjudged(heard, str(error)) from None
        heard.append(
            Heard(
                name,
                model=said.model,
                finish=said.finish,
                tokens_in=said.tokens_in,
                tokens_out=said.tokens_out,
                seconds=time.monotonic() - began,
                dropped=said.dropped,
                raw=(said.refusal or said.text or "")[:_LONGEST_RAW],
            )
        )
        return said

    def _unjudged(self, heard: list[Heard], problem: str) -> Unjudged:
        heard[-1] = dataclasses.replace(heard[-1], problem=problem)
        return Unjudged(problem, tuple(heard))


def _problem(said: Said, speaker: Speaker) -> str | None:
    if said.refusal is not None:
        return "the judge refused to judge this"
    if said.cut:
        limit = speaker.settings().get("max_tokens")
        return f"the reply was cut off at {limit} tokens (judge.with.max_tokens)"
    return said.problem
