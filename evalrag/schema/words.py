"""The closed vocabularies that every layer shares."""

from enum import StrEnum


class Kind(StrEnum):
    """What a golden row is built to find out."""

    HAPPY_PATH = "happy-path"
    NEAR_MISS = "near-miss"
    MULTI_HOP = "multi-hop"
    STALE_POLICY = "stale-policy"
    UNANSWERABLE = "unanswerable"


class Form(StrEnum):
    """What an answer does, whatever it says."""

    ANSWERED = "ANSWERED"
    QUALIFIED = "QUALIFIED"
    DECLINED = "DECLINED"
    CORRECTS = "CORRECTS"
    CLARIFIES = "CLARIFIES"


class Because(StrEnum):
    """Why a row cannot be answered."""

    OUT_OF_SCOPE = "out-of-scope"
    NOT_IN_CORPUS = "not-in-corpus"
    FALSE_PREMISE = "false-premise"


class Split(StrEnum):
    DEV = "dev"
    HOLDOUT = "holdout"


class Origin(StrEnum):
    HUMAN = "human"
    PRODUCTION = "production"
    SYNTHETIC = "synthetic"


class Stage(StrEnum):
    """The steps of a pipeline that are decided apart, in the order of the data."""

    REWRITE = "rewrite"
    RETRIEVAL = "retrieval"
    RANKING = "ranking"
    GENERATION = "generation"
    BOUNDARY = "boundary"
    ANSWER = "answer"


class Probe(StrEnum):
    """A further call of the user's hooks, which tells two causes apart."""

    STANDALONE_QUESTION = "standalone_question"
    ORACLE_CONTEXT = "oracle_context"
    NO_CONTEXT = "no_context"


class Outcome(StrEnum):
    """How a stage, or a row, ended. `na` is for stages alone."""

    PASS = "pass"
    FAIL = "fail"
    UNRESOLVED = "unresolved"
    ERROR = "error"
    NA = "na"

    @property
    def decided(self) -> bool:
        return self in (Outcome.PASS, Outcome.FAIL)


class Mark(StrEnum):
    """What a passage is for a row: the first that fits (SPEC of evidence)."""

    REPEAT = "repeat"
    SUPERSEDED = "superseded"
    NEAR_MISS = "near-miss"
    RELEVANT = "relevant"
    PARTIAL = "partial"
    UNJUDGED = "unjudged"


RIVALS = (Mark.SUPERSEDED, Mark.NEAR_MISS)
"""What must not win."""


class Label(StrEnum):
    """What the context says of a claim, or an answer of a fact."""

    SUPPORTED = "SUPPORTED"
    ABSENT = "ABSENT"
    CONTRADICTED = "CONTRADICTED"
    UNRESOLVED = "UNRESOLVED"


class FactLabel(StrEnum):
    """What an answer does with a reference fact."""

    STATED = "STATED"
    MISSING = "MISSING"
    CONTRADICTED = "CONTRADICTED"
    UNRESOLVED = "UNRESOLVED"


class Relevancy(StrEnum):
    ANSWERS = "ANSWERS"
    PARTLY = "PARTLY"
    EVADES = "EVADES"


class Direction(StrEnum):
    """Which way is better."""

    UP = "up"
    DOWN = "down"
    NEITHER = "neither"
