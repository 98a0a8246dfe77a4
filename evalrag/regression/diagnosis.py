"""Read the disagreement of the stages: which repair a failing row asks for (SPEC 7)."""

from collections.abc import Iterator, Mapping

from evalrag.regression.catalogue import CATALOGUE, Entry, Use
from evalrag.regression.conditions import Seen, missing_from_corpus
from evalrag.schema.plan import Thresholds
from evalrag.schema.result import Attempt, Finding, RowResult
from evalrag.schema.words import Kind, Outcome

REUSED = "reused-context"
_UNFETCHED = "not-retrieved"
_RIVALS = ("stale-source", "wrong-sibling")


def diagnose(
    attempt: Attempt, kind: Kind, thresholds: Thresholds, *, reused: bool = False
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The diagnoses of a decided attempt, the first that fits first, and its warnings.

    A row that failed or is unresolved has at least one diagnosis. One that passed or errored has
    none; on a passing one some of them are warnings.
    """
    seen = Seen(attempt, kind, thresholds)
    diagnoses: tuple[Finding, ...] = ()
    warnings: list[Finding] = []
    if attempt.outcome in (Outcome.FAIL, Outcome.UNRESOLVED):
        diagnoses = tuple(_in_order(seen))
    elif attempt.outcome is Outcome.PASS:
        warnings += _holding(seen, Use.ON_PASSING)
    warnings += _holding(seen, Use.WARNING)
    if reused:
        warnings.append(Finding(code=REUSED, because="passages of an earlier turn"))
    return diagnoses, tuple(warnings)


def _in_order(seen: Seen) -> Iterator[Finding]:
    """In the catalogue's order, but that the first failure stands first.

    What was never fetched comes before the rival that stands in its place by chance. Verdicts that
    are open explain a row that is undecided; a failed one only where nothing else does.
    """
    found = list(_holding(seen, Use.DIAGNOSIS, Use.ON_PASSING))
    if seen.unfetched and not seen.replaced:
        at = next((n for n, one in enumerate(found) if one.code in _RIVALS), len(found))
        first = next((one for one in found[at:] if one.code == _UNFETCHED), None)
        if first is not None:
            found.remove(first)
            found.insert(at, first)
    yield from found
    if not found or seen.attempt.outcome is Outcome.UNRESOLVED:
        yield from _holding(seen, Use.VERDICT)


def _holding(seen: Seen, *uses: Use) -> Iterator[Finding]:
    for page in CATALOGUE.values():
        if page.use in uses:
            because = _because(page, seen)
            if because is not None:
                yield Finding(code=page.code, because=because)


def _because(page: Entry, seen: Seen) -> str | None:
    return page.when(seen) if page.when is not None else None


def passed_before(attempt: RowResult) -> RowResult:
    """A row that passed in the baseline with the same labels, and fails.

    Then the label is sound, and what a right answer says was had from this evidence.
    """
    if not any(one.code == "label-or-corpus" for one in attempt.diagnoses):
        return attempt
    made = Finding(code="incomplete", because="the row passed in the baseline with the same labels")
    others = tuple(one for one in attempt.diagnoses if one.code != "label-or-corpus")
    has = any(one.code == made.code for one in others)
    return attempt.model_copy(update={"diagnoses": others if has else (*others, made)})


def with_pages(attempt: Attempt, edited: Mapping[int, str]) -> Attempt:
    """The attempt with what is known of the pages of its missing content, by place of the gold."""
    said = [
        f"evidence {at + 1}: {edited[at]}" for at in missing_from_corpus(attempt) if at in edited
    ]
    if not said:
        return attempt
    found = tuple(
        Finding(code=f.code, because="; ".join([f.because, *said]))
        if f.code == "missing-content"
        else f
        for f in attempt.diagnoses
    )
    return attempt.model_copy(update={"diagnoses": found})
