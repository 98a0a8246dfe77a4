"""Words that are addressed to a judge: orders, verdicts written out, forged ends of the data.

Every gap in a pattern is bounded, and ends at a sentence or a line: the text is hostile.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from evalrag.judging.late import Late


class Order(NamedTuple):
    """What it looks like, and where in the text it stands."""

    what: str
    start: int
    end: int


class Kind(NamedTuple):
    """One kind of order. Most texts hold none of `needs`, and need no slow pattern to say so."""

    what: str
    known: Late
    needs: tuple[str, ...]
    """Nothing matches without one of these: labels as they are, all others in small letters."""

    @property
    def pattern(self) -> re.Pattern[str]:
        return self.known.pattern

    def possible(self, text: str, low: str) -> bool:
        """May `text` hold one? `low` is the text in small letters."""
        where = text if self.needs is _LABELS else low
        for word in self.needs:  # noqa: SIM110  `any` takes twice as long, and this is most of it
            if word in where:
                return True
        return False


_LABELS = (
    *("SUPPORTED", "CONTRADICTED", "ABSENT", "STATED", "MISSING", "DECLINED", "ANSWERED"),
    *("QUALIFIED", "CORRECTS", "CLARIFIES", "EVADES", "PARTLY", "ANSWERS"),
)
"""A judge's own words, in capitals as nobody else writes them."""

_LABEL = rf"(?-i:{'|'.join(_LABELS)})"

_GOOD = (
    r"(?:supported|stated|correct|faithful|accurate|true|right|pass(?:ed|ing)?|contradicted|absent"
    r"|answers)"
)
_VERB = (
    r"(?:label|mark|rate|grade|score|judge|classify|treat|consider|count|call|return|report|output"
    r"|give|reply|answer|write|say|set)"
)
_THING = (
    r"(?:claims?|statements?|answers?|sentences?|facts?|verdicts?|labels?|everything|[cfs]\d{1,3})"
)
_JUDGE = r"(?:judge|grader|evaluator|rater|llm|language model|ai model|chatbot)"
_FOREIGN = r"[\u0370-\u1fff\u3040-\ud7af]"


_IMPERATIVE = (
    r"(?:^|[^\w\s]\s{0,3}|\b(?:please|must|should|shall|will|to|and|then|now|always|just|kindly"
    r"|you|graders|judges|evaluators)\s{1,3})"
)
"""What stands before an order: "The report says that all statements are true" is none."""


def _gap(most: int) -> str:
    """Up to so many characters of the same sentence; what stands in quotes may hold a stop."""
    return rf"(?:[\"“«][^\"”»\n]{{0,300}}[\"”»]|[^.!?\n\"“«]){{0,{most}}}?"


