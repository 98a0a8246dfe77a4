"""How the scripted judge judges where nothing leads it: by the offline judge's rules.

A model has no word for "open", so what the rules leave open is absent here, or missing.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from evalrag.judging.claims import claims_of
from evalrag.judging.forms import answer_form
from evalrag.judging.offline import judge_claim, recall_facts, state_facts
from evalrag.judging.prompts import UNSURE
from evalrag.judging.sentences import sentences
from evalrag.judging.sources import Sources
from evalrag.schema.result import Claim, FactVerdict
from evalrag.schema.words import FactLabel, Label
from tests.attacks.request import Request

Reply = dict[str, Any]


def reply_to(asked: Request) -> Reply:
    match asked.kind:
        case "sentences":
            return {"sentences": [_sentence(asked, *one) for one in asked.numbered.items()]}
        case "claims":
            named = asked.numbered.items()
            return {
                "claims": [{"id": name} | labelled(judged(asked, text)) for name, text in named]
            }
        case "facts":
            told = state_facts(asked.question, tuple(asked.numbered.values()), asked.answer)
            return _facts(asked, told, (asked.answer,))
        case "recall":
            told = recall_facts(tuple(asked.numbered.values()), asked.passages)
            return _facts(asked, told, asked.passages)
        case "relevancy":
            return {"reason": "it answers", "label": "ANSWERS", "padded": False}
        case _:
            form, reason = answer_form(asked.question, asked.answer)
            return {"reason": reason, "label": form.value if form else UNSURE}


def judged(asked: Request, text: str) -> Claim:
    return judge_claim("c", text, asked.question, _sources(asked.passages))


@lru_cache(maxsize=16)
def _sources(passages: tuple[str, ...]) -> Sources:
    return Sources(passages)


def labelled(claim: Claim) -> Reply:
    open_ = claim.label is Label.UNRESOLVED
    label = Label.ABSENT if open_ else claim.label
    quoted = claim.quote if label is not Label.ABSENT else None
    return {
        "reason": claim.reason,
        "quotes": [quoted] if quoted else [],
        "against": [],
        "label": label.value,
    }


def _sentence(asked: Request, name: str, text: str) -> Reply:
    told = [said.text for said in claims_of(asked.question, text) if not said.denial]
    claims = [{"claim": said} | labelled(judged(asked, said)) for said in told]
    return {"id": name, "claims": claims, "none": "" if claims else "nothing is claimed"}


def _facts(asked: Request, told: Sequence[FactVerdict], texts: Sequence[str]) -> Reply:
    entries = []
    for name, verdict in zip(asked.numbered, told, strict=True):
        label = verdict.label
        if label is FactLabel.UNRESOLVED:
            label = FactLabel.MISSING
        rests = [nearest(verdict.fact, texts)] if label is not FactLabel.MISSING else []
        entries.append(
            {"id": name, "reason": verdict.reason, "quotes": rests, "label": label.value}
        )
    return {"facts": entries}


def nearest(text: str, texts: Sequence[str]) -> str:
    """The sentence that shares most words with `text`: what a judge would quote for it."""
    wanted = set(text.lower().split())
    cut = [one for whole in texts for one in _cut(whole)]
    return max(cut, key=lambda one: len(wanted & set(one.lower().split())), default="")


@lru_cache(maxsize=256)
def _cut(text: str) -> tuple[str, ...]:
    """The sentences of it, each once."""
    return tuple(dict.fromkeys(one.text for one in sentences(text)))
