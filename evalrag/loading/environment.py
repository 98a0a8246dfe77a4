"""`${NAME}` and `${NAME:-default}` in the values of a plan."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalrag.loading.shape import Found
from evalrag.loading.show import KeyPath, clean
from evalrag.loading.yaml_positions import scalar
from evalrag.redaction import environment_secrets, is_secret_key

SHORTEST_SECRET = 6
"""A shorter value is no secret, and redacting it would blot out common words."""

_REFERENCE = re.compile(
    r"\$\$\{"
    r"|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^{}]*))?\}"
    r"|\$\{.*",  # anything else that begins like one, to the end of the text
    re.DOTALL,
)
_SETTINGS = "with"
_PUBLIC: KeyPath = ("pipeline", "version")


@dataclass(slots=True)
class Expanded:
    """A plan's value with its references filled in."""

    value: Any = None
    texts: dict[KeyPath, str] = field(default_factory=dict)
    """Values that were one reference and became a number, a boolean or null: as text."""
    numbers: dict[KeyPath, Any] = field(default_factory=dict)
    """Values in quotes that were one reference and would be such a value without the quotes."""
    secrets: dict[str, str] = field(default_factory=dict)
    """Value of a variable -> its name: to be kept out of everything that is stored or shown."""
    found: list[Found] = field(default_factory=list)

    def redacted(self, message: str) -> str:
        """`message` with the names of variables in the place of their values."""
        for secret in sorted(self.secrets, key=len, reverse=True):
            message = message.replace(secret, f"${{{self.secrets[secret]}}}")
        return message


def expand(value: Any, environ: Mapping[str, str], plain: set[KeyPath]) -> Expanded:
    """Fill in the references of every text in `value`; keys are left alone.

    `$${` stands for `${`. The default holds where the variable is unset or empty, as in a shell.
    A value that is one reference and nothing else is read by the rules of YAML: `top_k: ${K:-5}`
    is a number. In quotes, which `{...}` asks for, it is one only where the schema wants one;
    under `with` it stays a text.
    """
    expanded = Expanded()
    expanded.value = _Expansion(environ, plain, expanded).of(value, ())
    return expanded


class _Expansion:
    def __init__(self, environ: Mapping[str, str], plain: set[KeyPath], expanded: Expanded) -> None:
        self._environ, self._plain, self._expanded = environ, plain, expanded

    def of(self, value: Any, path: KeyPath) -> Any:
        match value:
            case dict():
                return {key: self.of(inner, (*path, key)) for key, inner in value.items()}
            case list():
                return [self.of(inner, (*path, i)) for i, inner in enumerate(value)]
            case str() if "${" in value:
                return self._text(value, path)
        return value

    def _text(self, text: str, path: KeyPath) -> Any:
        filled = _REFERENCE.sub(self._filler(path), text)
        whole = _REFERENCE.fullmatch(text)
        value = scalar(filled) if whole is not None and whole["name"] is not None else filled
        if isinstance(value, str):
            return filled
        if path in self._plain:
            self._expanded.texts[path] = filled
            return value
        self._expanded.numbers[path] = value
        return filled

    def _filler(self, path: KeyPath) -> Callable[[re.Match[str]], str]:
        def fill(reference: re.Match[str]) -> str:
            name, default = reference["name"], reference["default"]
            if name is None:
                if reference[0] == "$${":
                    return "${"
                self._wrong(path, "write ${NAME} or ${NAME:-default}; $${ stands for ${ itself")
                return reference[0]
            value = self._environ.get(name)
            if default is not None and not value:
                return str(default)
            if value is None:
                self._wrong(
                    path,
                    f"the environment variable {clean(name)} is not set:"
                    f" set it, or write ${{{clean(name)}:-default}}",
                )
                return reference[0]
            if len(value) >= SHORTEST_SECRET and _may_be_secret(name, value, path):
                self._expanded.secrets[value] = name
            return value

        return fill

    def _wrong(self, path: KeyPath, message: str) -> None:
        self._expanded.found.append(Found(path, message))


def _may_be_secret(name: str, value: str, path: KeyPath) -> bool:
    """Called a key or the like, by the variable's name or by the setting it is given to."""
    if path == _PUBLIC:
        return False
    given = path[path.index(_SETTINGS) + 1 :] if _SETTINGS in path else ()
    named = any(isinstance(key, str) and is_secret_key(key) for key in given)
    return named or bool(environment_secrets({name: value}))
