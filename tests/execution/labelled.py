"""A file of labelled answers in front of the offline judge."""

import asyncio
from pathlib import Path

from evalrag.execution.calibrate import Answer, judge_answers
from evalrag.judges.offline import OfflineJudge
from evalrag.judging.calibration import Judged, judged
from evalrag.loading.labels import load_labels


def judge_file(path: Path) -> list[Judged]:
    rows = load_labels(path).rows
    answers = [Answer(row.id, row.question, row.context, row.answer) for row in rows]
    said = asyncio.run(judge_answers(answers, OfflineJudge(), at_once=1))
    return [judged(row, verdicts) for row, verdicts in zip(rows, said, strict=True)]
