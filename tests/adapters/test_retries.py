"""What is tried again, how often, and how long after."""

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evalrag.adapters.passages import ShapeError
from evalrag.adapters.retries import LONGEST_ASKED, Retries, asked_for, pause, status_of
from evalrag.adapters.threads import OutOfTime
from evalrag.errors import PluginError
from tests.adapters.plans import asked, build, retriever


def error(kind: type[Exception] = RuntimeError, **carried: Any) -> Exception:
    made = kind("no")
    for name, value in carried.items():
        setattr(made, name, value)
    return made


class Awkward(Exception):
    @property
    def status_code(self) -> int:
        raise RuntimeError("not read yet")

    response = status_code
    retry_after = status_code


@pytest.mark.parametrize(
    ("failure", "worth"),
    [
        pytest.param(error(ConnectionError), True, id="a connection"),
        pytest.param(OutOfTime(), True, id="no answer in time"),
        pytest.param(error(KeyError), True, id="any exception of the user's"),
        pytest.param(Awkward(), True, id="one whose attributes raise"),
        pytest.param(error(status_code=True), True, id="a status that is no number"),
        *(
            pytest.param(error(status_code=code), True, id=str(code))
            for code in (408, 425, 429, 500, 502, 503, 529)
        ),
        *(
            pytest.param(error(status_code=code), False, id=str(code))
            for code in (400, 401, 403, 404, 409, 413, 422, 451)
        ),
        pytest.param(error(status=404), False, id="a status of another name"),
        pytest.param(error(response=SimpleNamespace(status_code=401)), False, id="of the response"),
        pytest.param(ShapeError("returned 1"), False, id="a wrong shape"),
        pytest.param(SystemExit(1), False, id="a wish to leave"),
    ],
)
def test_what_is_worth_another_try(failure: BaseException, worth: bool) -> None:
    assert Retries(1).worth(failure) is worth


@pytest.mark.parametrize(
    ("failure", "worth"),
    [
        pytest.param(error(ConnectionResetError), True, id="a kind of what is named"),
        pytest.param(error(ValueError), False, id="another one"),
        pytest.param(error(status_code=503), True, id="a code"),
        pytest.param(error(status_code=500), False, id="another code"),
        pytest.param(error(status_code=409), True, id="a code that is final else"),
        pytest.param(error(ConnectionError, status_code=404), False, id="named, and to blame"),
        pytest.param(OutOfTime(), False, id="no answer in time"),
    ],
)
def test_what_is_named_alone_is_tried_again(failure: BaseException, worth: bool) -> None:
    retries = Retries(1, frozenset({"builtins.ConnectionError"}), frozenset({503, 409}))

    assert retries.worth(failure) is worth


def test_pauses_double_up_to_a_cap() -> None:
    assert [pause(n, error()) for n in (1, 2, 3, 4, 5, 6, 7, 20)] == [
        0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0,
    ]  # fmt: skip


class Headers:
    """As some clients have them: not a mapping, and strict about case."""

    def get(self, name: str) -> str | None:
        return "7" if name == "Retry-After" else None


@pytest.mark.parametrize(
    ("failure", "seconds"),
    [
        pytest.param(error(retry_after=3.5), 3.5, id="a number"),
        pytest.param(error(retry_after="4"), 4.0, id="in words"),
        pytest.param(error(response=SimpleNamespace(headers={"retry-after": "5"})), 5, id="header"),
        pytest.param(error(headers={"Retry-After": "6"}), 6, id="headers of the error"),
        pytest.param(error(response=SimpleNamespace(headers=Headers())), 7, id="no mapping"),
        pytest.param(error(retry_after=1e9), LONGEST_ASKED, id="too long"),
        pytest.param(error(retry_after=float("inf")), LONGEST_ASKED, id="for ever"),
        pytest.param(error(retry_after=-5), 0, id="in the past"),
        pytest.param(error(retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), 0, id="a past date"),
        pytest.param(error(retry_after=float("nan")), None, id="not a number"),
        pytest.param(error(retry_after="soon"), None, id="no date"),
        pytest.param(error(retry_after=object()), None, id="an object"),
        pytest.param(error(), None, id="nothing"),
        pytest.param(Awkward(), None, id="attributes that raise"),
    ],
)
def test_what_a_server_asks_for(failure: Exception, seconds: float | None) -> None:
    assert asked_for(failure) == seconds


