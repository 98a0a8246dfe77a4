"""Objects of other people's libraries that a plan names by dotted path."""

import importlib
import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from pydantic import Field, JsonValue

from evalrag.adapters.fields import OutputFields, PassageFields
from evalrag.errors import PluginError
from evalrag.loading.plan import LoadedPlan
from evalrag.plugins import closest, resolve
from evalrag.redaction import raised
from evalrag.schema.frozen import Frozen
from evalrag.schema.plan import PipelinePlan, Use
from evalrag.schema.trace import Passage

LIBRARIES: Mapping[str, tuple[str, str]] = {
    "langchain": ("langchain_core", "langchain-core"),
    "llamaindex": ("llama_index.core", "llama-index-core"),
    "haystack": ("haystack", "haystack-ai"),
}
"""`use` -> the package that is imported, and the distribution that it comes in."""

SILENCED: Mapping[str, tuple[str, str]] = {"haystack": ("HAYSTACK_TELEMETRY_ENABLED", "False")}
"""`use` -> the variable that turns the library's telemetry off, which it reads when imported."""

OFFERS = ("question", "passages", "texts", "history", "top_k", "row_id", "repeat", "new_id")
"""What `inputs` may ask for. `texts` is the passages' texts with blank lines between them; `new_id`
is another one at every call, for whatever remembers by session."""


class ObjectSettings(Frozen):
    """What `with` takes for every library."""

    object: str = Field(
        min_length=1, description="It, or what makes it, as package.module:attribute."
    )
    args: dict[str, JsonValue] | None = Field(
        default=None, description="What the object is a function of, which is called once."
    )
    passages: PassageFields = PassageFields()
    outputs: OutputFields = OutputFields()
    run_async: bool | None = Field(
        default=None,
        alias="async",
        description="Use the library's async calls, or its plain ones in threads.",
    )
    may_skip_retrieval: bool = Field(
        default=False, description="An answer without any retrieval is no error, as of an agent."
    )


def code_of(entry: Use) -> str | None:
    """The dotted path of the user's code that an entry of the plan names, if it names any."""
    if ":" in entry.use:
        return entry.use
    named = entry.with_.get("object") if entry.use in LIBRARIES else None
    return named if isinstance(named, str) else None


def entries_of(plan: PipelinePlan) -> Iterator[Use]:
    """What the plan uses: its stages, or the one thing that does it all."""
    if plan.use is not None:
        yield Use(use=plan.use, **{"with": plan.with_}, model=plan.model)
    for entry in (plan.retriever, plan.generator, plan.rewriter):
        if entry is not None:
            yield entry


def silence(plan: PipelinePlan) -> None:
    """Turn off the telemetry of the libraries that the plan uses, before anything imports them.

    evalrag makes no network call that nobody configured. A variable that is set already is the
    user's word, and stays.
    """
    for entry in entries_of(plan):
        if entry.use in SILENCED:
            os.environ.setdefault(*SILENCED[entry.use])


def library(use: str) -> None:
    """Import the library of a built-in adapter.

    Raises:
        PluginError: It is not installed, or does not work.
    """
    module, distribution = LIBRARIES[use]
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != module.partition(".")[0]:
            raise PluginError(
                f"{use} needs {distribution}, which lacks {error.name}",
                hint=f"pip install --force-reinstall {distribution}",
            ) from None
        raise PluginError(
            f"{use} needs {distribution}, which is not installed",
            hint=f"pip install 'evalrag[{use}]'",
        ) from None
    except Exception as error:  # noqa: BLE001 - importing runs the library's code
        raise PluginError(
            f"{use}: importing {module} raised {raised(error)}",
            hint=f"make `python -c 'import {module}'` work",
        ) from None


