"""What a model's name tells: its family, and whether it stands for one model for ever."""

import re

_DATED = re.compile(r"(?:^|[-_@:.])(?:20\d{2}-\d{2}-\d{2}|20\d{6}|[0-9a-f]{7,64})$")
_FAMILIES = (
    ("gpt", ("gpt", "chatgpt", "o1", "o3", "o4", "davinci", "codex")),
    ("claude", ("claude",)),
    ("gemini", ("gemini", "gemma", "palm")),
    ("llama", ("llama", "meta")),
    ("mistral", ("mistral", "mixtral", "ministral", "magistral", "codestral")),
    ("qwen", ("qwen", "qwq")),
    ("deepseek", ("deepseek",)),
    ("command", ("command", "cohere", "aya")),
    ("phi", ("phi",)),
    ("grok", ("grok",)),
    ("nova", ("nova", "titan")),
)


def family(model: str) -> str | None:
    """The family of a model, as far as its name tells; None where it does not.

    >>> family("openai/gpt-6-luna"), family("eu.anthropic.claude-x-20260301"), family("my-model")
    ('gpt', 'claude', None)
    """
    words = re.split(r"[^a-z0-9]+", model.lower())
    for name, starts in _FAMILIES:
        if any(re.fullmatch(rf"{start}\d*", word) for word in words for start in starts):
            return name
    return None


def pinned(model: str) -> bool:
    """Does the name end in a date or a digest? Any other may be served by another model tomorrow.

    >>> pinned("some-model-2026-05-01"), pinned("some-model-latest")
    (True, False)
    """
    return bool(_DATED.search(model.strip()))


def no_model(model: object) -> bool:
    """A plan's `model: none`: the pipeline has no language model, and none is to be named."""
    return isinstance(model, str) and model.strip().casefold() == "none"
