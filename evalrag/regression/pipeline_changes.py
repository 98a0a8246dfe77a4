"""What is known to have changed in the pipeline between two runs, and what that can break."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from evalrag.schema.diff import Part
from evalrag.schema.run import PipelinePrint, RunRecord

PARTS = ("window", "index", "prompt", "model", "other")
_NONE = "none"


class Changed(NamedTuple):
    """A setting, a watched file, or a part of the fingerprint that differs."""

    name: str
    said: str
    """For people: the setting before and after, or the file."""
    part: Part | None
    """What it is a part of; None where its name does not say it."""
    code: tuple[str, ...] = ()
    """Of a setting that names code: its modules, before and after."""

    @property
    def key(self) -> str | None:
        """What a person can put back; None of a part of the fingerprint, which says no more."""
        return None if self.name in PARTS and self.said == self.name else self.said


def pipeline_changes(old: RunRecord, new: RunRecord) -> tuple[str, ...]:
    """The parts of the pipeline's fingerprint that differ, then what nothing is known of."""
    changed = _parts(old.pipeline, new.pipeline)
    unknown = dict.fromkeys((*old.pipeline.unknown, *new.pipeline.unknown))
    return (*changed, *(f"unknown: {what}" for what in unknown))


def pipeline_details(old: RunRecord, new: RunRecord) -> tuple[str, ...]:
    """The plan's settings under `pipeline`, and the watched files, that differ, by name."""
    return tuple(one.said for one in (*_settings(old, new), *_files(old, new)))


def changed_parts(old: RunRecord, new: RunRecord) -> tuple[Changed, ...]:
    """Settings first, then files, then parts of the fingerprint that neither of them explains."""
    named = [*_settings(old, new), *_files(old, new)]
    if len(named) == 1 and named[0].part is None:
        named = [named[0]._replace(part=_only(old, new))]
    explained = {one.part for one in named}
    if Part.RERANKER in explained:
        explained.add(Part.INDEX)
    if Part.TOP_K in explained:
        explained.add(Part.WINDOW)
    rest = [
        Changed(name, name, _OF_PRINT[name])
        for name in _parts(old.pipeline, new.pipeline)
        if name in _OF_PRINT and _OF_PRINT[name] not in explained
    ]
    return (*named, *rest)


_OF_PRINT: Mapping[str, Part] = {
    "window": Part.WINDOW,
    "index": Part.HYGIENE,
    "prompt": Part.PROMPT,
    "model": Part.MODEL,
}
"""Of the index no setting says why it differs: then it is what it holds."""


def _only(old: RunRecord, new: RunRecord) -> Part | None:
    """The part of the fingerprint that one unnamed change made differ."""
    parts = _parts(old.pipeline, new.pipeline)
    only = _OF_PRINT.get(parts[0]) if len(parts) == 1 else None
    return Part.INDEX if only is Part.HYGIENE else only


def causes(old: RunRecord, new: RunRecord) -> int:
    """How many changes there are to tell apart.

    A function and the file that it stands in are one, and so is a single file, whichever parts of
    the fingerprint it enters.
    """
    settings, files = list(_settings(old, new)), list(_files(old, new))
    homes = {module for one in settings for module in one.code}
    own = [one for one in files if _module(one.name) not in homes]
    named = len(_grouped(settings)) + len(own)
    parts = len(_parts(old.pipeline, new.pipeline))
    return parts if not named else min(named, max(parts, 1))


def _grouped(settings: list[Changed]) -> set[str]:
    """Settings of one stage that came with another function for it are one change."""
    swapped = {one.name.rpartition(".")[0] for one in settings if one.code}
    return {
        stage if (stage := one.name.partition(".")[0]) in swapped else one.name for one in settings
    }


def _module(file: str) -> str:
    return re.sub(r"\.py$|/__init__\.py$", "", file).replace("/", ".")


def _parts(old: PipelinePrint, new: PipelinePrint) -> list[str]:
    return [part for part in PARTS if getattr(old, part) != getattr(new, part)]


def _settings(old: RunRecord, new: RunRecord) -> Iterator[Changed]:
    before, after = _flat(old.pipeline.shown), _flat(new.pipeline.shown)
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name, _NONE), after.get(name, _NONE)
        if was == now:
            continue
        code = tuple(str(value).partition(":")[0] for value in (was, now) if ":" in str(value))
        is_code = name.rpartition(".")[2] == "use"
        part = _part_of(name, f"{was} {now}")
        yield Changed(name, f"{name} {was} -> {now}", part, code if is_code else ())


def _files(old: RunRecord, new: RunRecord) -> Iterator[Changed]:
    before, after = old.pipeline.files, new.pipeline.files
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield Changed(name, f"file {name}", _by_words(name))


def _flat(value: object, name: str = "") -> dict[str, object]:
    if not isinstance(value, dict):
        return {name: value}
    found: dict[str, object] = {}
    for key, inner in value.items():
        found |= _flat(inner, f"{name}.{key}" if name else str(key))
    return found


_WORDS: tuple[tuple[str, Part], ...] = (
    (r"re-?rank", Part.RERANKER),
    (r"re-?writ|condens", Part.REWRITER),
    (r"context_?(k|chars|size|tokens)|window|max_context", Part.WINDOW),
    (r"top_?k|top_?n|num_(results|candidates)|(^|[._])(k|limit|n)$", Part.TOP_K),
    (r"prompt|instruction|template|system", Part.PROMPT),
    (r"index|retriev|search|embed|chunk|corpus|vector|store|filter|hybrid", Part.INDEX),
    (r"model|temperature|max_tokens|generat|llm", Part.MODEL),
)
"""Words of a setting or of a file's name, the one that says most first."""


def _by_words(name: str) -> Part | None:
    low = name.casefold()
    return next((part for words, part in _WORDS if re.search(words, low)), None)


def _part_of(name: str, values: str) -> Part | None:
    stage, _, rest = name.partition(".")
    if re.search(r"re-?rank", f"{name} {values}".casefold()):
        return Part.RERANKER
    if stage == "rewriter":
        return Part.REWRITER
    if stage == "retriever":
        found = _by_words(rest)
        return found if found in (Part.TOP_K, Part.WINDOW) else Part.INDEX
    if stage == "generator":
        return Part.MODEL if _by_words(rest) is Part.MODEL else Part.PROMPT
    return _by_words(name)
