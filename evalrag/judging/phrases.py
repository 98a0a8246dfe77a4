"""What a single sentence of an answer does: decline, ask back, be polite, point elsewhere.

Every pattern is a plain alternation with bounded gaps, and is searched in a bounded piece of text:
an answer is hostile text.
"""

import re
from functools import lru_cache

from evalrag.judging.declines import ABOUT_SOURCES, DECLINES
from evalrag.judging.late import Late

LONGEST = 600
"""Characters of a sentence that are looked at."""

_COURTESY = [
    r"^(?:thank you|thanks|many thanks|hello|hi|hey|dear|good (?:morning|afternoon|evening))\b",
    r"^(?:i(?:'m| am) )?(?:very |so |really )?sorry(?: (?:about|for|to hear|but|that)|\W|$)",
    r"^(?:my |i )?(?:apologies|apologi[sz]e)\b",
    r"^(?:i )?hope (?:this|that|it|you)\b",
    r"^(?:you(?:'re| are) (?:very )?welcome|my pleasure|great question|good question|best regards"
    r"|kind regards|have a (?:great|nice|good)|happy (?:shopping|travels|holidays))\b",
    r"^enjoy\W*$",
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


_REGRETS = re.compile(
    r"^(?:(?:(?:I(?:'m| am) )?(?:very |so |really )?sorry|I apologi[sz]e|(?:My )?apologies)"
    r"(?:(?:[,;:]| -| \u2013)\s*(?:but |however,? )?| but )"
    r"|(?:Unfortunately|Sadly|Regrettably|I(?:'m| am) afraid)\b(?! of\b)[,;:]?\s*(?:but |that )?)",
    re.IGNORECASE,
)


def bare(sentence: str) -> str:
    """What a sentence says, without its regrets, and the marks and words that name its source."""
    told = _CITED.pattern.sub("", sentence).strip()
    led = _LED.pattern.sub("", _REGRETS.sub("", told, count=1), count=1)
    return led if any(c.isalnum() for c in led) else told


def _any_of(patterns: list[str]) -> Late:
    return Late("|".join(f"(?:{pattern})" for pattern in patterns))


_DECLINE = _any_of(DECLINES)
_META = Late(ABOUT_SOURCES)
_POLITE = _any_of(_COURTESY)
_OFFER = _any_of(_OFFERS)
_POINTER = _any_of(_POINTERS)
_ASKS = _any_of(_CLARIFIES)
_DENIES = _any_of(_DENIED)
_NOWHERE = _any_of(_NONEXISTENT)
_PREMISE = _any_of(_PREMISES)
_CONTRACTED = re.compile(r"\b(there|that|this|it|one|i|we)'(s|ve)\b")
_BARE_NOT = re.compile(r"\b(do|does|did|ca|could|is|are|was|would|have|has)nt\b")
_TURN = re.compile(
    r"[,;]?\s+(?:but|however|though|although|nevertheless|nonetheless|yet)\b,?\s+|;\s+"
)
_WHILE = re.compile(r"^(?:while|although|though|even though|whereas)\b[^,]{3,300},\s+")
_SORRY = re.compile(
    r"^(?:(?:unfortunately|sadly|regrettably|well|hm+|oh|ah|um+|honestly|frankly|to be honest"
    r"|i(?:'m| am) (?:very |so |really )?sorry(?: to say)?|(?:so |very )?sorry|i apologi[sz]e"
    r"|(?:my )?apologies|i(?:'m| am) afraid)\b[,;:.!]?(?: (?:\u2013|-) )?\s*"
    r"(?:but |that |however,? )?){1,3}"
)
_SORRY_BUT = re.compile(
    r"^(?:(?:i(?:'m| am) )?(?:very |so |really )?sorry|i apologi[sz]e|(?:my )?apologies)"
    r"(?:(?:[,;:]| -| \u2013)\s*(?:but |however,? )?| but )(?!my (?:mistake|bad|fault|apolog))"
)
"""An apology with a clause of its own behind it: `Sorry, we do not ship there`."""
_I_NOT = re.compile(
    r"\bi (?:\w+ ){0,3}?(?:not|never|\w+n't|cannot|no|nothing|unable)\b"
    r"|\bi'm (?:\w+ ){0,2}?(?:not|unable)\b|\b(?:not|isn't|no) (?:\w+ ){0,3}?(?:me|i|my)\b"
)
_OF_ANY = re.compile(r"\bi (?:\w+ )?(?:do not|don't) know of (?:any|an?|no)\b")
_SUPPOSED = re.compile(r"\b(?:if|unless|because|for which|whose)\b")
_NEEDLESS = re.compile(r"\bno (?:additional|further|more|other) [\w ]{0,30}(?:needed|required)\b")
_IF = re.compile(r"^(?:if|when|where|in case|should|unless|once)\b")


def flat(sentence: str) -> str:
    """A bounded piece of it, in small letters, with plain quotes and single spaces.

    `that's` and `I've` are written out, and `dont` with its apostrophe.
    """
    low = sentence[:LONGEST].lower().replace("\u2019", "'").replace("\u2018", "'")
    if "'" in low:
        low = _CONTRACTED.sub(_in_full, low)
    if "nt" in low:
        low = _BARE_NOT.sub(r"\1n't", low)
    return " ".join(low.split()).strip("\"'*_ ")


def _in_full(match: re.Match[str]) -> str:
    return f"{match[1]} {'is' if match[2] == 's' else 'have'}"


@lru_cache(maxsize=16384)
def declines(sentence: str) -> bool:
    """Says of the sources, or of the one who speaks, that it is not known there."""
    low = flat(sentence)
    bare = _SORRY.sub("", low)
    if _IF.match(low) or _NEEDLESS.search(low):
        return False
    return any(
        not _SUPPOSED.search(text, 0, match.start())
        for text in {low, bare}
        for match in _DECLINE.pattern.finditer(text)
    )


def speaker_denies(sentence: str) -> bool:
    """The one who speaks says `I` and `not`, and no figure: it may be a decline all the same."""
    low = flat(sentence)
    return bool(_I_NOT.search(low)) and not _OF_ANY.search(low) and not any(map(str.isdigit, low))


def meta(sentence: str) -> bool:
    """Says what the sources are about, and nothing of the subject."""
    return bool(_META.pattern.match(flat(sentence)))


def polite(sentence: str) -> bool:
    """A courtesy and nothing else: `Sorry to hear that`, and not `Sorry, we are closed`."""
    low = flat(sentence)
    if not _POLITE.pattern.match(low):
        return False
    if not _SORRY.sub("", low).strip(" .!"):
        return True
    clause = _SORRY_BUT.sub("", low, count=1)
    if clause != low:
        return any(one.pattern.match(clause) for one in (_POLITE, _OFFER, _POINTER))
    return len(low.split()) <= 14 and not any(c.isdigit() for c in low)


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
