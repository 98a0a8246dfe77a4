"""A model judge played by the offline rules: it reads the prompt alone, and fits its schema."""

import json
import re
from collections.abc import Callable
from typing import Any

from evalrag.judging.offline import label_claims, recall_facts, state_facts
from evalrag.schema.words import FactLabel, Label
from tests.provider.said import Asked, Said

Fenced = list[tuple[str, str]]
_FENCE = re.compile(r"<<(\w+) ([^\n<>]+)>>\n(.*?)\n<<\1 end>>", re.DOTALL)


def fenced(text: str) -> Fenced:
    """Name and content of every piece of data in a prompt."""
    return [(found.group(2), found.group(3)) for found in _FENCE.finditer(text)]


def named(data: Fenced, start: str) -> list[str]:
    return [text for name, text in data if name.startswith(start)]


def body_of(asked: Asked) -> dict[str, Any]:
    """The reply to one request, as an honest and careful model would give it."""
    data = fenced(asked.user)
    schema = asked.schema or {}
    fields = schema.get("properties", {})
    context, question = named(data, "passage "), (named(data, "question") or [""])[0]
    if "sentences" in fields:
        made = []
        for number, text in enumerate(named(data, "answer s"), 1):
            claim = labelled({"claim": text}, question, context, text)
            made.append({"id": f"s{number}", "claims": [claim], "none": ""})
        return {"sentences": made}
    if "claims" in fields:
        return {
            "claims": [
                labelled({"id": f"c{number}"}, question, context, text)
                for number, text in enumerate(named(data, "claim c"), 1)
            ]
        }
    if "facts" in fields:
        facts, answers = named(data, "fact f"), named(data, "answer")
        if answers:
            found = state_facts(question, facts, answers[0])
        else:
            found = recall_facts(facts, context)
        texts = answers or context
        return {"facts": [stated(f"f{n}", one, texts) for n, one in enumerate(found, 1)]}
    if "passages" in fields:
        asked_words = set(question.lower().split())
        return {
            "passages": [
                {"id": f"p{n}", "reason": "read it", "useful": useful}
                for n, useful in enumerate(
                    (len(asked_words & set(text.lower().split())) > 2 for text in context), 1
                )
            ]
        }
    label = fields["label"]["enum"][0]
    return {"reason": "as asked", "label": label} | (
        {"padded": False} if "padded" in fields else {}
    )


def labelled(entry: dict[str, Any], question: str, context: list[str], text: str) -> dict[str, Any]:
    (found,) = label_claims(question, context, (text,))
    label = Label.ABSENT if found.label is Label.UNRESOLVED else found.label
    quotes = [found.quote] if found.quote and label is not Label.ABSENT else []
    against = [context[place - 1] for place in found.conflict]
    said = {"reason": "read it", "quotes": quotes, "against": against, "label": label.value}
    return entry | said


def stated(name: str, found: Any, texts: list[str]) -> dict[str, Any]:
    label = FactLabel.MISSING if found.label is FactLabel.UNRESOLVED else found.label
    quotes = texts[:1] if label is FactLabel.STATED else []
    return {"id": name, "reason": "read it", "quotes": quotes, "label": label.value}


def honest(asked: Asked) -> Said:
    """The script of a model that judges well."""
    return Said(text=json.dumps(body_of(asked)))


def changed(change: Callable[[dict[str, Any], Asked], dict[str, Any]]) -> Callable[[Asked], Said]:
    """A script that says what `change` makes of the honest reply."""
    return lambda asked: Said(text=json.dumps(change(body_of(asked), asked)))
