"""Public answers with human labels, written as labels files.

    python -m tests.oracles.labelled SHARED OUT

Neither set has the fields of a labels file: RAGTruth calls the passages `contexts`; ContractNLI has
`claim` for the answer, no question, and its contexts in a file of documents beside it.
"""

import json
import sys
from pathlib import Path
from typing import Any

Rows = list[dict[str, Any]]


def ragtruth(judge: Path) -> Rows:
    rows = _read(judge / "ragtruth_qa.jsonl")
    return [{**row, "context": row["contexts"]} for row in rows]


def contractnli(judge: Path) -> Rows:
    texts = {row["doc_id"]: row["text"] for row in _read(judge / "contractnli_docs.jsonl")}
    return [
        {
            **row,
            "question": "What does the agreement say?",
            "context": texts[row["doc_id"]],
            "answer": row["claim"],
        }
        for row in _read(judge / "contractnli_claims.jsonl")
    ]


def write(path: Path, rows: Rows) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _read(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    judge, out = Path(sys.argv[1]) / "data" / "judge", Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for made, rows in {"ragtruth": ragtruth(judge), "contractnli": contractnli(judge)}.items():
        path = write(out / f"{made}.jsonl", rows)
        sys.stdout.write(f"{path}\n")
