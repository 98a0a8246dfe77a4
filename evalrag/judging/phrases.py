"""What a single sentence of an answer does: decline, ask back, be polite, point elsewhere.

Every pattern is a plain alternation with bounded gaps, and is searched in a bounded piece of text:
an answer is hostile text.
"""

import re
from functools import lru_cache

from evalrag.judging.late import Late

LONGEST = 600
"""Characters of a sentence that are looked at."""

_SOURCES = (
    r"(?:documents?|documentation|docs|contexts?|passages?|sources?|texts?|articles?|excerpts?"
    r"|knowledge base|materials?|records|files?|snippets?|search results|results|handbook|manual"
    r"|guide|faqs?|(?:web ?)?pages?|references?|policy|policies|content|paragraphs?|report"
    r"|information(?: (?:provided|given|available|i have))?|data|details?)"
)
_GIVEN = (
    r"(?:(?:provided|given|available|retrieved|supplied|above|following|current|these|those)\s+)*"
)
_THE = rf"(?:(?:the|my|our|your|any|these|this|those|either|all(?: of)?)\s+)?{_GIVEN}"
_KINDS = (
    r"(?:\w+ ){0,3}?(?:information|info|details?|data|mention|answers?|references?|indications?"
    r"|knowledge|guidance|context|evidence|records?|facts?|specifics|instructions?)"
)
_NOT = r"(?:do not|does not|did not|don't|doesn't|didn't|cannot|can not|can't|could not|couldn't)"
_HOW = r"(?:\w+ly |actually |clearly |even )?"
_SAY = (
    r"(?:mention|specify|state|say|indicate|discuss|address|detail|describe|disclose|clarify"
    r"|elaborate|reveal|explain|tell|answer|list|refer to|go into|touch on)"
)
_SAID = (
    r"(?:mentioned|stated|specified|provided|given|included|found|discussed|described|available"
    r"|covered|addressed|listed|disclosed|explained|contained|present|answered|clear|indicated)"
)