class Named:
    """What a plan's `object` leads to: an object of the library, or what makes one."""

    def __init__(
        self,
        use: str,
        wanted: ObjectSettings,
        loaded: LoadedPlan,
        *,
        known: Callable[[Any], bool],
        kinds: str,
    ) -> None:
        """Import it, and make it where a function makes it.

        Args:
            use: The adapter, for errors.
            wanted: Its settings.
            loaded: The plan: its folder and the working directory are importable.
            known: Whether something is an object that the adapter can use.
            kinds: What that is, in words.

        Raises:
            PluginError: It does not resolve, cannot be made, or is of another kind.
        """
        self._use, self._wanted, self._known, self._kinds = use, wanted, known, kinds
        if ":" not in wanted.object:
            raise PluginError(
                f"with of {use}: object: {wanted.object!r} is not package.module:attribute",
                hint="name the module, a colon, and what stands in it: my_app.rag:retriever",
            )
        paths = [loaded.folder, Path.cwd()]
        found = resolve(wanted.object, group="", builtins={}, paths=paths)
        self._factory = None if known(found) else self._checked_factory(found)
        if self._factory is None and wanted.args is not None:
            raise PluginError(
                f"with of {use}: {wanted.object} is a {type(found).__name__}, which is not called",
                hint="take `args` out, or name the function that makes it",
            )
        self.object = found if self._factory is None else self.fresh()

    @property
    def made(self) -> bool:
        """A function made it, and can make another."""
        return self._factory is not None

    def fresh(self) -> Any:
        """Another one of the same.

        Raises:
            PluginError: The function raised, or returned something else.
        """
        if self._factory is None:
            return self.object
        path = self._wanted.object
        try:
            found = self._factory(**(self._wanted.args or {}))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - the user's code may do anything, even exit
            raise PluginError(
                f"{path}: making it raised {raised(error)}",
                hint=f"{path} is called with the keys of `args` ({self._named_args()})",
            ) from None
        if inspect.iscoroutine(found):
            found.close()
            raise PluginError(
                f"{path}: the function that makes the object is async",
                hint="make it a plain function",
            )
        if not self._known(found):
            raise self._other_kind(f"{path}() returns", found)
        return found

    def _checked_factory(self, found: Any) -> Callable[..., Any]:
        path = self._wanted.object
        if not callable(found) or inspect.ismodule(found):
            raise self._other_kind(f"{path} is", found)
        try:
            parameters = inspect.signature(found).parameters
        except (TypeError, ValueError):
            return found  # type: ignore[no-any-return]
        if "question" in parameters:
            raise PluginError(
                f"with of {self._use}: {path} is a function of a question",
                hint=f"name it without an adapter: use: {path!r}",
            )
        self._check_args(parameters, path)
        return found  # type: ignore[no-any-return]

    def _check_args(self, parameters: Mapping[str, inspect.Parameter], path: str) -> None:
        args = self._wanted.args or {}
        named = [
            name
            for name, p in parameters.items()
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        ]
        takes = f"it takes {', '.join(named)}" if named else "it takes no arguments"
        catches_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        for key in args:
            if key not in named and not catches_all:
                raise PluginError(
                    f"args of {path}: unknown key {key!r}{closest(key, named)}", hint=takes
                )
        lacking = [n for n in named if parameters[n].default is inspect.Parameter.empty]
        for name in lacking:
            if name not in args:
                raise PluginError(f"{path}: `args` lacks {name!r}", hint=takes)

    def _named_args(self) -> str:
        return ", ".join(self._wanted.args or {}) or "none"

    def _other_kind(self, begins: str, found: Any) -> PluginError:
        hint = f"{self._use} takes {self._kinds}"
        makes = [
            m for m in ("as_retriever", "as_query_engine") if callable(getattr(found, m, None))
        ]
        if makes and not inspect.isclass(found):
            hint += f"; name what its .{'() or .'.join(makes)}() gives"
        kind = found.__name__ if inspect.isclass(found) else type(found).__name__
        return PluginError(
            f"with of {self._use}: {begins} a {kind}, which is none of its objects", hint=hint
        )


def check_inputs(use: str, inputs: Mapping[str, JsonValue], stage: str) -> None:
    """Refuse a name that evalrag does not offer.

    Raises:
        PluginError: With the closest name.
    """
    offers = [o for o in OFFERS if stage == "generate" or o not in ("passages", "texts")]
    for name, value in inputs.items():
        if isinstance(value, str) and value not in offers:
            raise PluginError(
                f"with of {use}: inputs: {name}: nothing is called {value!r}"
                f"{closest(value, offers)}",
                hint=f"here {', '.join(offers)} can be given; what is no string is given as it is",
            )


def offers_in(
    offers: Mapping[str, Any],
    *,
    message: Callable[[Mapping[str, str]], Any],
    document: Callable[[Passage], Any],
) -> dict[str, Any]:
    """What a stage offers, with what `OFFERS` has beside it, in the library's own objects."""
    found = {
        **offers,
        "history": [message(turn) for turn in offers["history"]],
        "new_id": str(uuid4()),
    }
    if "passages" in offers:
        found["passages"] = [document(passage) for passage in offers["passages"]]
        found["texts"] = "\n\n".join(passage.get("text", "") for passage in offers["passages"])
    return found
