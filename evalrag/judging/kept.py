"""A settled verdict as the text that a cache keeps, and back."""

import json
from typing import Any

from pydantic import ValidationError

from evalrag.judging.tasks import (
    Caught,
    ClaimsReply,
    FactsReply,
    FormReply,
    Heard,
    RelevancyReply,
    Reply,
    Task,
    UsefulReply,
    task_name,
)
from evalrag.schema.result import Claim, FactVerdict
from evalrag.schema.words import FactLabel, Form, Label, Relevancy


def settled(reply: Reply) -> bool:
    """Nothing in it is left open: only then is it worth keeping."""
    match reply:
        case ClaimsReply(claims=claims):
            return all(claim.label is not Label.UNRESOLVED for claim in claims)
        case FactsReply(verdicts=verdicts):
            return all(verdict.label is not FactLabel.UNRESOLVED for verdict in verdicts)
        case FormReply(form=form):
            return form is not None
        case RelevancyReply(relevancy=relevancy):
            return relevancy is not None
        case UsefulReply():
            return True


def text_of(reply: Reply) -> str:
    """The reply without what it cost, and with the model that gave it."""
    body: dict[str, Any]
    match reply:
        case ClaimsReply(claims=claims, caught=caught):
            body = {"claims": [claim.model_dump(mode="json") for claim in claims]}
            body["caught"] = caught
        case FactsReply(verdicts=verdicts, caught=caught):
            body = {"facts": [verdict.model_dump(mode="json") for verdict in verdicts]}
            body["caught"] = caught
        case FormReply(form=form, reason=reason):
            body = {"form": form, "reason": reason}
        case RelevancyReply(relevancy=label, padded=padded, reason=reason):
            body = {"relevancy": label, "padded": padded, "reason": reason}
        case UsefulReply(useful=useful, reason=reason):
            body = {"useful": list(useful), "reason": reason}
    told = {"model": model_of(reply), "dropped": _dropped(reply)}
    return json.dumps(body | told, ensure_ascii=False, sort_keys=True)


def reply_of(task: Task, text: str) -> Reply | None:
    """The reply that was kept; None where the text is none to this task."""
    try:
        body = json.loads(text)
        heard = Heard(
            task_name(task), model=body["model"], cached=True, dropped=tuple(body["dropped"])
        )
        return _reply(body, (heard,))
    except (AttributeError, KeyError, TypeError, ValueError, ValidationError):
        return None


def _reply(body: dict[str, Any], heard: tuple[Heard, ...]) -> Reply:
    if "claims" in body:
        claims = tuple(map(Claim.model_validate, body["claims"]))
        return ClaimsReply(claims, heard, _caught(body, len(claims)))
    if "facts" in body:
        verdicts = tuple(map(FactVerdict.model_validate, body["facts"]))
        return FactsReply(verdicts, heard, _caught(body, len(verdicts)))
    if "useful" in body:
        return UsefulReply(tuple(map(bool, body["useful"])), str(body["reason"]), heard)
    if "form" in body:
        return FormReply(Form(body["form"]), str(body["reason"]), heard)
    label = Relevancy(body["relevancy"])
    return RelevancyReply(label, bool(body["padded"]), str(body["reason"]), heard)


def _caught(body: dict[str, Any], verdicts: int) -> tuple[Caught, ...]:
    """What was held against the verdicts. It is told, and spares no verdict the guard."""
    found = tuple(Caught(int(place), str(why)) for place, why in body["caught"])
    if not all(0 <= one.place < verdicts for one in found):
        raise ValueError("a doubt about none of the verdicts")
    return found


def model_of(reply: Reply) -> str | None:
    """The model that the server says it used, the last that was heard."""
    return next((one.model for one in reversed(reply.heard) if one.model), None)


def _dropped(reply: Reply) -> list[str]:
    return sorted({name for one in reply.heard for name in one.dropped})
