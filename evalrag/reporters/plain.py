"""Text from datasets, passages, answers and judges, made safe to print on one line."""

from evalrag.loading.show import clean

LONG = 100_000


def safe(text: object, limit: int = 400) -> str:
    """One line without anything that a terminal would act upon, cut to `limit` characters."""
    return clean(" ".join(str(text).split()), limit)


def block(text: str, limit: int = LONG) -> list[str]:
    """The lines of a text, each made safe; blank lines at the ends are dropped."""
    return [clean(line.replace("\t", "    "), limit) for line in text.strip().splitlines()]


def number(value: float) -> str:
    """At most four significant decimals, without trailing zeros; 0.99996 is not shown as 1."""
    shown = f"{value:.4f}".rstrip("0").rstrip(".")
    if shown in ("1", "0", "-0") and value not in (0.0, 1.0):
        return f"{value:.6g}"
    return shown
