"""What the action's steps read of a run, and write of it. Whatever a report says is untrusted."""

import json
import os
import re
import secrets
import sys
from pathlib import Path
from typing import Any

SUMMARY = 250_000
"""Characters, of four bytes at most; GitHub takes 1 MiB of a step."""
COMMENT = 65_000
"""Characters; GitHub takes 65,536. `report.md` is no longer, and counts what it leaves out."""
HERE = (
    "The reports of this job have `report.html`, which shows every row. Runs stay where they ran: "
    "on your machine, make one first (`evalrag run`), then these commands take `latest` for its "
    "number."
)
"""Stands last, behind the commands, on one line: in a comment GitHub draws the end of a line."""
NAMES = 5_000
"""Row ids in one output; GitHub takes 1 MiB of all."""


def files() -> str:
    """The reports that the installed evalrag can write, by the ends of their names."""
    from evalrag.reporters.build import SUFFIXES

    wanted = ("verdict.json", "report.txt", "report.md", "junit.xml", "report.html", "report.sarif")
    return "\n".join(name for name in wanted if Path(name).suffix in SUFFIXES)


def form() -> str:
    """What stdout gets: annotations, where the installed evalrag has them."""
    from evalrag.cli.output import FORMATS

    return "github" if "github" in FORMATS else "text"


def verdict(reports: str) -> dict[str, Any] | None:
    """What the run decided; None where nothing ran to an end."""
    path = Path(reports) / "verdict.json"
    if not path.is_file():
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def annotate(reports: str, form: str) -> str:
    """The reasons, where evalrag wrote no annotations, and what a command of its own said."""
    found = verdict(reports)
    if found is None:
        return f"::error title=evalrag::{command(log(reports) or 'nothing ran')}"
    if form == "github" or not found["exit_code"]:
        return ""
    return "\n".join(f"::error title=evalrag::{command(said)}" for said in found["reasons"])


def command(text: str) -> str:
    """A text within a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def outputs(reports: str, code: str) -> str:
    """Lines for $GITHUB_OUTPUT. The end of each value is a word that no row can know."""
    found = verdict(reports) or {}
    changes = (found.get("diff") or {}).get("changes", ())
    broke = [one["id"] for one in changes if one["change"] in ("broke", "now failing")]
    gates = [gate for gate in found.get("gates", ()) if gate["status"] == "failed"]
    failing = dict.fromkeys(row["id"] for gate in gates for row in gate["rows"])
    values = {
        "verdict": found["verdict"] if found.get("exit_code") == int(code) else "error",
        "exit-code": code,
        "broke": json.dumps(broke[:NAMES]),
        "failing": json.dumps(list(failing)[:NAMES]),
        "reports": reports,
    }
    lines = []
    for name, value in values.items():
        end = secrets.token_hex(16)
        lines.append(f"{name}<<{end}\n{value}\n{end}")
    return "\n".join(lines)


def summary(reports: str) -> str:
    """The report for the step's summary."""
    return cut(told(reports), SUMMARY)


def told(reports: str) -> str:
    """The report in Markdown; else as text, fenced; else what was said instead of one."""
    for name in ("report.md", "report.txt"):
        path = Path(reports) / name
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            return text if name.endswith(".md") else fenced(text)
    return fenced(log(reports) or "nothing ran")


def log(reports: str) -> str:
    path = Path(reports) / "log.txt"
    return path.read_text(encoding="utf-8", errors="replace")[-4_000:].strip()


def fenced(text: str) -> str:
    """A block of code that nothing in the text can end."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}"


def cut(text: str, most: int) -> str:
    """At most that many characters; a fence that was cut open is closed."""
    if len(text) <= most:
        return text
    kept = text[: most - 200]
    fence = re.match("`{3,}", kept)
    end = f"\n{fence[0]}" if fence else ""
    return f"{kept}{end}\n\nCut: the whole report is in the artifact."


def marker(name: str) -> str:
    """The line by which a later run finds what an earlier one wrote."""
    return f"<!-- evalrag: {name} -->"


def text_of(reports: str, name: str) -> str:
    found = verdict(reports)
    ended = f"{name}: {found['verdict'] if found else 'nothing ran'}"
    page = os.environ
    where = f"{page['GITHUB_SERVER_URL']}/{page['GITHUB_REPOSITORY']}"
    link = f"[all reports]({where}/actions/runs/{page['GITHUB_RUN_ID']})"
    here = "" if found and found.get("exit_code") == 0 else f"\n\n{HERE}"
    said = cut(told(reports), COMMENT).rstrip("\n")
    return f"{marker(name)}\n**{ended}** ({link})\n\n{said}{here}"


def body(reports: str, name: str) -> str:
    return json.dumps({"body": text_of(reports, name)})


def issue(reports: str, name: str, code: str, known: str) -> str:
    """A new issue, or what changes in the one that is `known`: open until a run passes.

    Title and labels are people's to change once it is there.
    """
    text = {"body": text_of(reports, name)}
    if known:
        return json.dumps(text | {"state": "open" if code != "0" else "closed"})
    return json.dumps(text | {"title": f"evalrag: {name} does not pass", "labels": ["evalrag"]})


def ours(name: str) -> str:
    """The id of a comment, or number of an issue, that our own account began with our marker.

    Anybody can write the marker: an entry by another account is not ours, and is left alone.
    """
    author = os.environ["GATE_AUTHOR"]
    for entry in json.load(sys.stdin):
        text, by = entry.get("body") or "", (entry.get("user") or {}).get("login")
        if by == author and text.startswith(marker(name)) and "pull_request" not in entry:
            return str(int(entry["number"] if "title" in entry else entry["id"]))
    return ""


def length() -> str:
    return str(len(json.load(sys.stdin)))


def pull_request() -> str:
    """The number of the pull request, if its branch is of this repository."""
    found = _pull_request()
    head = (found.get("head") or {}).get("repo") or {}
    own = head.get("full_name") == os.environ["GITHUB_REPOSITORY"]
    return str(int(found["number"])) if found and own else ""


def any_pull_request() -> str:
    return str(_pull_request().get("number", ""))


def _pull_request() -> dict[str, Any]:
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    found: dict[str, Any] = event.get("pull_request") or {}
    return found


COMMANDS = {
    "files": files,
    "form": form,
    "annotate": annotate,
    "outputs": outputs,
    "summary": summary,
    "body": body,
    "issue": issue,
    "ours": ours,
    "length": length,
    "pull-request": pull_request,
    "any-pull-request": any_pull_request,
}

if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    said = COMMANDS[sys.argv[1]](*sys.argv[2:])  # type: ignore[operator]
    if said:
        sys.stdout.write(f"{said}\n")
