"""What this process must not say, from the first line of a plan to the last line of output."""

import os
from collections.abc import Iterable

from evalrag.redaction import environment_secrets, redactor
from evalrag.stores.secrecy import Redact, line_redactor

_of_plans: set[str] = set()


def keep(secrets: Iterable[str]) -> None:
    """From now on, `secrets` of a plan are hidden too."""
    _of_plans.update(secrets)


def forget() -> None:
    """The command has ended: its plan's secrets are nothing to the next in this process."""
    _of_plans.clear()


def known() -> frozenset[str]:
    """Values of the environment that plans read, or that are called a key or the like."""
    return environment_secrets(os.environ) | _of_plans


def hide(text: str) -> str:
    """A text for people, without secrets."""
    return redactor(known())(text)


def hide_lines() -> Redact:
    """The same for the JSON that is stored."""
    return line_redactor(known())
