"""Outputs that were stored earlier, scored without calling anything.

    pipeline: {use: recorded, with: {path: outputs.jsonl}}

It can stand as retriever or generator too. A line is what was said for the row of that id:

    {"id": "a", "candidates": [{"id": "x#1", "doc": "x", "text": "..."}], "answer": "..."}

`candidates` (best first; a bare text is an id) or `context` is needed; `query`, `reranked`,
`citations`, `usage`, `error` and `repeat` (attempt 0, 1, ...) there can be.
"""

import os
import threading
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field
from pydantic_core import from_json

from evalrag.adapters.hooks import Hook
from evalrag.adapters.passages import ShapeError, what
from evalrag.adapters.pipeline import as_trace, windowed
from evalrag.adapters.shapes import WHOLE_KEYS, Whole, retrieved, whole
from evalrag.errors import DatasetError, Problem
from evalrag.loading.collector import collector_paused
from evalrag.loading.other_json import refuse_other_json
from evalrag.loading.plan import LoadedPlan
from evalrag.loading.show import clean
from evalrag.loading.strict_json import JsonError, loads
from evalrag.plugins import closest, settings
from evalrag.redaction import one_line
from evalrag.schema.ask import Ask
from evalrag.schema.frozen import Frozen
from evalrag.schema.plan import PipelinePlan, Use
from evalrag.schema.trace import Passage, Trace
from evalrag.schema.words import Stage

TRACES = "traces.jsonl"
"""Where a run folder keeps what was seen."""

_OTHER_KEYS = ("id", "repeat", "question", "told", "handed", "merged", "dropped", "seconds")
KEYS = (*WHOLE_KEYS, *_OTHER_KEYS, "error", "error_stage")
MOST_COMPARED = 500
"""Ids of a dataset up to which a near one is looked for: it takes long, for every wrong line."""
_BOM = b"\xef\xbb\xbf"


class Settings(Frozen):
    """What `with` takes."""

    path: str = Field(min_length=1, description="JSON Lines, or the folder of a run.")


def build(use: Use, loaded: LoadedPlan, ids: Collection[str]) -> "Recorded":
    """The stored outputs that the plan names, checked line by line."""
    path = settings(Settings, use.with_, of="recorded").path
    found = loaded.resolve(path)
    folder = os.path.isdir(found)  # also of a name that no system takes
    return Recorded(
        found / TRACES if folder else found,
        ids,
        shown=f"{path.rstrip('/')}/{TRACES}" if folder else path,
        of_a_run=folder,
    )


class Recorded:
    """Finds a row's stored line. It keeps where lines stand, not what they say.

    In a file of recorded outputs a bare string in a list of passages is an id. In a run folder a
    whole number in the context is a position among the candidates.
    """

    def __init__(
        self, path: Path, ids: Collection[str], *, shown: str, of_a_run: bool = False
    ) -> None:
        self.path, self.of_a_run = path, of_a_run
        self.answers = False
        """Some line holds an answer, so a line without one lacks it."""
        self._places: dict[str, int] = {}
        """Of rows with a single line, which names no attempt."""
        self._attempts: dict[str, dict[int, int]] = {}
        self._lock = threading.Lock()
        try:
            self._file = path.open("rb")
        except (OSError, ValueError) as error:
            message = f"cannot be read: {getattr(error, 'strerror', None) or error}"
            if isinstance(error, FileNotFoundError):
                message = "there is no such file"
            raise DatasetError(
                [Problem(clean(shown, 400), message)],
                hint="check the path; it is relative to the plan",
            ) from None
        try:
            with collector_paused():
                problems = list(self._index(ids, shown))
            if problems:
                raise DatasetError(problems, hint="correct the recorded outputs, or record anew")
        except DatasetError:
            self._file.close()
            raise

    def _index(self, ids: Collection[str], shown: str) -> Iterator[Problem]:
        """One pass over the file: where every row stands, and all that is wrong with the file."""
        first_lines: dict[str | tuple[str, int], int] = {}
        known = ids if isinstance(ids, set | frozenset | dict) else frozenset(ids)
        end = number = 0
        for number, line in enumerate(self._file, 1):
            start, end = end, end + len(line)
            if number == 1 and line.startswith(_BOM):
                start, line = len(_BOM), line[len(_BOM) :]
            if line.isspace():
                continue
            try:
                record = loads(line)
            except JsonError as error:
                if not first_lines:
                    refuse_other_json(self.path, shown)
                yield Problem(shown, error.message, number, error.column)
                continue
            problem = self._wrong(record, known)
            if problem is not None:
                yield Problem(shown, problem[1], number, field=problem[0])
                continue
            name, repeat = record["id"], record.get("repeat")
            key = name if repeat is None else (name, repeat)
            if key in first_lines:
                yield Problem(shown, f"{name!r} stands in line {first_lines[key]} already", number)
                continue
            first_lines[key] = number
            self.answers = self.answers or "answer" in record
            if repeat is None:
                self._places[name] = start
            else:
                self._attempts.setdefault(name, {})[repeat] = start
        if not first_lines:
            yield Problem(shown, "no output is recorded")

    def _wrong(self, record: Any, known: Collection[str]) -> tuple[str | None, str] | None:
        """Field and message of what makes a line unusable; shapes of outputs are not looked at."""
        if not isinstance(record, dict):
            return None, f"each line is one JSON object, not {what(record)}"
        name = record.get("id")
        if not isinstance(name, str):
            return "id", "is missing" if name is None else f"is {what(name)}, not a string"
        if name not in known:
            near = closest(name, known) if len(known) <= MOST_COMPARED else ""
            return "id", f"no row of the dataset has the id {name!r}{near}"
        repeat = record.get("repeat")
        if repeat is not None and (not isinstance(repeat, int) or isinstance(repeat, bool)):
            return "repeat", f"is {what(repeat)}, not a whole number"
        if not self.of_a_run:
            for key in record:
                if key not in KEYS:
                    return key, f"unknown field{closest(key, KEYS)}"
        return None

    def line(self, row_id: str, repeat: int) -> dict[str, Any]:
        """The stored line of one attempt; a line that names no attempt stands for all of them."""
        attempts = self._attempts.get(row_id)
        place = self._places.get(row_id)
        if attempts is not None:
            place = attempts.get(repeat, place)
        if place is None:
            other = "" if attempts is None else f" for repeat {repeat}"
            raise ShapeError(f"holds nothing for this row{other}")
        with self._lock:
            self._file.seek(place)
            text = self._file.readline()
        try:
            record = from_json(text, allow_inf_nan=False, cache_strings="keys")
        except ValueError:
            record = None
        if not isinstance(record, dict) or record.get("id") != row_id:
            raise ShapeError("was changed while it was read")
        return record

    def whole(self, row_id: str, repeat: int, top_k: int | None) -> tuple[Whole, dict[str, Any]]:
        """One attempt's outputs in shape, and the line they come from."""
        record = self.line(row_id, repeat)
        said = {key: record[key] for key in WHOLE_KEYS if key in record}
        if "error" in record and said.get("candidates") is None and said.get("context") is None:
            said["candidates"] = []
        return whole(said, top_k, strings="id", indexes=self.of_a_run), record

    def retrieve(self, question: str, row_id: str, repeat: int) -> list[Passage]:
        """What was retrieved, for a plan that generates anew."""
        found, record = self.whole(row_id, repeat, None)
        if "error" in record and record.get("error_stage") != Stage.GENERATION:
            raise RecordedError(record["error"])
        if found.candidates is None:
            return found.context or []
        return found.candidates.passages

    def generate(self, question: str, row_id: str, repeat: int) -> dict[str, Any]:
        """What was answered, for a plan that retrieves anew."""
        record = self.line(row_id, repeat)
        if "error" in record:
            raise RecordedError(record["error"])
        return {k: record[k] for k in ("answer", "citations", "usage") if k in record}

    def close(self) -> None:
        self._file.close()


