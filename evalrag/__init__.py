"""Row-level regression gates for retrieval-augmented generation (RAG) pipelines.

Importing this package does nothing: every public name is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalrag.errors import EvalragError
    from evalrag.loading.dataset import Dataset, load_dataset
    from evalrag.loading.plan import LoadedPlan, load_plan
    from evalrag.regression.verdict import Comparison, judge_run
    from evalrag.schema.evidence import Evidence
    from evalrag.schema.plan import Plan
    from evalrag.schema.result import RowResult
    from evalrag.schema.row import Row
    from evalrag.schema.run import RunRecord
    from evalrag.schema.trace import Passage, Trace
    from evalrag.schema.verdict import ExitCode, Verdict

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Dataset",
    "EvalragError",
    "Evidence",
    "ExitCode",
    "LoadedPlan",
    "Passage",
    "Plan",
    "Row",
    "RowResult",
    "RunRecord",
    "Trace",
    "Verdict",
    "__version__",
    "judge_run",
    "load_dataset",
    "load_plan",
]

_HOMES = {
    "Comparison": "evalrag.regression.verdict",
    "Dataset": "evalrag.loading.dataset",
    "EvalragError": "evalrag.errors",
    "Evidence": "evalrag.schema.evidence",
    "ExitCode": "evalrag.schema.verdict",
    "LoadedPlan": "evalrag.loading.plan",
    "Passage": "evalrag.schema.trace",
    "Plan": "evalrag.schema.plan",
    "Row": "evalrag.schema.row",
    "RowResult": "evalrag.schema.result",
    "RunRecord": "evalrag.schema.run",
    "Trace": "evalrag.schema.trace",
    "Verdict": "evalrag.schema.verdict",
    "judge_run": "evalrag.regression.verdict",
    "load_dataset": "evalrag.loading.dataset",
    "load_plan": "evalrag.loading.plan",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'evalrag' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
