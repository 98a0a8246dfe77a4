"""A baseline is believed as it was accepted, and not as somebody left it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workspace import BOT, ROWS, Done, Workspace

TRACES, ROWS_FILE, HEAD, ACCEPTED = "traces.jsonl", "rows.jsonl", "run.json", "accepted.json"
OUTCOMES = "outcomes.jsonl"
OPENING = (
    ("run", "plan.yaml"),
    ("gate", "latest"),
    ("diff", "latest"),
    ("diff", "baseline", "latest"),
    ("check", "plan.yaml"),
    ("rescore", "baseline"),
    ("baseline", "show", "baseline"),
)


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    shop = Workspace(tmp_path_factory.mktemp("accepted"))
    shop.accepted()
    return shop.path


@pytest.fixture
def held(accepted: Path, tmp_path: Path) -> Workspace:
    """A shop with a run and a baseline."""
    shutil.copytree(accepted, tmp_path, dirs_exist_ok=True)
    found = Workspace.__new__(Workspace)
    found.path = tmp_path
    return found


def edited(shop: Workspace, name: str, old: str, new: str) -> None:
    path = shop.path / "baseline" / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def refused(done: Done, name: str, what: str) -> None:
    assert done.code == 2, done
    assert f"baseline/{name}: this file of the baseline {what} after it was accepted" in done.err
    assert "(run 0001 on 2026-11-30)" in done.err
    assert f"next: git checkout HEAD -- baseline/{name}; " in done.err


@pytest.mark.parametrize("command", OPENING, ids=" ".join)
def test_a_score_that_was_edited_by_hand_is_refused_wherever_it_is_read(
    held: Workspace, command: tuple[str, ...]
) -> None:
    edited(held, ROWS_FILE, '"current_precision":1.0', '"current_precision":0.125')

    refused(held.evalrag(*command), ROWS_FILE, "was changed")


@pytest.mark.parametrize(
    ("name", "what", "damage"),
    [
        pytest.param(TRACES, "is gone", Path.unlink, id="traces deleted"),
        pytest.param(TRACES, "was changed", lambda p: p.write_text("{}\n"), id="traces edited"),
        pytest.param(ROWS_FILE, "is gone", Path.unlink, id="rows deleted"),
        pytest.param(HEAD, "is gone", Path.unlink, id="head deleted"),
        pytest.param(
            HEAD,
            "was changed",
            lambda p: p.write_text(p.read_text().replace('"context_k": 2', '"context_k": 3')),
            id="window edited",
        ),
        pytest.param(
            HEAD,
            "has the marks of a merge in it, and was changed",
            lambda p: p.write_text("<<<<<<< HEAD\n" + p.read_text()),
            id="head merged",
        ),
    ],
)
@pytest.mark.parametrize("command", ["run", "gate"])
def test_a_file_that_was_damaged_is_named(
    held: Workspace, name: str, what: str, damage: Callable[[Path], object], command: str
) -> None:
    damage(held.path / "baseline" / name)

    refused(held.evalrag(*((command, "plan.yaml") if command == "run" else (command,))), name, what)


def test_a_row_is_shown_without_a_changed_baseline_and_says_so(held: Workspace) -> None:
    edited(held, ROWS_FILE, '"current_precision":1.0', '"current_precision":0.125')

    done = held.evalrag("show", "latest", "s1")

    assert done.code == 0, done
    assert "note: the baseline is not shown: baseline/rows.jsonl: " in " ".join(done.out.split())
    assert "baseline pass" not in done.out


def test_traces_that_were_not_accepted_are_not_read(held: Workspace) -> None:
    traces = held.path / "baseline" / TRACES
    kept = traces.read_bytes()
    held.evalrag("baseline", "accept", "--reason", "private", "--without-traces")
    assert held.evalrag("gate").code == 0

    traces.write_bytes(kept)

    refused(held.evalrag("gate"), TRACES, "was put there")


@pytest.mark.parametrize("command", OPENING[:3] + OPENING[4:], ids=" ".join)
def test_marks_of_a_merge_in_the_acceptances_are_seen(
    held: Workspace, command: tuple[str, ...]
) -> None:
    edited(held, ACCEPTED, '  "history"', '<<<<<<< HEAD\n  "history"')

    done = held.evalrag(*command)

    assert done.code == 2, done
    assert "baseline/accepted.json: not what evalrag wrote (a merge left its marks" in done.err
    assert "next: git checkout HEAD -- baseline, " in done.err


def test_acceptances_without_digests_or_without_the_file_are_refused(held: Workspace) -> None:
    path = held.path / "baseline" / ACCEPTED
    stored = json.loads(path.read_text())
    del stored["files"]
    path.write_text(json.dumps(stored))

    bare = held.evalrag("gate")
    path.unlink()
    gone = held.evalrag("gate")

    assert bare.code == gone.code == 2
    assert "it has no digests of the other files" in bare.err
    assert "baseline/accepted.json: this file is not there" in gone.err
    assert "next: git checkout HEAD -- baseline; " in gone.err


def test_line_ends_that_git_wrote_are_no_change(held: Workspace) -> None:
    for path in (held.path / "baseline").iterdir():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    relabelled = [{**ROWS[0], "acceptable": ["other#0"]}, *ROWS[1:]]

    for command in OPENING:
        assert held.evalrag(*command).code == 0, command
    held.rows(relabelled)  # which reads the traces as well
    done = held.evalrag("run", "plan.yaml")
    assert (done.code, "1 row is relabelled: h1" in done.out) == (0, True), done


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"


@pytest.mark.parametrize("name", [HEAD, ROWS_FILE, TRACES, OUTCOMES, ACCEPTED])
def test_a_git_lfs_pointer_is_named_and_no_run_is_accepted_over_it(
    held: Workspace, name: str
) -> None:
    (held.path / "baseline" / name).write_text(POINTER)

    for done in (held.evalrag("gate"), held.evalrag("baseline", "accept", "--reason", "again")):
        assert done.code == 2, done
        assert "Git LFS pointer" in done.err
        assert done.err.rstrip().endswith("next: git lfs pull")


def test_a_git_lfs_pointer_in_the_place_of_the_dataset_is_named(held: Workspace) -> None:
    held.write("golden.jsonl", POINTER)

    done = held.evalrag("run", "plan.yaml")

    assert done.code == 2
    assert "Git LFS pointer" in done.err


def test_a_run_that_was_copied_is_no_baseline(held: Workspace) -> None:
    held.evalrag("run", "plan.yaml")
    shutil.rmtree(held.path / "baseline")
    shutil.copytree(held.path / ".evalrag/runs/0002", held.path / "baseline")

    for command in OPENING[:2]:
        done = held.evalrag(*command)
        assert done.code == 2, done
        assert "baseline/accepted.json" in done.err
    assert held.evalrag("gate", "0002", "--baseline", ".evalrag/runs/0001").code == 0


def test_a_run_of_all_rows_is_accepted_over_a_changed_baseline_and_takes_nothing_from_it(
    held: Workspace,
) -> None:
    edited(held, ROWS_FILE, '"current_precision":1.0', '"current_precision":0.125')
    held.write("bot.py", BOT.replace('"What does gift wrapping cost?": ["wrap#0"],', ""))
    held.evalrag("run", "plan.yaml", "--no-baseline")

    done = held.evalrag("baseline", "accept", "--reason", "read again")

    assert done.code == 0, done
    assert done.out.startswith("note: baseline/rows.jsonl: this file of the baseline was changed")
    assert "since the last baseline: pass -> fail: h2" in done.out
    assert '"current_precision":0.125' not in (held.path / "baseline" / ROWS_FILE).read_text()
    history = json.loads((held.path / "baseline" / ACCEPTED).read_text())["history"]
    assert [entry["reason"] for entry in history] == ["first", "read again"]
    assert held.evalrag("gate").code == 0


def test_a_run_of_some_rows_is_not_laid_over_a_changed_baseline(held: Workspace) -> None:
    edited(held, ROWS_FILE, '"current_precision":1.0', '"current_precision":0.125')
    held.evalrag("run", "plan.yaml", "--no-baseline", "--row", "h1")

    refused(held.evalrag("baseline", "accept", "--reason", "h1"), ROWS_FILE, "was changed")


def test_a_secret_that_stands_in_a_digest_leaves_it_whole(held: Workspace) -> None:
    head = json.loads((held.path / "baseline" / ACCEPTED).read_text())["files"][HEAD]
    key = head[:9]

    done = held.evalrag("baseline", "accept", "--reason", f"by {key}", SHOP_API_KEY=key)

    text = (held.path / "baseline" / ACCEPTED).read_text()
    assert done.code == 0, done
    assert f"by {key}" not in text
    assert held.evalrag("gate").code == 0