_DECLINES = [
    rf"\b{_THE}{_SOURCES}\s+(?:\w+ ){{0,6}}?{_NOT} {_HOW}{_SAY}\b",
    rf"^(?:however,? |unfortunately,? )?{_THE}(?:documents?|contexts?|passages?|sources?|excerpts?"
    rf"|search results) (?:\d{{1,3}} )?{_NOT} {_HOW}(?:give|provide|contain|cover)\b",
    rf"(?:^|[,;] |but |however,? |and )(?:it|they|this|these) {_NOT} {_HOW}"
    r"(?:mention|specify|state|say|indicate)\b",
    rf"\b(?:{_THE}{_SOURCES}(?: \w+){{0,6}}?|^(?:however,? |but )?(?:it|they|this|these)"
    rf"|[,;] (?:but |and )?(?:it|they)|(?:but|and)) {_NOT} {_HOW}"
    r"(?:contain|provide|include|offer|give|have) (?:\w+ ){0,2}?"
    r"(?:information|info|details|mention|answers?|guidance|specifics|instructions|data on"
    r"|data about)\b",
    rf"\b(?:is|are|was|were)(?: not|n't) {_HOW}{_SAID} (?:\w+ ){{0,2}}?"
    rf"(?:in|by|within|from|anywhere in) {_THE}{_SOURCES}\b",
    r"\b(?:is|are|was|were)(?: not|n't) (?:explicitly |specifically |directly )?"
    r"(?:mentioned|stated|specified)(?=\W*$|[,;]| here\b| anywhere\b| explicitly\b)",
    rf"\b{_SOURCES} (?:says?|mentions?|contains?|states?) nothing\b",
    rf"\b(?:is|are|was|were) {_SAID} nowhere\b|\bnowhere in {_THE}{_SOURCES}\b",
    rf"\bthere (?:is|was|are|were)(?: no|n't any|n't enough| not enough| not any|n't)\b {_KINDS}"
    r"(?: \w+){0,3}? (?:about|on|regarding|of|in|for|to|available|provided|given|that|whether"
    r"|as to|concerning|here)\b",
    rf"\bno {_KINDS} (?:\w+ ){{0,4}}?(?:is|are|was|were)? ?(?:available|provided|given|found"
    r"|mentioned|included)\b",
    rf"\b(?:contains?|gives?|provides?|includes?|makes?|offers?|have|has) no {_KINDS}\b",
    rf"\b(?:i|we) (?:currently |simply |just )?{_NOT} (?:currently |really |actually )?have"
    rf" (?:any |enough |the |access to )?{_KINDS}\b",
    rf"\bi {_NOT} have access\b|\b(?:i|we) {_NOT} know\b(?! that)",
    r"\bi have no (?:\w+ )?(?:information|idea|knowledge|data|details|record|access)\b",
    r"\bi lack (?:the|any|enough|sufficient)\b",
    rf"\bi {_NOT} (?:\w+ly |be )?(?:find|locate|determine|answer|tell|say|confirm|verify|see|give"
    r"|provide|help|assist|speculate|comment|respond|share|offer|identify)\b",
    rf"\bwe {_NOT} (?:\w+ly )?(?:find|locate|determine|answer|tell|say|confirm|verify)"
    r" (?:any|that|this|whether|if|from|your question|what|when|how|who|it)\b",
    r"\b(?:unable|not able) to (?:\w+ly )?(?:answer|find|determine|locate|confirm|verify|say|tell"
    r"|help|assist|identify|provide (?:an? |any |the |that |this |further |more |specific )?"
    r"(?:\w+ )?(?:answer|information|details|response|guidance|that|this))\b",
    r"\bi(?: am|'m) (?:not sure|not certain|not aware|unsure|unaware|not familiar)\b",
    r"\b(?:not enough|insufficient|too little|lacks? (?:the |enough |sufficient )?)\s?"
    r"(?:\w+ )?(?:information|context|details?|data)\b",
    r"\b(?:cannot|can't|can not|could not|couldn't) be (?:determined|answered|confirmed|verified"
    r"|inferred|established|found in)\b",
    r"\b(?:not possible|impossible) to (?:determine|say|tell|answer|know|confirm|verify)\b",
    rf"\b(?:unclear|not clear|unknown|uncertain) (?:\w+ ){{0,3}}?(?:from|based on|in|given) {_THE}"
    rf"{_SOURCES}\b",
    r"\b(?:outside|beyond) (?:of )?(?:the scope|my (?:scope|knowledge|expertise|area)|what i)\b",
    r"\bi can only (?:answer|help|assist|respond|discuss|provide)\b",
    r"\bi(?: am|'m) (?:only able|designed|here) to (?:answer|help with) (?:only )?questions"
    r" about\b",
    r"\bno (?:relevant )?(?:documents?|passages?|results|sources?|records?) (?:\w+ )?"
    r"(?:found|available|mentions?|covers?|matched|discusses|states|says)\b",
    rf"\bnone of {_THE}{_SOURCES} (?:\w+ )?{_SAY}s?\b",
    rf"\bneither {_SOURCES} {_SAY}s?\b",
    rf"\b{_THE}{_SOURCES} (?:is|are) silent (?:on|about)\b",
    r"^(?:i(?: really)? (?:do not|don't) know|no idea|not (?:mentioned|specified|stated|available)"
    r"|unknown|unanswerable|no answer(?: found)?|n/a|no information(?: found)?)\W*$",
    r"^(?:sorry|apologies)\b[^.]{0,40}\b(?:can't|cannot|unable|don't) (?:\w+ )?(?:help|assist"
    r"|answer|know|say)\b",
]
_ABOUT_SOURCES = (
    rf"^(?:\w+ )?{_THE}(?:documents?|contexts?|passages?|sources?|texts?|articles?|excerpts?"
    r"|information|materials?) (?:provided |given |i have |above )?(?:only|mainly|primarily|just|"
    r"instead) (?:\w+ )?(?:discuss|mention|describe|cover|focus|talk|provide|contain|address|refer"
    r"|include|relate|give|list)"
    rf"|^(?:\w+ )?{_THE}(?:documents?|contexts?|passages?|sources?|texts?|articles?) "
    r"(?:talk|deal|is|are) (?:only )?(?:about|with)\b"
)
_COURTESY = [
    r"^(?:thank you|thanks|many thanks|hello|hi|hey|dear|good (?:morning|afternoon|evening))\b",
    r"^(?:i(?:'m| am) )?(?:very |so |really )?sorry(?: (?:about|for|to hear|but|that)|\W|$)",
    r"^(?:my |i )?(?:apologies|apologi[sz]e)\b",
    r"^(?:i )?hope (?:this|that|it|you)\b",
    r"^(?:you(?:'re| are) (?:very )?welcome|my pleasure|great question|good question|best regards"
    r"|kind regards|have a (?:great|nice|good))\b",
    r"^(?:sure|of course|certainly|absolutely|okay|ok|no problem|got it)(?:\W+(?:here|i|let|happy)"
    r"|\W*$)",
    r"^(?:i(?:'m| am|'d be| would be) )(?:happy|glad|pleased|here) to\b",
]
_OFFERS = [
    r"^(?:please )?(?:just )?let (?:me|us) know\b",
    r"^(?:please )?(?:do not|don't) hesitate\b|^(?:please )?feel free\b",
    r"^(?:would|do) you (?:like|want|need) (?:me|to|more|help|any|further)\b",
    r"^(?:is there )?anything else\b|^(?:how|what) (?:else )?(?:can|may) i\b",
    r"^if you(?:'d| would)? (?:have|need|like|want|require) (?:any |more |further |additional |to"
    r" know |me |help)",
    r"^i can (?:help|assist|also help|look|check)\b",
]
_POINTERS = [
    r"^(?:please |you (?:can|could|may|might|should) (?:also )?(?:want to |wish to |need to )?"
    r"|i(?:'d| would)? (?:recommend|suggest|advise) (?:that you )?(?:you )?|it(?:'s| is| would be)"
    r" (?:best|recommended|advisable) to |consider |try |it may be (?:helpful|best) to )"
    r"(?:contact|consult|reach|visit|see|refer|check|call|email|speak|ask|look|review|read|consider"
    r"|contacting|consulting|reaching|checking|visiting|reviewing|search|verify|get in touch)\w*\b",
    r"^(?:contact|consult|visit|refer to|reach out|see also|check with|speak (?:to|with))\b",
    r"^(?:for|to (?:get|learn|find)) (?:more|further|additional|specific|the most|accurate|other)\b"
    r".{0,80}\b(?:contact|visit|see|refer|check|consult|reach|call|email|speak|ask)\b",
]
_CLARIFIES = [
    r"\b(?:could|can|would) you (?:please )?(?:clarify|specify|tell me|confirm|provide|give|share"
    r"|be more|elaborate|explain|rephrase|let me know)\b",
    r"\b(?:which|what) (?:\w+ ){0,6}(?:do|did|are|would|were|is) (?:you|your)\b",
    r"^(?:do|did) you mean\b|\bare you (?:asking|referring|looking|interested|talking|inquiring)\b",
    r"^(?:is|are) (?:this|that|it|you|your|these)\b.{0,120}\bor\b",
    r"^(?:do|does|did|have|has|were|was) (?:you|your|it|this|the)\b.{0,120}\bor\b",
    r"^(?:please )?(?:clarify|specify)\b|\bwhich (?:one|of)\b",
    r"\bplease (?:clarify|specify|tell me which|let me know which|provide more)\b",
    r"\bi(?:'ll| will)? need (?:to know|more (?:information|details)) .{0,60}\b(?:which|what"
    r"|whether)",
    r"^(?:for )?(?:which|what|whose) \w+(?: \w+){0,4}\?$",
]
_DENIED = [
    r"^(?:no,? )?(?:actually,? )?there (?:is|are|was|were)(?: no| not any|n't any|n't a"
    r"| not an?)\b",
    r"^(?:no,? )?(?:actually,? )?(?:(?!that |which |who |if )[\w'-]{1,30} ){1,7}?(?:do|does|did)"
    r"(?: not|n't) (?:currently |actually )?(?:offer|provide|have|sell|operate|publish|pay|award"
    r"|host|issue|own)\b",
]
_NONEXISTENT = [
    r"\b(?:does|do)(?: not|n't) (?:currently |actually )?exist\b|\bnever existed\b",
    r"\b(?:is|are)(?: not|n't) (?:currently )?offered\b",
]
_PREMISES = [
    r"\bno such\b",
    r"\b(?:premise|assumption)\b.{0,60}\b(?:incorrect|wrong|false|mistaken)\b",
    r"\bcontrary to (?:the|your) (?:question|assumption|premise)\b",
    r"^(?:your|the) question (?:assumes|presupposes|seems to assume)\b",
]


