"""Whatever comes from data is printed as text: nothing that a terminal obeys, nothing lost."""

import json

import pytest

from tests.workspace import BOT, ROWS, Workspace

HOSTILE = (
    "\x1b[31mred\x1b]0;title\x07\x1b]8;;http://x\x1b\\link \u202eolleh\u202c \u200bzero\ufeff "
    "[bold]markup[/bold] :smile: \x00nul \x9b1m ]]> <script>"
)
BAD = ("\x1b", "\x07", "\u202e", "\u202c", "\u200b", "\ufeff", "\x00", "\x9b")


@pytest.fixture
def hostile(shop: Workspace) -> Workspace:
    text = json.dumps(HOSTILE)
    shop.write(
        "bot.py",
        BOT.replace('"text": TEXTS[name]}', f'"text": TEXTS[name] + {text}}}')
        .replace('return passages[0]["text"]', f"return {text}")
        .replace('"id": name, "doc"', f'"id": name + {text}, "doc"'),
    )
    rows = [{**r, "question": r["question"], "note": HOSTILE, "tags": [HOSTILE]} for r in ROWS]
    rows.append({**ROWS[0], "id": "h9", "question": HOSTILE, "meta": {"k": HOSTILE}})
    shop.rows(rows)
    shop.plan(
        gates=[
            {
                "name": f"g {HOSTILE[5:8]} [red]x[/red]",
                "metric": "context_recall",
                "must": {"at_least": 0.5},
            }
        ]
    )
    return shop


def test_no_command_prints_what_a_terminal_would_obey(hostile: Workspace) -> None:
    hostile.evalrag("run", "plan.yaml")
    hostile.evalrag("baseline", "accept", "latest", "--reason", HOSTILE.replace("\x00", ""))
    commands = (
        ["check", "plan.yaml"],
        ["run", "plan.yaml"],
        ["gate", "latest"],
        ["diff", "latest"],
        ["show", "latest"],
        ["show", "latest", "h9"],
        ["show", "latest", "n1"],
        ["baseline", "show", "baseline"],
        ["show", "latest", "no\x1b[31msuch"],
    )
    for command in commands:
        done = hostile.evalrag(*command)
        assert done.code in (0, 1, 2, 3), done
        for bad in BAD:
            assert bad not in done.out + done.err, (command, bad)


def test_markup_in_data_is_shown_as_it_stands(hostile: Workspace) -> None:
    hostile.evalrag("run", "plan.yaml", "--no-baseline")

    assert "[bold]markup[/bold]" in hostile.evalrag("show", "latest", "h9").out


def test_json_keeps_the_text_whole(hostile: Workspace) -> None:
    done = hostile.evalrag("run", "plan.yaml", "--no-baseline", "--format", "json")

    assert done.json["gates"][0]["name"].endswith("[red]x[/red]")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_any_encoding_of_stdout_will_do(shop: Workspace, encoding: str) -> None:
    shop.rows([{**ROWS[0], "question": "Wie lange \u2014 \u65e5\u672c\u8a9e?"}, *ROWS[1:]])

    shop.evalrag("run", "plan.yaml")
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "evalrag", "show", "latest", "h1"],
        cwd=shop.path,
        env=shop.environment(PYTHONIOENCODING=encoding),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"Wie lange" in done.stdout


def test_a_reader_that_goes_away_costs_nothing(shop: Workspace) -> None:
    import subprocess
    import sys

    command = f"{sys.executable} -m evalrag run plan.yaml --no-baseline | head -n 1; " + (
        "echo ${PIPESTATUS[0]}"
    )
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=shop.path,
        env=shop.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "0", done
    assert "Traceback" not in done.stderr
