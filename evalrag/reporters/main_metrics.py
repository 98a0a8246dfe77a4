"""The metrics that a report shows without being asked."""

MAIN = (
    "context_recall",
    "evidence_coverage",
    "context_precision",
    "current_precision",
    "reciprocal_rank",
    "rival_first",
    "faithfulness",
    "hard_fail",
    "answer_checks",
    "answer_correctness",
    "refusal",
)
