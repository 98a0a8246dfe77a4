"""Why a retrieval measure may not apply."""

from evalrag.schema.score import Absent, NotApplicable

NO_GOLD = NotApplicable("the row has no gold evidence")
UNANSWERABLE = NotApplicable("the row is unanswerable")
NO_PASSAGES = NotApplicable("no passages in the context")
NO_WINDOW = NotApplicable("the plan has no context_k")
LONGER = NotApplicable("the context is longer than context_k")
NOTHING_RELEVANT = Absent("no relevant passage")
NO_SCORES = NotApplicable("the passages carry no score")
