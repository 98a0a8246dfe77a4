"""`evalrag schema`: the JSON Schema of what people write, what is stored, and what is printed."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from pydantic import BaseModel

NAMES = ("plan", "row", "labels", "decision", "run", "result", "verdict", "report")
PRINTED = ("report",)
"""Written by evalrag alone, so that every key is there."""


def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="|".join(NAMES), help="Which schema.")
    ] = None,
    write: Annotated[
        str | None,
        typer.Option(
            "--write",
            envvar="EVALRAG_WRITE",
            metavar="DIR",
            help="Write it, or all of them without a name, as DIR/NAME.schema.json for editors.",
        ),
    ] = None,
) -> None:
    """Print JSON Schema of a plan, row, labelled answer, decision, run, result, verdict or report.

    Examples: evalrag schema plan; evalrag schema --write schemas
    """
    import json

    from evalrag.cli.output import say, write_file
    from evalrag.errors import UsageError
    from evalrag.reporters.plain import safe

    if name is None and write is None:
        raise UsageError(
            "name a schema, or a folder to write all of them to",
            hint=f"one of: {', '.join(NAMES)}; or: evalrag schema --write DIR",
        )
    known = _models()
    if name is not None and name not in known:
        raise UsageError(f"there is no schema {name!r}", hint=f"one of: {', '.join(NAMES)}")
    asked = [name] if name is not None else [*NAMES]
    drawn = {
        one: json.dumps(_schema(one, known[one]), ensure_ascii=False, indent=2) for one in asked
    }
    if write is None:
        say(drawn[asked[0]])
        return
    for one, text in drawn.items():
        path = f"{write}/{one}.schema.json"
        write_file(path, text + "\n")
        say(f"written: {safe(path)}")
    if "plan" in drawn:
        say(
            "next: make this the first line of a plan, with the path as the plan has it:\n"
            f"# yaml-language-server: $schema={safe(write)}/plan.schema.json"
        )


def _models() -> "dict[str, type[BaseModel]]":
    from evalrag.schema.decision import Decision
    from evalrag.schema.labels import LabelledRow
    from evalrag.schema.plan import Plan
    from evalrag.schema.published import PublishedReport
    from evalrag.schema.result import RowResult
    from evalrag.schema.row import Row
    from evalrag.schema.run import RunRecord
    from evalrag.schema.verdict import Verdict

    found: dict[str, type[BaseModel]] = {
        "plan": Plan,
        "row": Row,
        "labels": LabelledRow,
        "decision": Decision,
        "run": RunRecord,
        "result": RowResult,
        "verdict": Verdict,
        "report": PublishedReport,
    }
    return found


def _schema(name: str, model: "type[BaseModel]") -> dict[str, Any]:
    mode: Any = "serialization" if name in PRINTED else "validation"
    body = model.model_json_schema(by_alias=True, mode=mode)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **body}
