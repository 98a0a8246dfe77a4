"""The pipeline that a plan describes, made ready: everything resolved, nothing asked."""

import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evalrag.adapters.calls import STAGES, Caller
from evalrag.adapters.hook_process import Spec
from evalrag.adapters.hooks import Hook, hook_of
from evalrag.adapters.objects import code_of, silence
from evalrag.adapters.pipeline import OneHook, Pipeline, Staged
from evalrag.adapters.recorded import Recorded, Replay
from evalrag.adapters.retries import retries_of
from evalrag.errors import PluginError
from evalrag.loading.plan import LoadedPlan
from evalrag.plugins import resolve
from evalrag.redaction import environment_secrets, redactor
from evalrag.schema.plan import Use

GROUP = "evalrag.adapters"
"""The entry-point group of adapters."""

BUILTIN: Mapping[str, str] = MappingProxyType(
    {
        "bm25": "evalrag.adapters.bm25:build",
        "command": "evalrag.adapters.command:build",
        "extractive": "evalrag.adapters.extractive:build",
        "haystack": "evalrag.adapters.haystack:build",
        "http": "evalrag.adapters.http:build",
        "langchain": "evalrag.adapters.langchain:build",
        "llamaindex": "evalrag.adapters.llamaindex:build",
        "recorded": "evalrag.adapters.recorded:build",
    }
)
"""Called with the plan's entry, the plan, and the dataset's ids; what they give has a method named
like its stage. Strings, so that nothing is imported before a plan asks for it."""

_KEYS = {"retrieve": "retriever", "generate": "generator", "rewrite": "rewriter"}
"""Stage -> the plan's key."""


def build_pipeline(loaded: LoadedPlan, ids: Collection[str]) -> Pipeline:
    """The pipeline of a plan. Modules are imported and factories called; no hook is.

    Args:
        loaded: The plan, and the folder that it stands in.
        ids: All ids of the dataset, also of rows that this run does not ask: a recorded output of
            another row is an error.

    Raises:
        PluginError: A name does not resolve, or what it names does not fit.
        DatasetError: A corpus or a file of recorded outputs is wrong.
    """
    redact = redactor(loaded.secrets | environment_secrets(os.environ))
    try:
        with redirect_stdout(sys.stderr):  # what modules print while they are imported is no result
            return _built(loaded, ids, redact)
    except PluginError as error:
        raise PluginError(
            redact(error.message), hint=redact(error.hint), where=error.where
        ) from None


def _built(loaded: LoadedPlan, ids: Collection[str], redact: Callable[[str], str]) -> Pipeline:
    plan, run = loaded.plan.pipeline, loaded.plan.run
    silence(plan)
    paths = [loaded.folder, Path.cwd()]  # of before a module of the user's goes elsewhere
    retries = retries_of(run, paths=paths)
    caller = Caller(
        limit=run.timeout_s,
        retries=retries,
        at_once={
            stage: min(run.concurrency, run.stage_concurrency.get(stage, run.concurrency))
            for stage in plan.called
        },
        redact=redact,
        processes={
            name: (_spec(plan.called[stage], name, loaded, paths), run.processes[stage])
            for name, stage in STAGES.items()
            if stage in run.processes
        },
    )
    if plan.use is not None:
        entry = Use(use=plan.use, **{"with": plan.with_}, model=plan.model)
        with loaded.about("pipeline", "use"):
            found = _found(entry, loaded, ids, paths)
            if isinstance(found, Recorded):
                return Replay(found, plan, generates=found.answers)
            hook = _hook(found, entry, "answer")
            caller.bound(hook)
        return OneHook(hook, plan, caller)
    stages = {"retrieve": plan.retriever, "generate": plan.generator, "rewrite": plan.rewriter}
    entries = {stage: entry for stage, entry in stages.items() if entry is not None}
    objects = {}
    for stage, entry in entries.items():
        with loaded.about("pipeline", _KEYS[stage], "use"):
            objects[stage] = _found(entry, loaded, ids, paths)
    if len(objects) == 1 and isinstance(objects["retrieve"], Recorded):
        return Replay(objects["retrieve"], plan, generates=False)
    hooks = {}
    for stage, found in objects.items():
        with loaded.about("pipeline", _KEYS[stage], "use"):
            hooks[stage] = _hook(found, entries[stage], stage)
            caller.bound(hooks[stage])
    return Staged(hooks, plan, caller)


def _spec(entry: Use, name: str, loaded: LoadedPlan, paths: Sequence[Path]) -> Spec:
    """The hook as another process makes it again."""
    folders = tuple(str(path.resolve()) for path in paths)
    secrets = loaded.secrets | environment_secrets(os.environ)
    return Spec(entry.use, name, entry.with_, folders, secrets)


def _found(entry: Use, loaded: LoadedPlan, ids: Collection[str], paths: Sequence[Path]) -> Any:
    found = resolve(entry.use, group=GROUP, builtins=BUILTIN, paths=paths)
    return found(entry, loaded, ids) if entry.use in BUILTIN else found


def _hook(found: Any, entry: Use, stage: str) -> Hook:
    builtin = entry.use in BUILTIN
    hook = hook_of(found, stage, name=entry.use, settings={} if builtin else entry.with_)
    hook.code = code_of(entry)
    return hook