def test_a_date_is_waited_for() -> None:
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)

    found = asked_for(error(response=SimpleNamespace(headers={"Retry-After": when})))

    assert found is not None
    assert 35 < found <= 40


def test_a_server_is_waited_for_longer_than_the_own_pause_and_never_shorter() -> None:
    assert pause(1, error(retry_after=3)) == 3
    assert pause(6, error(retry_after=3)) == 6.4


def test_an_http_status_is_a_number() -> None:
    from http import HTTPStatus

    assert status_of(error(status_code=HTTPStatus.BAD_GATEWAY)) == 502
    assert status_of(error(status="OK")) is None


CODE = """
    seen = []
    class Refused(Exception):
        status_code = 400
    class Busy(Exception):
        status_code = 503
    class Mine(Exception): pass
    KINDS = {"refused": Refused, "busy": Busy, "mine": Mine, "exit": SystemExit}
    def retrieve(question):
        seen.append(question)
        if seen.count(question) < 3: raise KINDS[question]("no")
        return [question]
"""


def said(folder: Path, **run: Any) -> list[str]:
    kinds = ["refused", "busy", "mine", "exit"]
    traces = asked(retriever(CODE, folder, run={"retries": 2, **run}), kinds)
    return [trace.get("error") or str(trace["candidates"][0].get("text")) for trace in traces]


def test_hooks_are_tried_again_but_for_what_is_final(tmp_path: Path) -> None:
    found = said(tmp_path)

    assert found == [
        "Refused: no (bot.py:11)",
        "busy",
        "mine",
        "SystemExit: no (bot.py:11)",
    ]


def test_a_plan_names_what_is_tried_again(tmp_path: Path) -> None:
    found = said(tmp_path, retry_on=["bot.Mine", 400])

    assert found == ["refused", "Busy: no (bot.py:11)", "mine", "SystemExit: no (bot.py:11)"]


@pytest.mark.parametrize(
    ("word", "read"),
    [
        pytest.param("ConectionError", "did you mean 'ConnectionError'?", id="a typo"),
        pytest.param("print", "'print' is no exception", id="no exception"),
        pytest.param("KeyboardInterrupt", "is no exception", id="what is no failure"),
        pytest.param("bot.Missing", "Missing", id="not there"),
        pytest.param("nowhere_at_all.Error", "nowhere_at_all", id="no such module"),
    ],
)
def test_a_name_of_no_exception_is_an_error(tmp_path: Path, word: str, read: str) -> None:
    with pytest.raises(PluginError, match=read.replace("?", r"\?")):
        retriever(CODE, tmp_path, run={"retries": 1, "retry_on": [word]})


def test_tries_are_counted_where_one_was_not_enough(tmp_path: Path) -> None:
    code = """
        seen = []
        def retrieve(question):
            seen.append(question)
            if question == "again" and seen.count(question) < 2: raise OSError
            return [question]
        def generate(question, passages):
            if question == "never": raise OSError
            return question
    """
    pipeline = {"retriever": {"use": "bot:retrieve"}, "generator": {"use": "bot:generate"}}

    once, again, never = asked(
        build(tmp_path, pipeline, code=code, run={"retries": 2}), ["once", "again", "never"]
    )

    assert "attempts" not in once
    assert again["attempts"] == {"retrieval": 2}
    assert never["attempts"] == {"generation": 3}
    assert never["error"].endswith("; tried 3 times")


def test_tries_of_a_pipeline_in_one_hook_are_counted(tmp_path: Path) -> None:
    code = """
        seen = []
        def answer(question):
            seen.append(question)
            if question == "never" or seen.count(question) < 2: raise OSError
            return {"candidates": [], "answer": ""}
    """
    plan = {"use": "bot:answer"}

    again, never = asked(build(tmp_path, plan, code=code, run={"retries": 1}), ["again", "never"])

    assert again["attempts"] == never["attempts"] == {"answer": 2}


def test_a_pause_is_kept_between_tries(tmp_path: Path) -> None:
    code = "def retrieve(question): raise OSError"
    began = time.perf_counter()

    asked(retriever(code, tmp_path, run={"retries": 2}))

    assert time.perf_counter() - began > 0.6
