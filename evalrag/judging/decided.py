"""Verdicts of people, which stand before those of plain code and of any judge."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from evalrag.schema.decision import Decision, content_digest
from evalrag.schema.result import Claim, FactVerdict, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.words import FactLabel, Label

PEOPLE = "people"
"""Who decided a form, or the code of a claim, where it was people."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What people decided about one answer."""

    form: Decision | None = None
    claims: tuple[str, ...] = ()
    """The claims that the answer makes, in their order; empty where people decided none."""
    labels: Mapping[str, Decision] = field(default_factory=dict)
    """By the text of the claim."""
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
            decision = self.labels.get(text)
            if decision is not None:
                claim = Claim(
                    id=name,
                    text=text,
                    label=Label(decision.label),
                    reason=decision.why,
                    code=PEOPLE,
                )
            elif text in said:
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
        return tuple(found)

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
    """No attempt at their row had that question, context and answer."""
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

    def about(self, row: Row, context: Sequence[str], answer: str | None) -> Decided:
        """What people decided about this very answer to this very question from this context."""
        if not self._standing or answer is None:
            return UNDECIDED
        content = content_digest(row, context, answer, redact=self._redact)
        found = self._by_content.get(content)
        if found is None:
            return UNDECIDED
        self._met.add(content)
        return _decided(found)

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


def _decided(found: Sequence[Decision]) -> Decided:
    """Where the claims were cut in two ways, the cut of the latest decision stands."""
    form = next((one for one in found if one.form is not None), None)
    claims = next((one.claims for one in reversed(found) if one.claim is not None), ())
    labels = {one.claim: one for one in found if one.claim is not None and one.claim in claims}
    facts = {one.fact: one for one in found if one.fact is not None}
    return Decided(form, claims, labels, facts)
