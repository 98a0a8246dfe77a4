"""Verdicts of people, which stand before those of plain code and of any judge."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from evalrag.judging.tasks import CLAIMS, FORM
from evalrag.schema.decision import Decision, answer_digest, context_digest
from evalrag.schema.result import Claim, FactVerdict, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.words import FactLabel, Form, Label

PEOPLE = "people"
"""Who decided a form, or the code of a claim, where it was people."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What people decided about one answer."""

    form: Decision | None = None
    claims: tuple[str, ...] = ()
    """The claims that this very answer makes, in their order; empty where people read none."""
    labels: Mapping[str, Decision] = field(default_factory=dict)
    """By the text of the claim: of any answer from this context."""
    facts: Mapping[str, Decision] = field(default_factory=dict)
    """By the text of the fact."""

    @property
    def open_claims(self) -> tuple[str, ...]:
        """The claims that are left for a judge."""
        return tuple(dict.fromkeys(text for text in self.claims if text not in self.labels))

    def with_claims(
        self, said: Mapping[str, Claim], why_open: str, *, judge_failed: bool = False
    ) -> tuple[Claim, ...]:
        """All claims, in order: people's labels, and what the judge `said` of the others."""
        found = []
        for place, text in enumerate(self.claims):
            name = claim_id(place)
            if text in said:
                claim = said[text].model_copy(update={"id": name})
            else:
                claim = Claim(
                    id=name,
                    text=text,
                    label=Label.UNRESOLVED,
                    reason=why_open,
                    judge_failed=judge_failed,
                )
            found.append(claim)
        return self.relabelled(found)

    def relabelled(self, claims: Iterable[Claim]) -> tuple[Claim, ...]:
        """The same claims, with people's labels on those that they decided."""
        return tuple(
            Claim(
                id=claim.id,
                text=claim.text,
                label=Label(self.labels[claim.text].label),
                reason=self.labels[claim.text].why,
                code=PEOPLE,
            )
            if claim.text in self.labels
            else claim
            for claim in claims
        )

    def over(self, said: Verdicts) -> Verdicts:
        """A judge's stored verdicts on the answer, with what people decided in their place."""
        if self == UNDECIDED:
            return said
        changed: dict[str, Any] = {}
        settled: set[str] = set()
        form = said.form
        if self.form is not None:
            form = self.form.form
            settled.add(FORM)
            changed |= {"form": form, "form_by": PEOPLE, "form_reason": self.form.why}
        claims = self.relabelled(said.claims)
        if form is Form.DECLINED:
            claims = ()
        elif self.claims:
            settled.add(CLAIMS)
            why, failed = said.unresolved.get(CLAIMS, ""), CLAIMS in said.failed
            labelled = {claim.text: claim for claim in said.claims}
            claims = self.with_claims(labelled, why, judge_failed=failed)
        facts = self.with_facts([verdict.fact for verdict in said.facts], said.facts, "")
        changed |= {"claims": claims, "facts": facts}
        changed["unresolved"] = {k: why for k, why in said.unresolved.items() if k not in settled}
        changed["failed"] = tuple(task for task in said.failed if task not in settled)
        return said.model_copy(update=changed)

    def with_facts(
        self,
        facts: Sequence[str],
        said: Iterable[FactVerdict],
        why_open: str,
        *,
        judge_failed: bool = False,
    ) -> tuple[FactVerdict, ...]:
        """The same for the reference facts."""
        judged = {verdict.fact: verdict for verdict in said}
        found = []
        for fact in facts:
            decision = self.facts.get(fact)
            if decision is not None:
                found.append(
                    FactVerdict(fact=fact, label=FactLabel(decision.label), reason=decision.why)
                )
            else:
                open_ = FactVerdict(
                    fact=fact,
                    label=FactLabel.UNRESOLVED,
                    reason=why_open,
                    judge_failed=judge_failed,
                )
                found.append(judged.get(fact, open_))
        return tuple(found)


UNDECIDED = Decided()


