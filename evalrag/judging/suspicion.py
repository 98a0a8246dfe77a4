"""Text in a passage or an answer that speaks to a judge, not to a reader.

It is reported with its row and never changes a verdict by itself: a passage may quote an attack.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from evalrag.redaction import one_line

_LONGEST = 100_000
_MOST = 5
"""Findings that are kept a row."""

_HIDDEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
    "\U000e0000-\U000e007f]"
)
_SPOKEN: tuple[tuple[str, str], ...] = (
    (
        "an order to the judge",
        r"\b(?:label|mark|rate|grade|score|judge|classify|treat|consider|return|report|output|give)"
        r"\b[^.\n]{0,60}\b(?:claims?|statements?|answers?|sentences?|facts?|everything|all)\b"
        r"[^.\n]{0,40}\b(?:as|to be)?\s*[\"'`*]{0,3}"
        r"(?:supported|stated|correct|faithful|true|pass(?:ed|ing)?|answers|contradicted|absent)\b",
    ),
    (
        "an order to forget instructions",
        r"\b(?:ignore|disregard|forget|override|bypass|skip)\b[^.\n]{0,40}"
        r"\b(?:previous|prior|above|earlier|all|any|these|those|your|the|other)\b[^.\n]{0,30}"
        r"\b(?:instructions?|rules?|prompts?|guidelines?|directions?|orders?|guard|schema)\b",
    ),
    (
        "a new role for the judge",
        r"\b(?:you are now|from now on,? you|"
        r"act as (?:an? |the )?(?:judge|grader|evaluator|assistant|system|admin)|"
        r"pretend (?:to be|that you)|developer mode|jailbreak|"
        r"as an? (?:ai|grader|judge|evaluator)\b[^.\n]{0,20}\byou (?:must|should|will))",
    ),
    (
        "words to a language model",
        r"\b(?:note|message|attention|instruction)s?\b[^.\n]{0,20}\b(?:to|for)\b[^.\n]{0,20}"
        r"\b(?:the )?"
        r"(?:judge|grader|evaluator|llm|language model|assistant|ai model|model)\b"
        r"|\bsystem\s*(?:prompt|message|override|note)\b|^\s*(?:system|assistant|developer)\s*:",
    ),
    (
        "a verdict written out",
        r"[\"']?(?:label|verdict|hard_fail|faithfulness|relevancy)[\"']?\s*[:=]\s*[\"']?"
        r"(?:supported|stated|answers|contradicted|absent|missing|pass|1(?:\.0)?)\b"
        r"|[\"'](?:claims|sentences|facts)[\"']\s*:\s*\[",
    ),
    (
        "the marks of a chat or of a fence",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|?>"
        r"|\[/?INST\]|<</?SYS>>|</?(?:system|instructions?|context|passages?|document|answer)>"
        r"|<<[^<>\n]{0,40}\bend\b>>|-{3,}\s*end of (?:context|passages?|document|data|answer)"
        r"|^#{2,}\s*(?:system|instruction|new task|task)\b",
    ),
    (
        "an order in another language",
        r"\b(?:ignoriere|ignorier|vergiss|missachte)\b[^.\n]{0,50}\b(?:anweisung|anweisungen|regeln)\b"
        r"|\b(?:ignore[zr]?|oublie[zr]?)\b[^.\n]{0,50}\b(?:consignes|instructions)\b"
        r"|\b(?:ignora|ignore|olvida|desatiende)\b[^.\n]{0,50}\b(?:instrucciones|instruções|istruzioni)\b"
        r"|игнорируй|забудь[^.\n]{0,40}инструкци|忽略[^。\n]{0,20}(?:指令|指示|说明)|指示を無視|تجاهل"
        r"|무시하(?:고|세요|십시오)",
    ),
)
_PATTERNS = [(name, re.compile(words, re.IGNORECASE | re.MULTILINE)) for name, words in _SPOKEN]


def suspicious(context: Sequence[str], answer: str | None) -> tuple[str, ...]:
    """What in the passages and the answer speaks to a judge: where, what it looks like, its words.

    At most five, the first of each kind in each text; only the first 100,000 characters are read.
    """
    texts = [(f"passage {n}", text) for n, text in enumerate(context, start=1)]
    if answer is not None:
        texts.append(("the answer", answer))
    found = [f"{where}: {what}" for where, text in texts for what in _signs(text[:_LONGEST])]
    rest = len(found) - _MOST
    return tuple(found[:_MOST] + ([f"{rest} more"] if rest > 0 else []))


def _signs(text: str) -> Iterator[str]:
    hidden = len(_HIDDEN.findall(text))
    if hidden >= 2:
        yield f"{hidden} characters that nobody sees"
    seen = unicodedata.normalize("NFKC", _HIDDEN.sub("", text))
    for name, pattern in _PATTERNS:
        match = pattern.search(seen)
        if match is not None:
            yield f"{name} ({one_line(match.group(), 80)!r})"