_ANY = _gap(60)
_PATTERNS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "an order to the judge",
        rf"{_IMPERATIVE}(?P<order>{_VERB}\b{_ANY}\b{_THING}\b{_gap(40)}"
        rf"\b(?:as|to be|is|are)?\W{{0,4}}{_GOOD}\b(?! or\b| and (?:false|incorrect|wrong)\b))",
        (
            *("supported", "stated", "correct", "faithful", "accurate", "true", "right", "pass"),
            *("contradicted", "absent", "answers"),
        ),
    ),
    (
        "an order to the judge",
        r"\b(?:treat|consider|regard|accept)\b[^.!?\n]{0,20}\b(?:whole|entire|all|every|each)\b"
        rf"{_gap(40)}\bas {_GOOD}\b(?! or\b)",
        ("treat", "consider", "regard", "accept"),
    ),
    (
        "an order to the judge",
        rf"\b{_VERB}s?\b{_ANY}\b{_LABEL}\b",
        _LABELS,
    ),
    (
        "a label of the judge",
        rf"\b(?:{_THING}|{_JUDGE}s?|grading|label\w*|grade|form|doubt on)\b{_ANY}\b{_LABEL}\b"
        rf"|\b(?:all|everything) (?:is |are )?\W?{_LABEL}\b"
        rf"|\b{_LABEL}\b{_gap(30)}\b(?:for (?:all|each|every)|by people|all of them|in full)\b",
        _LABELS,
    ),
    (
        "a label of the judge",
        rf"\b(?:als|como|comme|come|jako|som|olarak|sebagai)\s+\W?{_LABEL}\b"
        rf"|\b{_LABEL}\W?\s+olarak\b"
        rf"|{_FOREIGN}[^.!?\n。]{{0,30}}{_LABEL}|{_LABEL}[^.!?\n。]{{0,10}}{_FOREIGN}",
        _LABELS,
    ),
    (
        "an order to forget instructions",
        r"\b(?:ignore|disregard|forget|override|bypass|skip)\b[^.\n]{0,40}"
        r"\b(?:previous|prior|above|earlier|all|any|these|those|your|the|other)\b[^.\n]{0,30}"
        r"\b(?:instructions?|rules?|prompts?|guidelines?|directions?|orders?|guard|schema)\b"
        r"|\b(?:ignore|disregard) (?:all |any )?(?:the )?other (?:passages|sources|contexts?)\b",
        ("ignore", "disregard", "forget", "override", "bypass", "skip"),
    ),
    (
        "a new role for the judge",
        r"\b(?:from now on,? you|you are now (?:an? |the )?(?:judge|grader|evaluator|assistant|ai|"
        r"model|system|admin|free|dan)|act as (?:an? |the )?(?:judge|grader|evaluator|assistant|"
        r"system|admin)|pretend (?:to be an? (?:judge|grader|evaluator|assistant|ai)|that you)|"
        r"developer mode|jailbreak|as an? (?:ai|grader|judge|evaluator)\b[^.\n]{0,20}\byou (?:must|"
        r"should|will))",
        ("from now on", "you are now", "act as", "pretend", "developer mode", "jailbreak", "as a"),
    ),
    (
        "words to a judge",
        rf"\b(?:dear|attention|(?:note|message|instruction)s?\b[^.\n]{{0,24}}\b(?:to|for)) "
        rf"(?:the |all )?(?:{_JUDGE}|model)s?\b"
        rf"|\b(?:to|for) (?:the )?(?:{_JUDGE})s?\s*:"
        rf"|^\W{{0,4}}{_JUDGE}s?\s*[:,]{_ANY}\b(?:claims?|label\w*|facts?|answer|form|verdicts?"
        r"|reasons?|reply|passages?)\b"
        r"|\bsystem\s*(?:prompt|message|override|note)\b"
        r"|^\s*(?:system|assistant|developer)\s*:",
        (
            *(
                "judge",
                "grader",
                "evaluator",
                "rater",
                "llm",
                "model",
                "chatbot",
                "system",
                "assistant",
            ),
            "developer",
        ),
    ),
    (
        "a rule of grading",
        rf"\b(?:graders?|evaluators?|raters?|grading|when you (?:grade|judge|list))\b{_ANY}"
        r"\b(?:claims?|facts?|figures|verdicts?|first one)\b"
        r"|\b(?:judge|grade|label|check) only\b[^.\n]{0,30}\bclaims?\b"
        r"|\b(?:return|give|list|write) (?:every|each) (?:verdict|claim|label)\b"
        r"|\b(?:re)?(?:write|word|state|phrase) (?:every|each|all|the) (?:\w+ )?claims?\b"
        r"|\b(?:answer|sentences? above|sentences?)\b[^.\n]{0,30}\b(?:holds?|makes?|contains?) no "
        r"(?:factual )?claims?\b"
        r"|\b(?:each|every) reason\b|\breasons? of (?:your|the) (?:reply|verdict)\b",
        (
            *("grader", "evaluator", "rater", "grading", "when you", "claim", "verdict", "label"),
            "reason",
        ),
    ),
    (
        "a verdict written out",
        r"\b[\w-]{0,20}(?:label|verdict|grade)[\"']?\s*[:=]\s*[\"']?"
        r"(?:supported|stated|answers|contradicted|absent|missing|pass)\b"
        r"|\b(?:hard_fail|faithfulness|answer_relevancy|relevancy)[\"']?\s*[:=]\s*[\"']?"
        r"(?:pass|answers|[01](?:\.0)?)\b"
        r"|[\"'](?:claims|sentences|facts)[\"']\s*:\s*\[",
        (
            *("label", "verdict", "grade", "hard_fail", "faithfulness", "relevancy", "claims"),
            *("sentences", "facts"),
        ),
    ),
    (
        "the marks of a chat or of a fence",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|?>"
        r"|\[/?INST\]|<</?SYS>>|</?(?:system|instructions?|context|passages?|document|answer)>"
        r"|(?:<<|\u2039\u2039|\u226a|\u27ea)[^<>\n]{0,40}\b(?:end|system)\b\s{0,3}"
        r"(?:>>|\u203a\u203a|\u226b|\u27eb)"
        r"|-{3,}\s*end of (?:context|passages?|document|data|answer)"
        r"|^#{2,}\s*(?:system|instruction|new task|task)\b",
        ("<", "[", "\u2039\u2039", "\u226a", "\u27ea", "---", "##"),
    ),
)
_FOREIGN_ORDER = "an order in another language"
_ABROAD = r"""
\b(?:ignoriere|ignorier|vergiss|missachte)\b[^.\n]{0,50}\b(?:anweisung(?:en)?|regeln)\b
\b(?:bewerte|markiere|kennzeichne|beurteile)\b[^.\n]{0,40}\b(?:aussagen?|behauptung(?:en)?|antwort)\b[^.\n]{0,30}\b(?:richtig|wahr|korrekt|belegt)\b
\b(?:ignore[zr]?|oublie[zr]?)\b[^.\n]{0,50}\b(?:consignes|instructions)\b
\b(?:notez?|marquez?|jugez?|évaluez?|considére[zr]?)\b[^.\n]{0,40}\b(?:affirmations?|réponses?)\b[^.\n]{0,30}\b(?:exacte?s?|vraie?s?|correcte?s?)\b
\b(?:ignora|ignore|olvida|desatiende|dimentica)\b[^.\n]{0,50}\b(?:instrucciones|instruções|istruzioni)\b
\b(?:marca|marque|califica|considera|considere|avalie)\b[^.\n]{0,40}\b(?:afirmaciones|afirmación|afirmações|afirmação|respuesta|resposta)\b[^.\n]{0,30}\b(?:correct[oa]s?|verdader[oa]s?|verdadeir[oa]s?|corret[oa]s?)\b
\b(?:considera|segna|valuta|etichetta)\b[^.\n]{0,30}\b(?:ver[eoai]|corrett[eoai])\b[^.\n]{0,30}\b(?:affermazion[ei]|risposta)\b
\b(?:considera|segna|valuta|etichetta)\b[^.\n]{0,30}\b(?:affermazion[ei]|risposta)\b[^.\n]{0,30}\b(?:ver[eoai]|corrett[eoai])\b
\b(?:negeer|vergeet)\b[^.\n]{0,40}\binstructies\b
\b(?:markeer|beoordeel)\b[^.\n]{0,30}\b(?:beweringe?n?|uitspra\w{2,4}|antwoord)\b[^.\n]{0,30}\b(?:juist|waar|correct)\b
\bzignoruj\b[^.\n]{0,40}\b(?:polecenia|instrukcje)\b
\b(?:oznacz|uznaj|oceń)\b[^.\n]{0,30}\b(?:stwierdze\w{2,4}|twierdze\w{2,4}|odpowied\w{1,3})\b[^.\n]{0,30}\b(?:prawdziw\w{1,3}|poprawn\w{1,3})\b
\btalimatlar\w{0,6}\b[^.\n]{0,10}\byok say
\biddia\w{0,4}\b[^.\n]{0,20}\bdoğru\b[^.\n]{0,20}\bişaretle
"""
_SCRIPTS = r"""
игнорируй|забудь[^.\n]{0,40}инструкци
(?:отметь|считай|оцени|пометь)[^.\n]{0,30}(?:утвержден|ответ)[^.\n]{0,30}(?:верн|правильн|истин|подтвержд)
忽略[^。\n]{0,20}(?:指令|指示|说明)
(?:标为|标记为|判定为|判为)[^。\n]{0,10}(?:正确|支持|真)
指示を無視|(?:正しい|真)と(?:判定|評価|みな)
무시하(?:고|세요|십시오)|(?:주장|답변)[^.\n]{0,20}(?:참|사실|정확)[^.\n]{0,10}(?:표시|판정|평가)
تجاهل|(?:اعتبر|صنف)[^.\n]{0,20}(?:ادعاء|إجابة|عبارة)[^.\n]{0,20}(?:صحيح|مدعوم)
अनदेखा|(?:दावे|दावों|उत्तर)[^।\n]{0,20}(?:सही|सत्य)[^।\n]{0,10}(?:मान|लिख|बता)
"""
_TOLD_ABROAD = (
    *("anweisung", "regeln", "aussage", "behauptung", "antwort", "consignes", "instructions"),
    *("affirmation", "réponse", "instrucciones", "instruções", "istruzioni", "afirmaci", "afirmaç"),
    *("respuesta", "resposta", "affermazion", "risposta", "instructies", "bewering", "uitspra"),
    *("antwoord", "polecenia", "instrukcje", "twierdze", "odpowied", "talimatlar", "iddia"),
)
KINDS = tuple(
    Kind(what, Late(pattern, re.IGNORECASE | re.MULTILINE), needs)
    for what, pattern, needs in (
        *_PATTERNS,
        (_FOREIGN_ORDER, "|".join(_ABROAD.strip().splitlines()), _TOLD_ABROAD),
    )
)
_ODD_LETTERS = str.maketrans({"\u0131": "i", "\u017f": "s", "\u0307": None})
"""Small letters that an `i` and an `s` of a pattern stand for too, and the dot of a capital İ."""
_IN_SCRIPTS = Late("|".join(_SCRIPTS.strip().splitlines()), re.IGNORECASE | re.MULTILINE)
"""Apart from the others: most texts hold no letter of another script."""

_VERDICT = "a verdict written out"
_KEYS = re.compile(r"[\"'](?:id|claim|reason|quotes|against|none|label)[\"']\s*:[^\n]{0,2000}")


def small(text: str) -> str:
    """`text` in small letters, as far as a pattern that knows no capitals takes them for those.

    >>> small("\u0130GNORE")
    'ignore'
    """
    low = text.lower()
    return low if low.isascii() else low.translate(_ODD_LETTERS)


def orders(text: str) -> Iterator[Order]:
    """Everything in `text` that is addressed to a judge, kind by kind."""
    verdict = False
    low = small(text)
    for kind in KINDS:
        what = kind.what
        for found in kind.pattern.finditer(text) if kind.possible(text, low) else ():
            verdict = verdict or what == _VERDICT
            yield Order(what, *found.span("order" if found.re.groups else 0))
    if not text.isascii():
        for found in _IN_SCRIPTS.pattern.finditer(text):
            yield Order(_FOREIGN_ORDER, *found.span())
    if verdict:  # the rest of the object that it stands in
        for found in _KEYS.finditer(text):
            yield Order(_VERDICT, *found.span())