def claim_id(place: int) -> str:
    return f"c{place + 1}"


def unsigned(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims as a judge may hand them in: not in the name of people."""
    return tuple(
        claim.model_copy(update={"code": None}) if claim.code == PEOPLE else claim
        for claim in claims
    )


_Thing: TypeAlias = tuple[str, str, str]
"""Content, what it is about, and the text of it: what a later decision replaces."""


class Idle(NamedTuple):
    """Decisions that a run met no use for."""

    changed: tuple[Decision, ...]
    """No attempt at their row had the question and the answer or context that they read."""
    unused: tuple[Decision, ...]
    """Their content was there, and nothing asked for what they decide."""


class Decisions:
    """All that people decided, and what of it one run used. A later decision wins."""

    def __init__(
        self,
        said: Iterable[Decision] = (),
        *,
        redact: Callable[[bytes], bytes] | None = None,
    ) -> None:
        self._redact = redact
        self._standing: dict[_Thing, Decision] = {}
        for decision in said:
            self._standing.pop(_thing(decision), None)  # the later one comes last, too
            self._standing[_thing(decision)] = decision
        self._by_content: dict[str, list[Decision]] = {}
        for decision in self._standing.values():
            self._by_content.setdefault(decision.content, []).append(decision)
        self._met: set[str] = set()
        self._used: set[_Thing] = set()
        self.rows: dict[str, None] = {}
        """Rows in which a decision holds, in the order they were judged."""

    def __len__(self) -> int:
        return len(self._standing)

    @property
    def standing(self) -> tuple[Decision, ...]:
        """The decisions that no later one replaced, oldest first."""
        return tuple(self._standing.values())

    def about(self, row: Row, context: Sequence[str], answer: str | None) -> Decided:
        """What people decided about this answer, and about claims from this context."""
        if not self._standing or answer is None:
            return UNDECIDED
        of_answer = answer_digest(row, answer, redact=self._redact)
        of_context = context_digest(row, context, redact=self._redact)
        found = [*self._by_content.get(of_answer, ()), *self._by_content.get(of_context, ())]
        self._met |= {of_answer, of_context}
        return _decided(found, of_answer) if found else UNDECIDED

    def used(self, row: str, decided: Decided, said: Verdicts) -> None:
        """Take note of what of `decided` stands in the verdicts."""
        stands = {one.text for one in said.claims if one.code == PEOPLE}
        facts = {one.fact for one in said.facts}
        used = [one for text, one in decided.labels.items() if text in stands]
        used += [one for fact, one in decided.facts.items() if fact in facts]
        if decided.form is not None and said.form_by == PEOPLE:
            used.append(decided.form)
        if used:
            self.rows[row] = None
        self._used.update(map(_thing, used))

    def idle(self, ran: Collection[str], known: Collection[str]) -> Idle:
        """What did not apply, of the rows that `ran` and of those that nobody knows any more.

        A row in which another decision holds went on: what it once said is not worth a word.
        """
        changed, unused = [], []
        for thing, decision in self._standing.items():
            if thing in self._used:
                continue
            if decision.content in self._met:
                unused.append(decision)
            elif decision.row not in self.rows and (
                decision.row in ran or decision.row not in known
            ):
                changed.append(decision)
        return Idle(tuple(changed), tuple(unused))


def _thing(decision: Decision) -> _Thing:
    if decision.claim is not None:
        return decision.content, "claim", decision.claim
    if decision.fact is not None:
        return decision.content, "fact", decision.fact
    return decision.content, "form", ""


def _decided(found: Sequence[Decision], answer: str) -> Decided:
    """Where an answer's claims were cut in two ways, the cut of the latest decision stands."""
    form = next((one for one in found if one.form is not None), None)
    cut = next((one.claims for one in reversed(found) if one.claim and one.answer == answer), ())
    labels = {one.claim: one for one in found if one.claim is not None}
    facts = {one.fact: one for one in found if one.fact is not None}
    return Decided(form, cut, labels, facts)
