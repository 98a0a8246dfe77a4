"""Arguments that several commands share. Every flag has an `EVALRAG_...` twin."""

from typing import Annotated

import typer

RUNS = ".evalrag/runs"
"""Where runs are kept, seen from the working directory, unless the plan says otherwise."""

RunName = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's number, its folder, or `latest`.")
]
PlanPath = Annotated[
    str | None, typer.Argument(metavar="PLAN", help="The plan file; evalrag.yaml by default.")
]
RunsFolder = Annotated[
    str, typer.Option("--runs", envvar="EVALRAG_RUNS", help="Folder of runs.", metavar="DIR")
]
NoBaseline = Annotated[
    bool,
    typer.Option(
        "--no-baseline",
        envvar="EVALRAG_NO_BASELINE",
        help="Compare with nothing; gates that need a baseline are left out, and listed.",
    ),
]
Full = Annotated[
    bool,
    typer.Option(
        "--full",
        "--verbose",
        "-v",
        envvar="EVALRAG_FULL",
        help="The whole report: every row and metric that moved, every table.",
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        envvar="EVALRAG_QUIET",
        help="The verdict in a line, the rows that failed by name, and what to type next.",
    ),
]
Format = Annotated[
    str,
    typer.Option(
        "--format",
        envvar="EVALRAG_FORMAT",
        metavar="FORMAT",
        help="What stdout gets: text, or json, junit, markdown, github, sarif.",
    ),
]
NoCache = Annotated[
    bool,
    typer.Option(
        "--no-cache",
        envvar="EVALRAG_NO_CACHE",
        help="Ask the judge for every verdict, also for those that are kept.",
    ),
]
Output = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        envvar="EVALRAG_OUTPUT",
        metavar="FILE",
        help="Write the report to a file as well, in the format that its name ends in: .html, "
        ".json, .xml (JUnit), .md, .sarif; .txt or nothing is text.",
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        envvar="EVALRAG_MAX_COST",
        metavar="AMOUNT",
        help="Ask nothing new when pipeline and judge have cost this; it can be resumed.",
    ),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        "--max-seconds",
        envvar="EVALRAG_MAX_SECONDS",
        metavar="SECONDS",
        help="Ask nothing new after these; it can be resumed.",
    ),
]
UpToFailure = Annotated[
    bool,
    typer.Option(
        "--first-failure",
        envvar="EVALRAG_FIRST_FAILURE",
        help="End at the first row that fails and is not failing in the baseline (exit 130).",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", envvar="EVALRAG_DRY_RUN", help="Say how many calls it would be; ask nothing."
    ),
]
