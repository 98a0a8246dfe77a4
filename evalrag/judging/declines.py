"""The sentences that decline: each says of the sources, or of the speaker, what is not known.

All are written in small letters, without the contractions that `phrases.flat` writes out. Those of
everyday speech name what is not known by "that", or end there: "We can't help with that" declines,
"We can't help with visas" answers.
"""

_SOURCES = (
    r"(?:documents?|documentation|docs|contexts?|passages?|sources?|texts?|articles?|excerpts?"
    r"|knowledge base|materials?|records|files?|snippets?|search results|results|handbook|manual"
    r"|guide|faqs?|(?:web ?)?pages?|references?|policy|policies|content|paragraphs?|report"
    r"|information(?: (?:provided|given|available|i have))?|data|details?"
    r"|help (?:pages?|texts?|articles?|docs|cent(?:re|er)s?))"
)
_GIVEN = (
    r"(?:(?:provided|given|available|retrieved|supplied|above|following|current|these|those)\s+)*"
)
_THE = (
    r"(?:(?:the|my|our|your|these|this|those|either"
    r"|(?:any|all)(?: of(?: the| my| our| these)?)?)\s+)?"
    rf"{_GIVEN}"
)
_KINDS = (
    r"(?:\w+ ){0,3}?(?:information|info|details?|data|mention|answers?|references?|indications?"
    r"|knowledge|guidance|context|evidence|records?|facts?|specifics|instructions?)"
    r"(?! (?:desks?|points?|boards?|offices?|officers?|cent(?:re|er)s?|booths?|stands?|sheets?"
    r"|screens?)\b)"
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

_OF_SOURCES = [
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
    rf"\b(?:i|we) (?:currently |simply |just )?{_NOT} (?:currently |really |actually )?"
    rf"(?:have|hold) (?:any |enough |the |access to )?{_KINDS}\b",
    rf"\bi {_NOT} have access\b",
    r"\bi have no (?:\w+ )?(?:information|idea|knowledge|data|details|record|access)\b",
    r"\bi lack (?:the|any|enough|sufficient)\b",
    rf"\bi {_NOT} (?:\w+ly |be )?(?:find|locate|determine|answer|tell|say|confirm|verify|see|give"
    r"|provide|help|assist|speculate|comment|respond|share|offer|identify)\b",
    rf"\bwe {_NOT} (?:\w+ly )?(?:find|locate|determine|answer|tell|say|confirm|verify)"
    r" (?:any|that|this|whether|if|from|your question|what|when|how|who|it(?! often))\b",
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
    r"^(?:not (?:mentioned|specified|stated|available)"
    r"|unknown|unanswerable|no answer(?: found)?|n/a|no information(?: found)?)\W*$",
    r"^(?:sorry|apologies)\b[^.]{0,40}\b(?:can't|cannot|unable|don't) (?:\w+ )?(?:help|assist"
    r"|answer|know|say)\b",
]
_DOCS = (
    r"(?:documents?|documentation|docs|knowledge base|help (?:pages?|texts?|articles?|docs"
    r"|cent(?:re|er)s?)|faqs?|passages?|sources?|context|articles?|materials?|handbook|notes)"
)
_THAT = r"(?:that|this|it|those|these|them)(?: one| question| topic| subject| matter| yet)?"
_ENDS = (
    r"(?=\W*$|[,.;:!]| but\b| yet\b| here\b| in\b| at the moment\b| right now\b"
    r"| (?:provided|given|available)\b| (?:that )?(?:i|we) (?:have|was|were)\b)"
)
_NO_CLAUSE = r"(?! that (?!(?:one|yet|off|for|either|at|right|here|but|sorry)\b))"
"""Not "I do not know that it costs more", which says something of the subject."""
_ASKED = r"(?:about|on|what|who|when|where|why|how|which|whether|if)"
_QUITE = r"(?:(?:\w+ly|just|quite|too|so|very|entirely|all that|at all|even) )?"
_CLUE = r"(?:\w+ )?(?:idea|clue)s?"
_EVERYDAY = [
    rf"\bi {_QUITE}{_NOT} {_QUITE}know\b(?! of (?:any|an?|no)\b){_NO_CLAUSE}",
    rf"\bwe {_QUITE}{_NOT} {_QUITE}know\b(?! of (?:any|an?|no)\b| your\b){_NO_CLAUSE}",
    r"\bi would(?: not|n't) (?:\w+ly )?know\b|^(?:i )?dunno\b|^idk\b",
    rf"^(?:do not|don't) (?:\w+ly )?know(?: {_THAT}| the answer)?{_ENDS}"
    rf"|^(?:do not|don't) know {_ASKED}\b",
    rf"\b(?:i|we) {_QUITE}(?:have(?: got)? no|{_NOT} have (?:a|any|the)"
    rf"|have(?: not|n't)(?: got)? (?:a|any|the)) {_CLUE}(?: {_ASKED}\b|{_ENDS})",
    rf"^(?:i am |absolutely |honestly )?(?:no|not a|not the) {_CLUE}(?: {_ASKED}\b|{_ENDS})",
    rf"^not {_QUITE}(?:sure|certain)(?: {_ASKED}\b| {_THAT}|{_ENDS})",
    rf"\bi(?: am|'m) {_QUITE}not {_QUITE}(?:sure|certain|aware|familiar)\b",
    rf"\bwe(?: are|'re) {_QUITE}not {_QUITE}(?:sure|certain)(?: {_ASKED}\b|{_ENDS})",
    rf"\bi {_QUITE}(?:cannot|can't|could not|couldn't) {_QUITE}"
    rf"(?:tell|say|help|assist|answer|speak to)\b",
    rf"\bwe {_QUITE}(?:cannot|can't|could not|couldn't) {_QUITE}(?:tell|say|help|assist|answer)"
    rf"(?: you)?(?: with| on| about)?(?: {_THAT})?{_ENDS}",
    r"\bi (?:do not|don't) (?:think|believe) (?:that )?(?:i|we) (?:can (?:answer|help|say|tell"
    r"|assist)|know\b|have (?:any|the|that|an answer))",
    rf"\b(?:i|we) (?:\w+ly )?(?:found|see|saw|have|have got|got|know|(?:can|could) (?:find|see))"
    rf" nothing (?:\w+ )?(?:on|about|regarding|concerning|of) {_THAT}{_ENDS}",
    rf"\b(?:i|we) (?:\w+ly )?(?:found|see|saw|have|(?:can|could) (?:find|see)) nothing (?:\w+ )?"
    rf"(?:(?:about|regarding|concerning) |in {_THE}{_DOCS}\b)",
    rf"\b(?:i|we) {_NOT} have anything (?:\w+ )?(?:(?:about|regarding|concerning)\b"
    rf"|on {_THAT}{_ENDS})",
    rf"\bthere (?:is|was)(?: nothing|n't anything| not anything) (?:\w+ )?"
    rf"(?:(?:on|about|regarding|concerning) (?:{_THAT}{_ENDS}"
    rf"|(?:[\w'-]+ ){{1,5}}in {_THE}{_DOCS}\b)|in {_THE}{_DOCS}\b)",
    rf"^nothing (?:\w+ )?(?:on|about|regarding|concerning) (?:{_THAT}{_ENDS}"
    rf"|(?:[\w'-]+ ){{1,6}}in {_THE}{_DOCS}{_ENDS})"
    rf"|^nothing in {_THE}{_DOCS} (?:(?:about|on|regarding)\b|(?:says?|mentions?|covers?|tells?"
    r"|answers?|address(?:es)?|explains?)\b)",
    rf"\b{_THE}{_DOCS} {_NOT} {_HOW}(?:cover|go into|touch on|deal with|tell|answer)"
    rf" {_THAT}{_ENDS}",
    rf"\b(?:it|(?:that|this|the)(?: \w+)?) is(?: not|n't) (?:\w+ly )?(?:to be found )?in"
    rf" {_THE}{_DOCS}{_ENDS}|^not in {_THE}{_DOCS}{_ENDS}",
    rf"\b(?:that|this|it) (?:is|was)(?: not|n't) (?:\w+ly )?(?:something|anything|a question"
    r"|a topic|a subject|one|information|a thing) (?:that |which )?(?:i|we) (?:know\b"
    r"|(?:currently )?have (?:(?:any|the|enough) )?(?:information|info|details?|data|answers?"
    rf"|anything|knowledge|access)\b|have{_ENDS}|(?:can|could|am able to|are able to) (?:\w+ )?"
    r"(?:help|assist|answer|tell|say|speak|comment|find|discuss|advise)\b)",
    rf"\b(?:that|this|it) (?:is|was)(?: not|n't) (?:\w+ly )?(?:something|anything) (?:that )?"
    rf"{_THE}{_DOCS} (?:covers?|mentions?|says?|address(?:es)?|answers?|tells?)\b",
    rf"\bnothing (?:that )?(?:i|we) (?:have|know|found|see|(?:can|could) (?:find|see))(?: here)? "
    rf"(?:says?|tells?|mentions?|covers?|answers?|explains?)\b|\bnothing i know{_ENDS}",
    r"\bi (?:do not|don't|have not|haven't) (?:have |got )?enough to (?:go on|answer|say|tell)\b",
    rf"^no {_KINDS} (?:on|about|regarding|for) {_THAT}{_ENDS}",
    rf"^(?:cannot|can't|could not|couldn't) (?:say|tell|tell you|help)(?: with| on| about)?"
    rf"(?: {_THAT})?{_ENDS}",
    rf"(?:^|\b(?:and|but|i) )found nothing (?:\w+ )?(?:(?:about|regarding|concerning)\b"
    rf"|on {_THAT}{_ENDS})",
    rf"\b(?:i|we) have(?: not|n't) (?:got )?(?:any |enough |the |that )?{_KINDS}"
    rf"(?:{_ENDS}| {_ASKED}\b| of\b| regarding\b| to\b)",
    rf"\b{_THE}(?:documents?|documentation|docs|passages?|context|help pages?|knowledge base)"
    r" (?:gives?|states?|mentions?|names?|lists?|shows?) no \w+",
    r"\bi (?:have )?(?:searched|looked|checked)\b[^.]{0,80}\b(?:no|nothing|not)\b",
    r"\b(?:unknown|not known) to me\b|\bi(?: am|'m) not in a position to\b",
    rf"\b(?:and|but|so) (?:cannot|can't) (?:answer|help|say|tell)(?: you)?(?: with)?(?: {_THAT})?"
    rf"{_ENDS}",
    r"^not (?:something|anything) (?:that )?(?:i|we) (?:know|can (?:answer|help|say|tell))\b",
    r"\bdrawing a blank\b|\b(?:i would|i'd) rather not (?:guess|say|speculate)\b",
    r"\bi only (?:know|have (?:information|details|documents|answers)) (?:about|of|on|for)\b",
    r"\b(?:information|details?|data|answer) (?:is|are)(?: not|n't) (?:available|known|accessible"
    r"|given) to (?:me|us)\b",
    r"\b(?:that|this|it) is beyond me\b",
    r"\b(?:i am|that is) not the (?:right )?(?:one|person) to ask\b",
    r"\bi wish i (?:knew|could (?:help|tell|say|answer))\b",
    r"\byour guess is as good as mine\b|^(?:that |it )?beats me\b",
]
DECLINES = [*_OF_SOURCES, *_EVERYDAY]
ABOUT_SOURCES = (
    rf"^(?:\w+ )?{_THE}(?:documents?|contexts?|passages?|sources?|texts?|articles?|excerpts?"
    r"|information|materials?) (?:provided |given |i have |above )?(?:only|mainly|primarily|just|"
    r"instead) (?:\w+ )?(?:discuss|mention|describe|cover|focus|talk|provide|contain|address|refer"
    r"|include|relate|give|list)"
    rf"|^(?:\w+ )?{_THE}(?:documents?|contexts?|passages?|sources?|texts?|articles?) "
    r"(?:talk|deal|is|are) (?:only )?(?:about|with)\b"
)
