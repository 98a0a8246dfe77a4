"""What the pipeline was, in the parts that a change can be laid to."""

import hashlib
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from typing import Any

from evalrag.adapters.hooks import Hook
from evalrag.adapters.objects import code_of
from evalrag.adapters.pipeline import Pipeline
from evalrag.adapters.recorded import TRACES
from evalrag.adapters.stages import PLACES, AnyStage
from evalrag.adapters.threads import Outcome, OutOfTime, attempt
from evalrag.errors import PlanError, Problem
from evalrag.judging.families import no_model
from evalrag.loading.plan import LoadedPlan
from evalrag.redaction import is_secret_key
from evalrag.schema.digest import digest
from evalrag.schema.plan import PipelinePlan, Use
from evalrag.schema.run import PipelinePrint

UNKNOWN = "unknown"
NONE = "none"
"""Of a part that the plan does not have, such as the prompt of a retriever alone."""
PARTS = ("index", "prompt", "model", "other")
PATIENCE_S = 10.0

WITHOUT_A_MODEL = frozenset({"extractive"})
"""Generators of which nobody needs to name the model."""

_SKIPPED = {"__pycache__"}


def pipeline_print(loaded: LoadedPlan, pipeline: Pipeline) -> PipelinePrint:
    """The pipeline's fingerprint.

    Values from the environment count, so that `index: ${INDEX}` is seen to change; secrets do not,
    by the names of their keys. `version` is for show and counts nowhere. The code of a hook is not
    known: its files belong under `pipeline.watch`.

    Raises:
        PlanError: An entry of `watch` matches no file.
    """
    plan = loaded.plan.pipeline
    watched = watched_files(loaded)
    print_ = _Print(loaded, {path.resolve() for path in watched.values()})
    if loaded.plan.corpus.path is not None:
        print_.add("index", {"corpus": file_digest(loaded.resolve(loaded.plan.corpus.path))})
    digests = {name: file_digest(path) for name, path in watched.items()}
    for part, names in _by_part(watched, plan).items():
        print_.add(part, {name: digests[name] for name in names})
    if plan.use is not None:
        print_.whole(
            Use(use=plan.use, **{"with": plan.with_}, model=plan.model),
            pipeline.hooks.get("answer"),
        )
    else:
        stages = {"retrieve": plan.retriever, "generate": plan.generator, "rewrite": plan.rewriter}
        for stage, entry in stages.items():
            if entry is not None:
                print_.stage(stage, entry, pipeline.hooks.get(stage))
    for hook in pipeline.hooks.values():
        if isinstance(hook.owner, AnyStage):
            digests |= {name: file_digest(path) for name, path in hook.owner.files().items()}
    window = digest([plan.top_k, plan.context_k, plan.context_chars])
    parts = {part: print_.digest_of(part) for part in PARTS}
    return PipelinePrint(
        window=window,
        **parts,
        digest=digest([window, *parts.values()]),
        shown=_shown(loaded),
        files={name: found[:16] for name, found in digests.items()},
        unknown=tuple(print_.unknown),
    )


def _shown(loaded: LoadedPlan) -> dict[str, Any]:
    """The pipeline as the plan writes it, with what a service calls its state filled in.

    That mostly comes from the environment, and a change of ${GIT_SHA} is for people to see.
    """
    written, plan = loaded.shown.get("pipeline"), loaded.plan.pipeline
    if not isinstance(written, dict):
        return {}
    shown = _stated({name: value for name, value in written.items() if name != "version"}, plan)
    stages = {
        place: _stated(shown[place], getattr(plan, place)) for place in _STAGES & shown.keys()
    }
    return {name: stages.get(name, value) for name, value in shown.items()}


_STAGES = set(PLACES.values())


def _stated(written: Any, entry: Use | PipelinePlan | None) -> Any:
    if entry is None or entry.use != "http" or "version" not in entry.with_:
        return written
    return {**written, "with": {**written["with"], "version": entry.with_["version"]}}


def watched_files(loaded: LoadedPlan) -> dict[str, Path]:
    """The files under `pipeline.watch`, by path relative to the plan, sorted."""
    found: dict[str, Path] = {}
    problems: list[Problem] = []
    for number, pattern in enumerate(loaded.plan.pipeline.watch):
        names = glob(pattern, root_dir=loaded.folder, recursive=True)
        files = {Path(name).as_posix(): loaded.folder / name for name in names}
        files = {
            name: path
            for name, path in files.items()
            if path.is_file() and not _SKIPPED & set(path.parts)
        }
        found.update(files)
        if not files:
            message = f"{pattern!r} matches no file; it is relative to the plan's folder"
            problems.append(loaded.problem(message, "pipeline", "watch", number))
    if problems:
        raise PlanError(problems, hint="correct the pattern, or take it out")
    return dict(sorted(found.items()))


def _by_part(watched: dict[str, Path], plan: PipelinePlan) -> dict[str, list[str]]:
    """Watched files are the prompt's, but for the retriever's own module.

    A module that holds the retriever and another stage is neither's: a change of it is `other`.
    """
    index = {_module_file(use) for use in (plan.retriever,) if use is not None}
    others = {_module_file(use) for use in (plan.generator, plan.rewriter) if use is not None}
    found: dict[str, list[str]] = {}
    for name, path in watched.items():
        file = path.resolve()
        part = "prompt" if file not in index else "other" if file in others else "index"
        found.setdefault(part, []).append(name)
    return found


