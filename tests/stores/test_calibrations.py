"""Records of calibrations: by fingerprint, in order, and read for ever."""

from pathlib import Path
from typing import Any

import pytest

from evalrag.errors import RunError
from evalrag.judging.agreement import Pair, measure
from evalrag.judging.calibration import ANSWER_LABELS
from evalrag.schema.calibration import Calibration, LabelsPrint
from evalrag.stores.calibrations import Calibrations
from evalrag.stores.secrecy import line_redactor

ONE, OTHER = "0123456789abcdef", "fedcba9876543210"

FORMAT_1 = (
    '{"format":1,"number":1,"day":"2026-11-30","version":"0.1.0","judge":"rules/1",'
    '"fingerprint":"0123456789abcdef","details":{"rules":"1"},"labels":{"file":"labels.jsonl",'
    '"digest":"d","n":1},"failed":0,"figures":{"n":1,"decided":1,"accepted":0,"agreement":'
    '{"value":1.0,"n":1,"hits":1,"low":0.2,"high":1.0},"agreement_decided":{"value":1.0,"n":1},'
    '"unresolved":{"value":0.0,"n":1},"kappa":{"n":1,"reason":"one label"},"ac1":{"n":1,"reason":'
    '"one label"},"recall":{"ABSENT":{"value":1.0,"n":1}},"precision":{"ABSENT":{"value":1.0,'
    '"n":1}},"confusion":{"ABSENT":{"ABSENT":1,"UNRESOLVED":0}}},"probes":{"answer padded":'
    '{"moved":{"value":0.0,"n":1},"failed":0,"rows":[]}},"judged":{"a":"ABSENT"}}\n'
)
"""A record as the first format has it: it is read by every later evalrag."""


def record(fingerprint: str = ONE, day: str = "2026-11-30", **fields: Any) -> Calibration:
    pairs = fields.pop("pairs", [Pair("ABSENT", "ABSENT"), Pair("SUPPORTED", "UNRESOLVED")])
    plain: dict[str, Any] = {
        "day": day,
        "version": "0.1.0",
        "judge": "rules/1",
        "fingerprint": fingerprint,
        "details": {"rules": "1"},
        "labels": LabelsPrint(file="labels.jsonl", digest="d", n=len(pairs)),
        "figures": measure(pairs, ANSWER_LABELS),
        "judged": {f"r{n}": pair.judge for n, pair in enumerate(pairs)},
    }
    return Calibration(**plain | fields)


def test_a_folder_that_is_not_there_holds_no_record(tmp_path: Path) -> None:
    kept = Calibrations(tmp_path / "calibrations")

    assert kept.all() == ()
    assert kept.latest(ONE) is None
    assert kept.last_on("d") is None
    assert not kept.folder.exists()


def test_what_is_kept_comes_back_as_it_was(tmp_path: Path) -> None:
    kept = Calibrations(tmp_path / "a" / "calibrations")

    path = kept.keep(record())

    assert path == kept.folder / f"{ONE}.jsonl"
    assert kept.all() == (record(number=1),)


def test_the_last_record_on_some_labels_is_of_whichever_judge(tmp_path: Path) -> None:
    kept = Calibrations(tmp_path)
    other = LabelsPrint(file="other.jsonl", digest="e", n=2)
    kept.keep(record(OTHER, version="0.0.1"))
    kept.keep(record(ONE))
    kept.keep(record(OTHER))
    kept.keep(record(ONE, labels=other))

    assert [(one.number, one.fingerprint) for one in kept.all()] == [
        (1, OTHER),
        (2, ONE),
        (3, OTHER),
        (4, ONE),
    ]
    assert kept.last_on("d") == record(OTHER, number=3)
    assert kept.latest(ONE) == record(ONE, labels=other, number=4)
    assert len((tmp_path / f"{OTHER}.jsonl").read_bytes().splitlines()) == 2


def test_a_later_day_is_newer_than_a_higher_number(tmp_path: Path) -> None:
    """Two branches number their records by themselves; git merges both lines."""
    kept = Calibrations(tmp_path)
    kept.keep(record(day="2026-12-02"))
    kept.keep(record(day="2026-12-01"))

    assert kept.last_on("d") == record(day="2026-12-02", number=1)


def test_the_same_record_is_not_kept_twice_a_day(tmp_path: Path) -> None:
    kept = Calibrations(tmp_path)
    kept.keep(record())
    kept.keep(record())

    assert len(kept.all()) == 1

    kept.keep(record(day="2026-12-01"))
    kept.keep(record(day="2026-12-01", pairs=[Pair("ABSENT", "ABSENT")]))

    assert [one.number for one in kept.all()] == [1, 2, 3]


def test_secrets_stay_out(tmp_path: Path) -> None:
    kept = Calibrations(tmp_path)
    redact = line_redactor(["hunter2-hunter2"])
    for _ in range(2):
        path = kept.keep(record(details={"key": "hunter2-hunter2"}), redact)

    assert b"hunter2" not in path.read_bytes()
    assert [one.details for one in kept.all()] == [{"key": "[redacted]"}]


def test_a_line_without_its_end_is_completed_and_not_run_into(tmp_path: Path) -> None:
    path = tmp_path / f"{ONE}.jsonl"
    path.write_text(FORMAT_1.rstrip("\n"))

    Calibrations(tmp_path).keep(record())

    assert [one.number for one in Calibrations(tmp_path).all()] == [1, 2]


def test_the_first_format_is_read(tmp_path: Path) -> None:
    (tmp_path / f"{ONE}.jsonl").write_text(FORMAT_1)

    found = Calibrations(tmp_path).latest(ONE)

    assert found is not None
    assert (found.day, found.labels.digest, found.judged) == ("2026-11-30", "d", {"a": "ABSENT"})
    assert found.figures.kappa.reason == "one label"


def test_other_files_in_the_folder_are_none_of_ours(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("notes")
    (tmp_path / "labels.jsonl").write_text("{}")

    assert Calibrations(tmp_path).all() == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("<<<<<<< HEAD\n" + FORMAT_1, "not what evalrag wrote", id="a merge"),
        pytest.param(FORMAT_1.replace("0123", "3210", 1), "of another judge", id="another's"),
        pytest.param(FORMAT_1.replace("2026-11-30", "soon"), "day", id="no day"),
        pytest.param(FORMAT_1.replace('"n":1', '"n":"x"', 1), "labels.n", id="no number"),
        pytest.param(FORMAT_1.replace('"format":1', '"format":0'), "no format", id="no format"),
        pytest.param(FORMAT_1.replace('"format":1', '"format":2'), "upgrade", id="newer"),
    ],
)
def test_a_file_that_is_not_as_it_was_written_is_refused(
    tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / f"{ONE}.jsonl").write_text(text)

    with pytest.raises(RunError) as caught:
        Calibrations(tmp_path).all()

    assert said in str(caught.value)
    assert f"{ONE}.jsonl" in str(caught.value)
    assert "evalrag run" not in caught.value.hint


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "calibrations").write_text("a file")

    with pytest.raises(RunError, match="cannot be kept"):
        Calibrations(tmp_path / "calibrations").keep(record())