_CITED = Late(
    r"\s*[(\[](?:(?:as|see) [\w ]{0,30})?(?:(?:passage|document|source|context|doc|ref)s?\W{0,2}"
    r"[\w.,#&-]{0,20}(?:\s*(?:and|,)\s*(?:(?:passage|document|source)s?\s*)?\d{1,3}){0,5}"
    r"|\^?\d{1,3}(?:\s*[,\u2013-]\s*\d{1,3}){0,8})[)\]]"
    r"|【[^】]{0,40}】"
    r"|,? (?:as )?(?:mentioned|stated|described|noted|according to|per|explained) "
    r"(?:in )?(?:passage|document|source)s? \d{1,3}",
    re.IGNORECASE,
)
_LED = Late(
    r"^(?:(?:according to|based on|as (?:stated|mentioned|noted|described) in|per|in) "
    r"(?:the |these |this )?(?:\w+ ){0,2}?(?:passages?|documents?|contexts?|sources?|information"
    r"|texts?|articles?)(?: \d{1,3})?(?: provided| given)?,\s*"
    r"|(?:the )?(?:passage|document|source|context|text|article)(?: \d{1,3})? (?:also )?"
    r"(?:explains?|states?|mentions?|says?|suggests?|indicates?|notes?) that )",
    re.IGNORECASE,
)


