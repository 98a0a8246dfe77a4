"""The verdict as JSON: a published shape, and nothing else on stdout."""

import json
from typing import Any

from evalrag.reporters.plain import disarmed_json
from evalrag.schema.published import SCHEMA_VERSION
from evalrag.schema.report import Report
from evalrag.schema.run import RunRecord
from evalrag.schema.verdict import ExitCode, Verdict


class Json:
    name = "json"

    def render(self, report: Report) -> str:
        return as_json(report.verdict, report.record)


def build() -> Json:
    return Json()


def as_json(verdict: Verdict, record: RunRecord) -> str:
    """Verdict, gates with their rows, diff, means with denominators, diagnoses, fingerprints."""
    body: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "verdict": word(verdict.exit_code),
        "plan": record.plan,
        "day": record.day,
        "fingerprints": {
            "plan": record.plan_digest,
            "dataset": record.dataset.digest,
            "pipeline": record.pipeline.model_dump(mode="json"),
            "judge": record.judge.model_dump(mode="json") if record.judge else None,
            "scoring": record.scoring,
        },
    }
    body |= verdict.model_dump(mode="json")
    body["exit_code"] = int(verdict.exit_code)
    return disarmed_json(json.dumps(body, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def word(code: ExitCode) -> str:
    """The verdict in a word."""
    return {
        ExitCode.PASSED: "passed",
        ExitCode.FAILED: "failed",
        ExitCode.UNDECIDED: "undecided",
        ExitCode.NO_BASELINE: "no baseline",
    }.get(code, code.name.lower().replace("_", " "))
