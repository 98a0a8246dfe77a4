"""A JSON body with placeholders, filled in for each row."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from evalrag.errors import PluginError
from evalrag.plugins import closest

Fill: TypeAlias = Callable[[Mapping[str, Any]], Any]

_BRACE = re.compile(r"\{\{|\}\}|\{(?P<name>[^{}]*)\}|[{}]")


class Template:
    """`{"q": "{question}", "k": "{top_k}"}` and what it offers, checked before anything is asked.

    A text that is one placeholder and nothing else becomes the value, with its type. Within a
    longer text a value is put in as text, a list as JSON. `{{` and `}}` stand for the braces
    themselves. Keys are sent as they are.

    Raises:
        PluginError: A placeholder is not offered at this stage, or a brace stands alone.
    """

    def __init__(self, written: Any, offered: Sequence[str], *, of: str) -> None:
        self._offered, self._of = offered, of
        self._fill = self._compiled(written, "body")

    def filled(self, offers: Mapping[str, Any]) -> Any:
        return self._fill(offers)

    def _compiled(self, written: Any, where: str) -> Fill:
        if isinstance(written, str):
            return self._text(written, where)
        if isinstance(written, dict):
            self._check_quotes(written, where)
            fills = {key: self._compiled(part, f"{where}.{key}") for key, part in written.items()}
            return lambda offers: {key: fill(offers) for key, fill in fills.items()}
        if isinstance(written, list):
            parts = [self._compiled(part, f"{where}[{i}]") for i, part in enumerate(written)]
            return lambda offers: [fill(offers) for fill in parts]
        return lambda offers: written

    def _text(self, written: str, where: str) -> Fill:
        whole = _BRACE.fullmatch(written)
        if whole is not None and whole["name"] is not None:
            name = self._known(whole["name"], where)
            return lambda offers: offers[name]
        parts: list[Fill] = []
        end = 0
        for found in _BRACE.finditer(written):
            parts.append(_constant(written[end : found.start()]))
            parts.append(self._piece(found, where))
            end = found.end()
        if not parts:
            return lambda offers: written
        parts.append(_constant(written[end:]))
        return lambda offers: "".join(part(offers) for part in parts)

    def _piece(self, found: re.Match[str], where: str) -> Fill:
        if found["name"] is not None:
            name = self._known(found["name"], where)
            return lambda offers: _as_text(offers[name])
        if len(found[0]) == 2:
            return _constant(found[0][0])
        raise self._wrong(where, f"a {found[0]!r} stands alone")

    def _known(self, name: str, where: str) -> str:
        if name not in self._offered:
            raise self._wrong(
                where, f"unknown placeholder {{{name}}}{closest(name, self._offered)}"
            )
        return name

    def _check_quotes(self, written: Mapping[str, Any], where: str) -> None:
        """YAML reads `{question}` without quotes as a mapping of one key and no value."""
        if len(written) == 1:
            ((name, value),) = written.items()
            if value is None and name in self._offered:
                raise self._wrong(where, f'write "{{{name}}}" in quotes')

    def _wrong(self, where: str, message: str) -> PluginError:
        names = ", ".join(f"{{{name}}}" for name in self._offered)
        return PluginError(
            f"with of {self._of}: {where}: {message}",
            hint=f"this stage offers {names}; {{{{ and }}}} stand for the braces themselves",
        )


def _constant(text: str) -> Fill:
    return lambda offers: text


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