def bare(sentence: str) -> str:
    """What a sentence says, without the marks and words that name its source."""
    told = _CITED.pattern.sub("", sentence).strip()
    led = _LED.pattern.sub("", told, count=1)
    return led if any(c.isalnum() for c in led) else told


def _any_of(patterns: list[str]) -> Late:
    return Late("|".join(f"(?:{pattern})" for pattern in patterns))


_DECLINE = _any_of(_DECLINES)
_META = Late(_ABOUT_SOURCES)
_POLITE = _any_of(_COURTESY)
_OFFER = _any_of(_OFFERS)
_POINTER = _any_of(_POINTERS)
_ASKS = _any_of(_CLARIFIES)
_DENIES = _any_of(_DENIED)
_NOWHERE = _any_of(_NONEXISTENT)
_PREMISE = _any_of(_PREMISES)
_TURN = re.compile(
    r"[,;]?\s+(?:but|however|though|although|nevertheless|nonetheless|yet)\b,?\s+|;\s+"
)
_WHILE = re.compile(r"^(?:while|although|though|even though|whereas)\b[^,]{3,300},\s+")
_SORRY = re.compile(
    r"^(?:unfortunately|i(?:'m| am) (?:very |so |really )?sorry|sorry|i apologi[sz]e"
    r"|(?:my )?apologies|i(?:'m| am) afraid)\b[,;:]?\s*(?:but |that |however,? )?"
)
_SUPPOSED = re.compile(r"\b(?:if|unless|because|for which|whose)\b")
_NEEDLESS = re.compile(r"\bno (?:additional|further|more|other) [\w ]{0,30}(?:needed|required)\b")
_IF = re.compile(r"^(?:if|when|where|in case|should|unless|once)\b")


def flat(sentence: str) -> str:
    """A bounded piece of it, in small letters, with plain quotes and single spaces."""
    low = sentence[:LONGEST].lower().replace("\u2019", "'").replace("\u2018", "'")
    return " ".join(low.split()).strip("\"'*_ ")


@lru_cache(maxsize=16384)
def declines(sentence: str) -> bool:
    """Says of the sources, or of the one who speaks, that it is not known there."""
    low = flat(sentence)
    bare = _SORRY.sub("", low)
    if _IF.match(low) or _NEEDLESS.search(low):
        return False
    return any(
        not _SUPPOSED.search(text, 0, match.start())
        for text in (low, bare)
        for match in _DECLINE.pattern.finditer(text)
    )


def meta(sentence: str) -> bool:
    """Says what the sources are about, and nothing of the subject."""
    return bool(_META.pattern.match(flat(sentence)))


def polite(sentence: str) -> bool:
    low = flat(sentence)
    return (
        bool(_POLITE.pattern.match(low)) and not _SORRY.sub("", low).strip(" .!")
    ) or _just_polite(low)


def _just_polite(low: str) -> bool:
    return (
        bool(_POLITE.pattern.match(low))
        and len(low.split()) <= 14
        and not any(c.isdigit() for c in low)
    )


def offers(sentence: str) -> bool:
    return bool(_OFFER.pattern.match(flat(sentence)))


def points(sentence: str) -> bool:
    """Sends the reader elsewhere, without a figure that could be true or false."""
    low = flat(sentence)
    return bool(_POINTER.pattern.match(low)) and not any(c.isdigit() for c in low)


def asks(sentence: str) -> bool:
    """Asks back what was meant."""
    low = flat(sentence)
    return bool(_ASKS.pattern.search(low)) and not offers(sentence)


def denies_premise(sentence: str) -> bool:
    """Says outright that what was asked takes something wrong for granted."""
    return bool(_PREMISE.pattern.search(_SORRY.sub("", flat(sentence))))


def denied(sentence: str) -> str | None:
    """What it says does not exist or is not offered; None where it says nothing of the kind."""
    low = _SORRY.sub("", flat(sentence))
    match = _DENIES.pattern.match(low)
    if match is not None:
        return low[match.end() :]
    match = _NOWHERE.pattern.search(low)
    return None if match is None else low[: match.start()]


def parts(sentence: str) -> list[str]:
    """A sentence cut at its turns: `I cannot say, but ...`; `While they do not say, ...`."""
    piece = " ".join(sentence[:LONGEST].split())
    led = _WHILE.match(piece.lower())
    if led:
        return [piece[: led.end()], piece[led.end() :]]
    return [part for part in _TURN.split(piece) if part.strip()]