def _module_file(entry: Use) -> Path | None:
    """The file of a dotted path's module, which was imported when the pipeline was built."""
    code = code_of(entry)
    module = sys.modules.get(code.partition(":")[0]) if code is not None else None
    file = getattr(module, "__file__", None)
    return None if file is None else Path(file).resolve()


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes; `unknown` where it cannot be read.

    A text file's line ends count as one sign: how it was checked out is no change of it. A file is
    text where its beginning has no zero byte, as git has it.
    """
    found = hashlib.sha256()
    try:
        with path.open("rb") as file:
            first = piece = file.read(_PIECE)
            text = b"\0" not in first[:_LOOKED]
            while piece:
                if text and piece.endswith(b"\r"):
                    piece += file.read(1)
                found.update(piece.replace(b"\r\n", b"\n") if text else piece)
                piece = file.read(_PIECE)
    except OSError:
        return UNKNOWN
    return found.hexdigest()


_PIECE, _LOOKED = 1 << 20, 8_000
"""Bytes that are read at once; of the first, how many tell text from data."""


@dataclass
class _Print:
    """Collects what each part is made of, and what nothing is known of."""

    loaded: LoadedPlan
    watched: set[Path]
    made_of: dict[str, list[Any]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)

    def add(self, part: str, value: Any) -> None:
        self.made_of.setdefault(part, []).append(value)

    def digest_of(self, part: str) -> str:
        found = self.made_of.get(part)
        if not found:
            return NONE
        return UNKNOWN if UNKNOWN in found else digest(found)

    def stage(self, stage: str, entry: Use, hook: Hook | None) -> None:
        """A retriever makes the index; a rewriter and a generator make prompt and model."""
        part = "index" if stage == "retrieve" else "prompt"
        self.add(part, {stage: entry.use, "with": self._settings(entry)})
        self._code(entry, hook)
        said = self._said_by(hook)
        if said is not None:
            self.add(part, {stage: said})
        model = entry.model or entry.with_.get("model")
        if no_model(model):
            return
        if model is not None:
            self.add("index" if stage == "retrieve" else "model", {stage: model})
        elif stage == "generate" and entry.use not in WITHOUT_A_MODEL:
            self.add("model", UNKNOWN)
            self.unknown.append(
                "the generator's model (name it under pipeline.generator.model, or say none)"
            )

    def whole(self, entry: Use, hook: Hook | None) -> None:
        """One hook does it all: what it does not say under its `fingerprint()` is not known."""
        self.add("other", {"use": entry.use, "with": self._settings(entry)})
        self._code(entry, hook)
        said = self._said_by(hook)
        by_part = isinstance(said, dict) and bool(said) and set(said) <= set(PARTS)
        for part, value in said.items() if by_part else [("other", said)]:
            if value is not None:
                self.add(part, value)
        model = entry.model or entry.with_.get("model")
        if model is not None and not no_model(model):
            self.add("model", model)
        for part, what in (
            ("index", "the index (name its documents under corpus.path)"),
            ("prompt", "the prompt (list its files under pipeline.watch)"),
            ("model", "the model (name it under pipeline.model, or say none)"),
        ):
            if part not in self.made_of and not (part == "model" and no_model(model)):
                self.add(part, UNKNOWN)
                self.unknown.append(what)

    def _settings(self, entry: Use) -> dict[str, Any]:
        """`with`, without secrets and the model. Of a built-in's file the content counts."""
        known = {key: value for key, value in entry.with_.items() if key != "model"}
        path = known.get("path")
        if ":" not in entry.use and isinstance(path, str):
            file = self.loaded.resolve(path)
            known["path"] = file_digest(file / TRACES if file.is_dir() else file)
        return dict(_without_secrets(known))

    def _code(self, entry: Use, hook: Hook | None) -> None:
        """What runs is not known of the user's objects, and of built-ins that say so themselves."""
        code = code_of(entry)
        if code is None:
            ask = getattr(_owner(hook), "unknown", None)
            self.unknown += ask(self.watched) if ask is not None else []
        elif _module_file(entry) not in self.watched:
            self.unknown.append(f"code of {code} (list its files under pipeline.watch)")

    def _said_by(self, hook: Hook | None) -> Any:
        ask = getattr(_owner(hook), "fingerprint", None)
        if hook is None or not callable(ask):
            return None
        try:
            return json.loads(json.dumps(_bounded(ask), allow_nan=False, sort_keys=True))
        except Exception:  # noqa: BLE001 - the user's code, and what json makes of its value
            self.unknown.append(f"fingerprint() of {hook.name}, which failed")
            return None


def _owner(hook: Hook | None) -> Any:
    return hook.owner if hook is not None else None


def _without_secrets(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if is_secret_key(key):
            continue
        yield key, dict(_without_secrets(value)) if isinstance(value, dict) else value


def _bounded(call: Callable[[], Any]) -> Any:
    """`call()` in a daemon thread: it is the user's, and may hang."""
    found: list[Outcome] = []
    thread = threading.Thread(target=lambda: found.append(attempt(call)), daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    if not found:
        raise OutOfTime
    if found[0].error is not None:
        raise RuntimeError from found[0].error
    return found[0].value
