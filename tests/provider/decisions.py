"""Replies of `/v1/decisions`: an answer a question, with probabilities.

The reference leaves open what `confidence` is computed from and where levels start to count. Here
it is the largest probability, and levels count from 0; code that reads a reply must rest on
neither.
"""

from collections.abc import Mapping
from typing import Any

from tests.provider.said import Pick, Said
from tests.provider.wire import Question, flat_text, tokens

SURE = 0.9


def decision(said: Said, question: Question, model: str, request_id: str) -> dict[str, Any]:
    del request_id  # this reply has no id of its own, only the header
    questions = question.body["questions"]
    picks = said.picks if said.picks is not None else tuple(likely(asked) for asked in questions)
    answers = [answer(asked, pick) for asked, pick in zip(questions, picks, strict=False)]
    sent, written = said.usage or (sum(tokens(words) for words in texts(question)), 0)
    return {
        "answers": answers,
        "model": model,
        "usage": {
            "input_tokens": sent,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sent + written,
        },
    }


def texts(question: Question) -> list[str]:
    given = question.body["input"]
    found = (
        [given] if isinstance(given, str) else [flat_text(part.get("content")) for part in given]
    )
    return found + [flat_text(asked["instructions"]) for asked in question.body["questions"]]


def likely(asked: Mapping[str, Any]) -> Pick:
    """The first option, rather sure; what is left is shared by the others."""
    if asked["type"] == "predicate":
        return SURE
    values = options(asked)
    rest = (1 - SURE) / (len(values) - 1)
    return {value: SURE if index == 0 else rest for index, value in enumerate(values)}


def options(asked: Mapping[str, Any]) -> list[Any]:
    if asked["type"] == "choice":
        return [choice["value"] for choice in asked["choices"]]
    return [level["label"] for level in asked["levels"]]


def answer(asked: Mapping[str, Any], pick: Pick) -> dict[str, Any]:
    """A pick may name options that were not asked for and leave out others: a test of who reads
    it.
    """
    name, kind = asked.get("name"), asked["type"]
    if pick is None:
        return {"type": "refusal", "name": name}
    if not isinstance(pick, Mapping):
        return {"type": "predicate", "name": name, "probability": pick}
    best = max(pick, key=lambda value: pick[value])
    if kind == "choice":
        shares = [{"value": value, "probability": share} for value, share in pick.items()]
        return {
            "type": "choice",
            "name": name,
            "choice": best,
            "confidence": pick[best],
            "probabilities": shares,
        }
    levels = [
        {"label": label, "value": index, "probability": share}
        for index, (label, share) in enumerate(pick.items())
    ]
    return {
        "type": "score",
        "name": name,
        "score": sum(level["value"] * level["probability"] for level in levels),
        "confidence": pick[best],
        "probabilities": levels,
    }
