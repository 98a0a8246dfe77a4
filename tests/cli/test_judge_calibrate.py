"""`evalrag judge calibrate`, as a process."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_own_judge import judge
from tests.reporters.test_hostile_text import BAD, HOSTILE
from tests.workspace import Done, Workspace

PAIRS = Path(__file__).parents[1] / "judging" / "minimal_pairs.jsonl"
CONTEXT = ["Returns are accepted within 30 days of delivery.", "Refunds take 5 business days."]
LABELS: list[dict[str, Any]] = [
    {"id": "same", "label": "SUPPORTED", "answer": CONTEXT[0]},
    {"id": "days", "label": "CONTRADICTED", "answer": "Refunds take 9 business days."},
    {"id": "ours", "label": "SUPPORTED", "answer": "Items can be sent back for thirty days."},
    {"id": "none", "label": "ABSTAINED", "answer": "The documents do not say."},
    {"id": "else", "label": "ABSENT", "answer": "Gift cards of Acme stay valid for 36 months."},
    {"id": "miss", "label": "SUPPORTED", "answer": "Refunds take 8 business days."},
]  # fmt: skip


def labels(shop: Workspace, rows: list[dict[str, Any]] = LABELS, name: str = "labels.jsonl") -> str:
    plain = {"question": "How long do returns take?", "context": CONTEXT}
    shop.write(name, "".join(json.dumps({**plain, **row}) + "\n" for row in rows))
    return name


def calibrate(shop: Workspace, *options: str, file: str = "labels.jsonl") -> Done:
    return shop.evalrag("judge", "calibrate", "plan.yaml", file, *options)


def records(shop: Workspace) -> list[dict[str, Any]]:
    paths = sorted((shop.path / "calibrations").glob("*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def test_the_minimal_pairs_give_the_table_of_the_offline_judge(shop: Workspace) -> None:
    done = calibrate(shop, "--format", "json", file=str(PAIRS))

    assert done.code == done.json["exit_code"] == 0
    table, figures = done.json["confusion"], done.json["figures"]
    assert table["SUPPORTED"]["CONTRADICTED"] == 0
    assert table["CONTRADICTED"]["SUPPORTED"] == table["ABSENT"]["SUPPORTED"] == 0
    assert round(figures["recall"]["CONTRADICTED"]["value"], 3) == 0.613
    assert figures["precision"]["CONTRADICTED"]["value"] == 1
    assert round(figures["unresolved"]["value"], 3) == 0.449
    verbatim = [
        row["id"] for row in map(json.loads, PAIRS.read_text("utf-8").splitlines())
        if row["edit_type"] == "verbatim"
    ]  # fmt: skip
    labels_of_copies = [done.json["judged"][row] for row in verbatim]
    assert (labels_of_copies.count("SUPPORTED"), labels_of_copies.count("UNRESOLVED")) == (16, 1)
    assert len(done.json["disagreements"]) == 156 - figures["agreement"]["hits"]


def test_json_has_every_disagreement_with_its_claims_and_nothing_else_on_stdout(
    shop: Workspace,
) -> None:
    labels(shop)

    done = calibrate(shop, "--format", "json")

    found = {one["id"]: one for one in done.json["disagreements"]}
    assert list(found) == ["miss", "ours"]
    assert (found["miss"]["human"], found["miss"]["judge"]) == ("SUPPORTED", "CONTRADICTED")
    (claim,) = found["miss"]["claims"]
    assert claim["quote"] == "Refunds take 5 business days."
    assert "8" in claim["reason"]
    assert done.json["confusion"]["SUPPORTED"] == {
        "SUPPORTED": 1,
        "ABSENT": 0,
        "CONTRADICTED": 1,
        "ABSTAINED": 0,
        "UNRESOLVED": 1,
    }
    assert done.json["schema_version"] == 1
    assert len(done.json["fingerprint"]) == 16
    assert done.json["probes"] == {}
    assert done.err == ""


def test_text_is_a_table_the_disagreements_and_what_to_type_next(shop: Workspace) -> None:
    labels(shop)

    out = calibrate(shop).out

    lines = out.splitlines()
    assert lines[0] == "offline-rules/2 against 6 labelled answers of labels.jsonl"
    assert "agreement   0.6667, 4 of 6 (95 %: 0.3 to 0.9032)" in lines
    row = next(line for line in lines if line.startswith("CONTRADICTED")).split()
    assert row == ["CONTRADICTED", "0", "0", "1", "0", "0", "1", "(0.21-1)", "0.50", "(0.09-0.91)"]
    assert "Disagreements: 1 by label, 1 left open by the judge" in lines
    assert "  - miss: people SUPPORTED, judge CONTRADICTED" in lines
    assert '      context: "Refunds take 5 business days."' in lines
    assert "The first calibration on these labels" in lines
    assert lines[-1] == "next: git add calibrations"


def test_text_lists_twenty_disagreements_and_counts_the_rest(shop: Workspace) -> None:
    labels(shop, [{**LABELS[1], "id": f"r{n}", "label": "SUPPORTED"} for n in range(23)])

    out = calibrate(shop, "--no-record").out

    assert out.count("people SUPPORTED, judge CONTRADICTED") == 20
    assert "- and 3 more: --format json lists all" in out
    assert "people labelled every row SUPPORTED" in out


def test_a_record_is_kept_by_fingerprint_beside_the_plan(shop: Workspace) -> None:
    labels(shop)
    (shop.path / "plans").mkdir()
    for name in ("plan.yaml", "golden.jsonl", "bot.py"):
        (shop.path / name).rename(shop.path / "plans" / name)

    done = shop.evalrag("judge", "calibrate", "plans/plan.yaml", "labels.jsonl", "--format", "json")

    path = shop.path / done.json["record"]
    assert path == shop.path / "plans" / "calibrations" / f"{done.json['fingerprint']}.jsonl"
    (kept,) = [json.loads(line) for line in path.read_text().splitlines()]
    assert (kept["day"], kept["labels"]["n"], kept["judged"]["miss"]) == (
        "2026-11-30",
        6,
        "CONTRADICTED",
    )
    assert "Refunds" not in path.read_text()
    assert done.json["next"] == "git add plans/calibrations"


def test_no_record_keeps_none(shop: Workspace) -> None:
    labels(shop)

    done = calibrate(shop, "--no-record", "--format", "json")

    assert done.code == 0
    assert done.json["record"] is None
    assert done.json["next"] == "evalrag judge calibrate plan.yaml labels.jsonl"
    assert not (shop.path / "calibrations").exists()


def test_what_moved_is_said_since_the_last_record_of_any_judge(shop: Workspace) -> None:
    labels(shop)
    first = calibrate(shop, "--format", "json").json
    assert first["moved"] is None
    assert "Nothing moved since 2026-11-30, by offline-rules/2" in calibrate(shop).out
    judge(shop, "return ClaimsReply((Claim(id='c1', text='t', label='SUPPORTED'),))")

    done = calibrate(shop, "--format", "json").json

    assert done["moved"]["judge"] == "offline-rules/2"
    assert done["moved"]["fingerprint"] == first["fingerprint"] != done["fingerprint"]
    assert {"id": "days", "before": "CONTRADICTED", "after": "UNRESOLVED"} in done["moved"]["rows"]
    assert done["moved"]["figures"]["recall CONTRADICTED"] == {"before": 1.0, "after": 0.0}
    assert [record["number"] for record in records(shop)] in ([1, 2], [2, 1])
    said = calibrate(shop, "--no-record").out
    assert "Nothing moved" in said


def test_other_labels_have_a_history_of_their_own(shop: Workspace) -> None:
    labels(shop)
    calibrate(shop)
    labels(shop, LABELS[:3], "some.jsonl")

    assert calibrate(shop, "--format", "json", file="some.jsonl").json["moved"] is None


def test_a_judge_that_cannot_be_reached_has_no_figures_and_no_record(shop: Workspace) -> None:
    labels(shop, LABELS[:3])
    judge(shop, "raise RuntimeError('no route to host')")

    done = calibrate(shop, "--format", "json")

    assert done.code == done.json["exit_code"] == 3
    assert done.json["figures"]["agreement"]["value"] is None
    assert done.json["figures"]["recall"]["CONTRADICTED"]["value"] is None
    assert done.json["failed"] == 3
    assert "no route to host" in done.json["notes"][0]
    assert done.json["next"] == "evalrag check plan.yaml"
    assert not (shop.path / "calibrations").exists()
    assert "the judge decided nothing" in calibrate(shop).out


def test_rows_that_the_judge_fails_on_are_counted_and_named(shop: Workspace) -> None:
    labels(shop)
    judge(shop, "if '9' in task.answer: raise RuntimeError('no quota')")

    done = calibrate(shop, "--format", "json")

    assert done.code == 0
    assert done.json["failed"] == 1
    assert done.json["judged"]["days"] == "UNRESOLVED"
    assert "1 of 6 rows" in done.json["notes"][0]
    assert "the first is days: RuntimeError: no quota" in done.json["notes"][0]


def test_acceptable_labels_agree_and_are_counted(shop: Workspace) -> None:
    labels(shop, [*LABELS[:5], {**LABELS[5], "acceptable_labels": ["CONTRADICTED"]}])

    done = calibrate(shop, "--format", "json")

    assert [one["id"] for one in done.json["disagreements"]] == ["ours"]
    assert done.json["notes"] == ["1 row agrees by acceptable_labels alone"]


def test_probes_are_shown_with_what_moved(shop: Workspace) -> None:
    labels(shop)

    done = calibrate(shop, "--probes", "--format", "json")

    probes = done.json["probes"]
    assert probes["passages reordered"]["moved"]["n"] == 6
    assert probes["answer padded"]["moved"] == {
        "value": 0.0,
        "n": 5,
        "hits": 0,
        "low": 0.0,
        "high": probes["answer padded"]["moved"]["high"],
        "reason": None,
    }
    assert "- passages reordered: 0, 0 of 6" in calibrate(shop, "--probes").out
    assert list(records(shop)[0]["probes"]) == list(probes)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        pytest.param("gone.jsonl", None, "there is no such file", id="missing"),
        pytest.param("labels.jsonl", "", "no row is labelled", id="empty"),
        pytest.param(
            "labels.jsonl",
            '{"id": "a", "lable": "SUPPORTED"}',
            'labels.jsonl:1: label: is missing; is "lable" it?',
            id="a typo",
        ),
    ],
)
def test_a_bad_file_ends_in_2(shop: Workspace, file: str, text: str | None, said: str) -> None:
    if text is not None:
        shop.write(file, text)

    done = calibrate(shop, file=file)

    assert done.code == 2
    assert said in done.err
    assert done.out == ""


def test_a_plan_that_is_wrong_ends_in_2(shop: Workspace) -> None:
    labels(shop)
    shop.plan(judge={"use": "ofline"})

    done = calibrate(shop)

    assert done.code == 2
    assert "offline" in done.err


def test_a_judge_that_labels_no_claims_is_refused(shop: Workspace) -> None:
    labels(shop)
    judge(shop, offers="['answer_relevancy']")

    done = calibrate(shop)

    assert done.code == 2
    assert "mine/1 labels no claims" in done.err


def test_a_damaged_record_is_found_before_the_judge_is_asked(shop: Workspace) -> None:
    labels(shop)
    calibrate(shop)
    (path,) = (shop.path / "calibrations").iterdir()
    path.write_text("<<<<<<< HEAD\n" + path.read_text())
    judge(shop, "open('asked', 'w').close()")

    done = calibrate(shop)

    assert done.code == 2
    assert path.name in done.err
    assert "restore the file from git" in done.err
    assert not (shop.path / "asked").exists()


def test_hostile_text_is_printed_as_text(shop: Workspace) -> None:
    rows = [
        {"id": "x", "label": "ABSENT", "answer": f"{HOSTILE} takes 9 days.", "context": HOSTILE}
    ]
    labels(shop, [*rows, LABELS[0]])

    done = calibrate(shop, "--probes")

    assert done.code == 0
    assert not any(bad in done.out for bad in BAD)
    assert not any(bad in calibrate(shop, "--format", "json").out for bad in BAD[:4])


def test_a_secret_reaches_neither_report_nor_record(shop: Workspace) -> None:
    labels(shop)
    judge(
        shop,
        "raise RuntimeError('bad key ' + os.environ['MY_API_KEY']) if '9' in task.answer else None",
        fingerprint="return {'judge': 'mine', 'key': os.environ['MY_API_KEY']}",
    )
    secret = "sk-hunter2-hunter2"

    done = shop.evalrag(
        "judge", "calibrate", "plan.yaml", "labels.jsonl", "--format", "json", MY_API_KEY=secret
    )

    assert done.code in (0, 3)
    assert secret not in done.out + done.err
    assert secret not in json.dumps(records(shop))
