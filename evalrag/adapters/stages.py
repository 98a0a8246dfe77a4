"""An adapter that can stand in any stage of a plan, and is given all that the stage offers."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalrag.adapters.hooks import Hook
from evalrag.schema.plan import Use

if TYPE_CHECKING:
    from evalrag.loading.plan import LoadedPlan

PLACES: Mapping[str, str] = {
    "retrieve": "retriever",
    "generate": "generator",
    "rewrite": "rewriter",
}
"""Stage -> key under `pipeline`. A pipeline in one piece stands at `pipeline` itself: `answer`."""


def stage_of(use: Use, loaded: "LoadedPlan") -> str:
    """The stage that an entry of the plan is for."""
    pipeline = loaded.plan.pipeline
    found = (stage for stage, place in PLACES.items() if getattr(pipeline, place) is use)
    return next(found, "answer")


def written_with(stage: str, loaded: "LoadedPlan") -> Mapping[str, Any]:
    """The `with` of a stage as the file has it: references to the environment not filled in."""
    at = loaded.shown.get("pipeline", {})
    at = at.get(PLACES[stage], {}) if stage in PLACES else at
    return at.get("with") or {} if isinstance(at, dict) else {}


class AnyStage(ABC):
    """A hook of each stage; every one of them asks for all that there is."""

    @abstractmethod
    def ask(self, offers: Mapping[str, Any]) -> Any:
        """What comes back for one row, in the shape of the stage that the plan put this in."""

    def remarks(self) -> Sequence[str]:
        """What a reader of the whole run should know, seen over all rows that were asked."""
        return ()

    def files(self) -> Mapping[str, Path]:
        """What it runs, by path relative to the plan, where those are files that the plan names."""
        return {}

    def rewrite(self, question: str, history: Any, row_id: str, repeat: int, top_k: int) -> Any:
        return self.ask(
            {
                "question": question,
                "history": history,
                "top_k": top_k,
                "row_id": row_id,
                "repeat": repeat,
            }
        )

    def retrieve(self, question: str, top_k: int, history: Any, row_id: str, repeat: int) -> Any:
        return self.rewrite(question, history, row_id, repeat, top_k)

    def generate(
        self,
        question: str,
        passages: Any,
        history: Any,
        row_id: str,
        repeat: int,
        top_k: int,
    ) -> Any:
        return self.ask(
            {
                "question": question,
                "passages": passages,
                "history": history,
                "top_k": top_k,
                "row_id": row_id,
                "repeat": repeat,
            }
        )

    def answer(self, question: str, top_k: int, history: Any, row_id: str, repeat: int) -> Any:
        return self.rewrite(question, history, row_id, repeat, top_k)


def remarks(hooks: Iterable[Hook]) -> list[str]:
    """What the adapters of a plan have to remark, once their rows were asked."""
    owners = [hook.owner for hook in hooks if isinstance(hook.owner, AnyStage)]
    return [line for owner in owners for line in owner.remarks()]
