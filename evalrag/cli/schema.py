"""`evalrag schema`: the JSON Schema of what people write and what evalrag stores."""

from typing import Annotated

import typer

NAMES = ("plan", "row", "labels", "decision", "run", "result", "verdict")


def schema(
    name: Annotated[str, typer.Argument(metavar="|".join(NAMES), help="Which schema.")],
) -> None:
    """Print JSON Schema of a plan, row, labelled answer, decision, run, result or verdict.

    Example: evalrag schema plan > plan.schema.json
    """
    import json

    from pydantic import BaseModel

    from evalrag.cli.output import say
    from evalrag.errors import UsageError
    from evalrag.schema.decision import Decision
    from evalrag.schema.labels import LabelledRow
    from evalrag.schema.plan import Plan
    from evalrag.schema.result import RowResult
    from evalrag.schema.row import Row
    from evalrag.schema.run import RunRecord
    from evalrag.schema.verdict import Verdict

    models: dict[str, type[BaseModel]] = {
        "plan": Plan,
        "row": Row,
        "labels": LabelledRow,
        "decision": Decision,
        "run": RunRecord,
        "result": RowResult,
        "verdict": Verdict,
    }
    model = models.get(name)
    if model is None:
        raise UsageError(f"there is no schema {name!r}", hint=f"one of: {', '.join(models)}")
    body = model.model_json_schema(by_alias=True)
    body = {"$schema": "https://json-schema.org/draft/2020-12/schema", **body}
    say(json.dumps(body, ensure_ascii=False, indent=2))
