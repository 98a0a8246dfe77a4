"""`evalrag init`: a plan, five rows and a small corpus that run as they are, to be edited."""

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

FIRST: Mapping[str, str] = MappingProxyType(
    {
        "evalrag.yaml": "the plan: what is run, and what it is held against",
        "evals/golden.jsonl": "five rows, one of each kind, to edit",
        "evals/corpus.jsonl": "the documents that they ask about",
        "my_bot.py": "your bot, as the plan calls it: call your own code there",
    }
)
SCHEMA = "evals/plan.schema.json"
WORKFLOWS = ".github/workflows"
ACTION = ".github/actions/evalrag"
ACTION_FILES = (
    "action.yml",
    "install.sh",
    "run.sh",
    "report.py",
    "github.sh",
    "comment.sh",
    "issue.sh",
)
"""The composite action that the workflows use: each repository holds its own."""

CI: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "github": {
            f"{WORKFLOWS}/evalrag.yml": "gates every pull request",
            "evalrag-forks.yaml": "its plan for pull requests from forks, which get no keys",
        },
        "github-release": {
            f"{WORKFLOWS}/evalrag-release.yml": "gates a release: holdout rows, a judge model",
            "evalrag-release.yaml": "its plan",
        },
        "github-nightly": {
            f"{WORKFLOWS}/evalrag-nightly.yml": "runs all rows every night, and opens an issue"
        },
        "gitlab": {".gitlab-ci.yml": "gates every merge request"},
    }
)
IGNORED = ".evalrag/"
SAID_BEFORE = {b".evalrag", b".evalrag/", b"/.evalrag", b"/.evalrag/", b"**/.evalrag/"}


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", show_default=False)] = Path("."),
    ci: Annotated[
        list[str] | None,
        typer.Option(
            "--ci",
            envvar="EVALRAG_CI",
            metavar="|".join(CI),
            help="Write this workflow as well; may be repeated.",
        ),
    ] = None,
    install: Annotated[
        str | None,
        typer.Option(
            "--install",
            envvar="EVALRAG_INSTALL",
            metavar="REQUIREMENT",
            help="What pip installs in the workflow, such as git+https://...; this release "
            "without it, or the address that this evalrag was installed from.",
        ),
    ] = None,
) -> None:
    """Write a plan, five rows and a small corpus that run as they are. Nothing is overwritten.

    Example: evalrag init --ci github
    """
    from evalrag.cli.installed import requirement
    from evalrag.cli.output import say
    from evalrag.cli.prepare import quoted
    from evalrag.errors import UsageError
    from evalrag.reporters.plain import safe

    unknown = [name for name in ci or () if name not in CI]
    if unknown:
        raise UsageError(f"--ci {unknown[0]!r} is not known", hint=f"use one of {', '.join(CI)}")
    source = requirement(install)
    said, wrote = [], False
    for name, text, about in _wanted(ci or (), source, _branch(folder)):
        new = _write(folder / name, text)
        wrote = wrote or new
        said.append(f"wrote {name}: {about}" if new else f"kept {name}: it was there already")
    if _ignore(folder / ".gitignore"):
        wrote = True
        said.append(f"wrote {IGNORED} into .gitignore: runs and verdicts stay out of git")
    if wrote and ci:
        said.append(
            f"note: the workflow installs {source}; to have it from elsewhere, edit it there"
        )
    if not wrote:
        said = ["everything that init writes is there already: nothing was changed"]
    steps = [f"cd {quoted(folder)}"] if folder.resolve() != Path.cwd() else []
    steps.append("evalrag check")
    if wrote:
        steps += [
            "evalrag run",
            'evalrag baseline accept latest --reason "the five sample rows pass"',
            "evalrag run",
        ]
    say("\n".join([safe(line, 1000) for line in said] + [f"next: {step}" for step in steps]))


def _branch(folder: Path) -> bytes:
    """The branch that the repository of `folder` stands on; `main` where that cannot be read."""
    for place in (folder.absolute(), *folder.absolute().parents):
        try:
            head = (place / ".git" / "HEAD").read_bytes()
        except OSError:
            continue
        found = re.fullmatch(rb"ref: refs/heads/([A-Za-z0-9._/-]+)\n?", head)
        return found[1] if found else b"main"
    return b"main"


def _wanted(ci: Sequence[str], source: str, branch: bytes) -> Iterator[tuple[str, bytes, str]]:
    """Every file's name, bytes, and what it is for."""
    starter = files("evalrag.cli") / "starter"
    for name, about in FIRST.items():
        yield name, starter.joinpath(name).read_bytes(), about
    yield SCHEMA, _schema(), "for editors that complete and check the plan"
    for one in dict.fromkeys(ci):
        for name, about in CI[one].items():
            text = starter.joinpath("ci", Path(name).name.lstrip(".")).read_bytes()
            text = text.replace(b"evalrag==0", source.encode())
            yield name, text.replace(b"branches: [main]", b"branches: [" + branch + b"]"), about
    if any(one.startswith("github") for one in ci):
        for name in ACTION_FILES:
            yield f"{ACTION}/{name}", (_action() / name).read_bytes(), "part of the action"


def _schema() -> bytes:
    """What `evalrag schema plan` prints."""
    import json

    from evalrag.schema.plan import Plan

    body = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    body |= Plan.model_json_schema(by_alias=True)
    return (json.dumps(body, ensure_ascii=False, indent=2) + "\n").encode()


def _action() -> "Traversable":
    """The action's files: in the installed package, or in the checkout that this runs from."""
    packaged = files("evalrag.cli") / "starter" / "action"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / ACTION


def _write(target: Path, text: bytes) -> bool:
    """Write a file that is not there. Whatever is there, a dangling link too, is left as it is."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with target.open("xb") as file:
            file.write(text)
    except FileExistsError:
        return False
    return True


def _ignore(target: Path) -> bool:
    """Add the folder of runs to .gitignore, unless a line of it says so already."""
    before = target.read_bytes() if target.exists() else b""
    if any(line.strip() in SAID_BEFORE for line in before.splitlines()):
        return False
    end = b"\r\n" if b"\r\n" in before else b"\n"
    missing = end if before and not before.endswith(b"\n") else b""
    with target.open("ab") as file:
        file.write(missing + IGNORED.encode() + end)
    return True
