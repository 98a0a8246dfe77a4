"""Word lists: what carries no content, what denies, bounds, hedges, conditions, opposites."""

from evalrag.judging.stems import listed, stem, stemmed

FUNCTION = listed(
    """
    a an the this that these those such same it its itself he him his she her hers they them
    their theirs we us our ours you your yours i me my mine one's who whom whose which what
    when where why how there here is am are was were be been being do does did doing done
    has have had having will would shall should can could may might must ought let lets of
    in on at by for with from to into onto upon as about around over under above below
    between among through during within against before after since until till than then so
    if and or but nor yet both either neither not no never nobody nothing none nowhere
    cannot without because while although though whereas also too very just only even still
    already again once however therefore thus moreover per via etc up out off down all any
    each every some most more less least much many few other others another own got get gets
    please it's that's there's i'm i've you're you'll we're we'll they're isn't aren't
    wasn't weren't don't doesn't didn't won't wouldn't shouldn't can't couldn't hasn't
    haven't hadn't mustn't needn't unless except always everyone everything anyone anything
    exactly precisely roughly approximately nearly almost minimum maximum
    """
)
"""Words without content of their own: they are never counted and never missed."""

FRAMING = stemmed(
    """
    according policy document documents passage passages context information provided based
    states stated says mentioned note noted specifically additionally furthermore generally
    currently overall summary answer yes sure certainly absolutely indeed following section
    guide text source sources listed indicates specified      
          
       """
)
"""Words that introduce a claim and change nothing in it."""

UNIVERSAL = listed(
    """
    all every always only never any each everyone everybody everything anyone exclusively
    entirely whatever whenever wherever solely regardless both
    """
)
ABSOLUTE = frozenset(["always", "regardless", "unconditionally", "invariably"])
LIMITING = listed(
    """
    some most many few several usually often sometimes generally typically rarely partly
    mostly mainly normally occasionally likely probably possibly perhaps certain selected
    """
)
PERMITS = frozenset(["may", "might", "can", "could"])
REQUIRES = frozenset(["must", "shall", "required", "mandatory", "needs"])
ADVISES = frozenset(["should", "recommended", "ought"])

CONDITIONS = frozenset(["if", "unless", "except", "provided", "until", "excluding", "otherwise"])
"""What follows takes part of the statement back, or makes it depend on something."""
EXCEPTIONS = frozenset(["unless", "except", "excluding"])
DOUBT = stemmed(
    """
    believe believes claim claims alleged allegedly rumor rumour rumoured supposedly myth
    false incorrect untrue deny denies denied doubt formerly previously proposed expected
    predicted hopes hypothetical wrongly mistaken suggest
    """
)
"""Words before a statement that take it out of the world."""

ENDED = stemmed(
    """abolish discontinue cancel remove end cease withdraw former previous suspend stop expire
    replace close retire drop"""
)
"""Words of what was and is no more: to deny it contradicts nothing."""

NEGATORS = listed(
    """
    not no never nobody none nothing neither nor cannot without isn't aren't wasn't weren't
    don't doesn't didn't won't wouldn't shouldn't can't couldn't hasn't haven't hadn't
    mustn't needn't ain't nowhere unable
    """
)

_OPPOSITES = """
rise fall|increase decrease|increase fall|rise decrease|grow shrink|gain lose|open closed
open close|mandatory optional|required optional|compulsory optional|compulsory voluntary
mandatory voluntary|gross net|fixed variable|large small|larger smaller|big small|bigger smaller
early late|earlier later|add remove|strong weak|stronger weaker|high low|higher lower
highest lowest|largest smallest|fast slow|faster slower|fastest slowest|long short|longer shorter
longest shortest|allow prohibit|allow forbid|allow ban|permit prohibit|permit forbid
permitted banned|allowed forbidden|allowed prohibited|include exclude|included excluded
accept reject|accept refuse|accept decline|approve reject|approve deny|grant deny
enable disable|enabled disabled|available unavailable|possible impossible|valid invalid
weekday weekend|weekdays weekends|morning evening|before after|above below|over under
free paid|refundable nonrefundable|paid unpaid|legal illegal|safe unsafe|win lose|won lost
buy sell|bought sold|arrive depart|arrival departure|begin end|start end|start finish
start stop|first last|north south|east west|northern southern|eastern western|left right
inside outside|indoors outdoors|indoor outdoor|hot cold|warm cool|warm cold|wet dry|full empty
upper lower|front back|top bottom|maximum minimum|most least|best worst|better worse|more less
more fewer|profit loss|success failure|succeed fail|pass fail|public private|temporary permanent
automatic manual|automatically manually|monthly yearly|daily weekly|weekly monthly|annual monthly
annually monthly|single double|supported unsupported|encrypted unencrypted|limited unlimited
reversible irreversible|eligible ineligible|taxable exempt|connect disconnect|lock unlock
expand contract|strengthen weaken|rose declined|increase decline|grow decline|rise decline
import export|deposit withdraw|widen narrow|light heavy|lighter heavier|young old|younger older
cheap expensive|cheaper dearer|lead trail|admit deny|attract repel|ascend descend|accelerate slow
improve worsen|majority minority|opaque transparent|positive negative|rural urban|shallow deep
simple complex|thick thin|visible invisible|wide narrow|active inactive|known unknown
domestic international|online offline|online in-person|oral written|raise lower|raised lowered
up down|forward backward|day night|summer winter|spring autumn|parent child|male female
dominant recessive|vertical horizontal|internal external|refrigerated frozen|raw cooked
odd even|married single|acquired sold|hired fired|retain delete|keep discard|merged split
advance arrears|nonstop connecting|reusable disposable|salty fresh|sweet sour|tax-free taxable
"""
_CONTRASTS = """
full part|sync async|new existing|basic premium|adult child|regular oversized|standard express
small large|young old|primary secondary|senior junior|public private|internal external
domestic international|online offline|indoor outdoor|summer winter|male female|parent child
"""


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for pair in text.replace("\n", "|").split("|"):
        words = pair.split()
        if len(words) == 2:
            one, other = stem(words[0]), stem(words[1])
            found |= {(one, other), (other, one)}
    return frozenset(found)


CONTRASTS = _pairs(_CONTRASTS)
"""Words for two things side by side: what holds of one need not be false of the other."""
OPPOSITES = _pairs(_OPPOSITES) - CONTRASTS
"""Words of which one denies the other when they stand in the same place."""
