"""Changes to a labelled answer that change nothing of what is true of it.

A judge whose label moves with them grades by something else than what it should: the place of a
passage, the length of an answer, the tone of a claim. Plain code makes the changes, so that the
same file is probed with the same texts every time.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from evalrag.judging import phrases
from evalrag.judging.agreement import share
from evalrag.judging.calibration import Judged
from evalrag.judging.forms import answer_form
from evalrag.judging.lexicon import FUNCTION
from evalrag.judging.sentences import Sentence, sentences
from evalrag.judging.stems import listed
from evalrag.judging.tokens import tokenize
from evalrag.schema.calibration import Moved, Probe
from evalrag.schema.labels import AnswerLabel, LabelledRow
from evalrag.schema.words import Form

SURER, LESS_SURE = "I am certain that ", "It seems that "
_STATES = 3
"""Content words of a sentence that can stand behind a frame, or as filler, and still be one."""
_VERBS = listed(
    """
    is are was were has have had will would can could may might must should shall do does did
    cannot can't won't isn't aren't doesn't don't needs costs takes requires includes applies
    expires gets receives covers lasts begins starts ends allows offers means comes runs
    """
)
_NO_SUBJECT = frozenset({"yes", "no", "well", "so", "and", "but", "or", "however", "sorry"})


class Shown(NamedTuple):
    """What the judge is shown in the place of the row's own."""

    context: tuple[str, ...]
    answer: str


def reordered(row: LabelledRow) -> Shown | None:
    """The passages in reverse order; None where that is the same order."""
    turned = row.context[::-1]
    return None if turned == row.context else Shown(turned, row.answer)


def padded(row: LabelledRow) -> Shown | None:
    """The answer with one more sentence, which stands in the context word for word.

    It is the sentence that shares fewest words with question and answer. The worst of the
    answer's claims stays the worst, since one more is supported; an answer that only declines
    would do more than that, and is not padded.
    """
    declines = answer_form(row.question, row.answer)[0] is Form.DECLINED
    if declines or AnswerLabel.ABSTAINED.value in row.accepted:
        return None
    about = _words(f"{row.question} {row.answer}")
    held = _flat(row.answer)
    found = [said for said in _statements(row.context) if _flat(said) not in held]
    if not found:
        return None
    filler = min(found, key=lambda said: len(_words(said) & about))
    answer = row.answer.rstrip()
    closed = answer if answer[-1] in ".!?:;\"')" else f"{answer}."
    return Shown(row.context, f"{closed}{chr(10) if chr(10) in answer else ' '}{filler}")


def surer(row: LabelledRow) -> Shown | None:
    """Every statement said with certainty; None where the answer has none to frame."""
    return _framed(row, SURER)


def less_sure(row: LabelledRow) -> Shown | None:
    """Every statement said as what seems to be; None where the answer has none to frame."""
    return _framed(row, LESS_SURE)


PROBES: Mapping[str, Callable[[LabelledRow], Shown | None]] = MappingProxyType(
    {
        "passages reordered": reordered,
        "answer padded": padded,
        "tone surer": surer,
        "tone less sure": less_sure,
    }
)


def probe_figure(before: Sequence[Judged], after: Mapping[str, Judged]) -> Probe:
    """The share of labels that a probe moved.

    Args:
        before: the answers as they are, judged.
        after: the probed ones by id; an answer that the probe does not fit is not in it.

    Returns:
        The share, over the answers that were judged both times. UNRESOLVED is a label like any
        other here; an answer for which the judge failed says nothing and is counted apart.
    """
    both = [(one, after[one.row.id]) for one in before if one.row.id in after]
    sound = [(one, other) for one, other in both if not one.failed and not other.failed]
    moved = tuple(
        Moved(id=one.row.id, before=one.label, after=other.label)
        for one, other in sound
        if one.label != other.label
    )
    why = "every ask of it failed" if both else "no row that it fits"
    return Probe(
        moved=share(len(moved), len(sound), why), failed=len(both) - len(sound), rows=moved
    )


def _framed(row: LabelledRow, frame: str) -> Shown | None:
    pieces: list[str] = []
    at = 0
    cases = _Cases((row.answer, *row.context))
    for sentence in sentences(row.answer):
        said = row.answer[sentence.start : sentence.end]
        behind = cases.inside(said) if _plain_statement(sentence) and _finite(said) else None
        if behind is not None:
            pieces += [row.answer[at : sentence.start], frame, behind]
            at = sentence.end
    return Shown(row.context, "".join((*pieces, row.answer[at:]))) if pieces else None


class _Cases:
    """How words are written within sentences: what begins one may be a name or not."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.small: set[str] = set()
        self.names: set[str] = set()
        for text in texts:
            for sentence in sentences(text):
                words = [token for token in tokenize(sentence.text) if token.word]
                self.small |= {token.low for token in words if token.text == token.low}
                self.names |= {token.text for token in words[1:] if token.capital}

    def inside(self, said: str) -> str | None:
        """The sentence as it stands behind other words; None where its first word leaves it open.

        A name keeps its capital, and any other word loses it.
        """
        first = next(iter(tokenize(said)))
        if first.start or not first.word or first.low in _NO_SUBJECT:
            return None
        if first.low.partition("'")[0] == "i" or first.text == first.low:
            return said
        if first.low in FUNCTION or first.low in self.small:
            return said[0].lower() + said[1:] if first.text[1:].islower() else said
        return said if first.text in self.names else None


def _finite(said: str) -> bool:
    """It has a verb of its own among the usual ones, so that it is no order and no heading."""
    return said.endswith((".", "!")) and any(token.low in _VERBS for token in tokenize(said)[1:])


def _statements(context: Sequence[str]) -> Iterator[str]:
    for text in context:
        for sentence in sentences(text):
            said = " ".join(text[sentence.start : sentence.end].split())
            whole = not said[0].islower() and said.endswith(".")
            if whole and _plain_statement(sentence):
                yield said


def _plain_statement(sentence: Sentence) -> bool:
    """It states something: no heading, question, courtesy, offer, pointer or decline."""
    text = sentence.text
    if sentence.heading or text.rstrip("\"'”\u2019)* ").endswith("?"):
        return False
    if any(test(text) for test in _TESTS):
        return False
    return len(_words(text)) >= _STATES


_TESTS = (
    phrases.declines,
    phrases.polite,
    phrases.offers,
    phrases.points,
    phrases.asks,
    phrases.meta,
    phrases.denies_premise,
)


def _words(text: str) -> set[str]:
    return {
        token.low
        for token in tokenize(text)
        if token.number or (token.word and token.low not in FUNCTION)
    }


def _flat(text: str) -> str:
    return " ".join(token.low for token in tokenize(text) if token.word or token.number)