class RecordedError(Exception):
    """The recorded call had failed."""


class Replay:
    """A pipeline of stored outputs alone. It is asked without a thread, since it only reads."""

    hooks: Mapping[str, Hook] = {}

    def __init__(self, recorded: Recorded, plan: PipelinePlan, *, generates: bool) -> None:
        self.recorded, self._plan, self.generates = recorded, plan, generates

    async def run(self, ask: Ask) -> Trace:
        return self.replay(ask.row_id, ask.repeat)

    def replay(self, row: str, repeat: int) -> Trace:
        """What was stored, cut at the plan's `top_k`."""
        try:
            quick = self._listed(row, repeat)
            if quick is not None:
                return quick
            found, record = self.recorded.whole(row, repeat, self._plan.top_k)
        except ShapeError as error:
            return Trace(
                candidates=[],
                context=[],
                error=one_line(f"recorded {error}"),
                error_stage=Stage.RETRIEVAL.value,
            )
        if not self.generates:
            found.answered = found.broken = None
        elif found.answered is None and found.broken is None and "error" not in record:
            found.broken = "holds no answer for this row"
        trace = as_trace(found, self._plan, name="recorded")
        self._add(trace, record)
        return trace

    def _listed(self, row: str, repeat: int) -> Trace | None:
        """The usual line, a list of candidates and nothing else; None where there is more."""
        if self.generates:
            return None
        record = self.recorded.line(row, repeat)
        if len(record) != 2 or type(record.get("candidates")) is not list:
            return None
        try:
            found = retrieved(record["candidates"], self._plan.top_k, strings="id")
        except ShapeError:
            return None
        trace: Trace = {
            "candidates": found.passages,
            "context": windowed(found.passages, self._plan),
        }
        if found.dropped:
            trace["dropped"] = found.dropped
        return trace

    def _add(self, trace: Trace, record: Mapping[str, Any]) -> None:
        """What a trace says beside the pipeline's own outputs."""
        told = record.get("told", not self.recorded.of_a_run)  # a run says so where it was told
        if not told and "told" in trace:
            del trace["told"]
            if "answer" not in trace:  # nobody was given that context: today's window holds
                trace["context"] = windowed(trace.get("reranked", trace["candidates"]), self._plan)
        handed = record.get("handed")
        if "told" in trace and isinstance(handed, int) and 0 < handed <= len(trace["candidates"]):
            trace["handed"] = int(handed)
        if record.get("merged") is True:
            trace["merged"] = True
        dropped = record.get("dropped")
        if isinstance(dropped, int) and dropped > 0:
            trace["dropped"] = trace.get("dropped", 0) + int(dropped)
        seconds = record.get("seconds")
        if isinstance(seconds, dict):
            trace["seconds"] = {k: float(v) for k, v in seconds.items() if _is_seconds(v)}
        error = record.get("error")
        if error is not None:
            stage = record.get("error_stage")
            trace["error"] = one_line(str(error))
            trace["error_stage"] = stage if stage in list(Stage) else Stage.RETRIEVAL.value

    def corpus(self) -> None:
        return None

    def waiting(self) -> tuple[()]:
        return ()

    def close(self) -> None:
        self.recorded.close()


def _is_seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
