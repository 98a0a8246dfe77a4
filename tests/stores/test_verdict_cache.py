"""Specification of the verdict cache: what it keeps, of whom, and that processes may share it."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evalrag.errors import CacheError
from evalrag.stores.cache_contents import JudgeEntries
from evalrag.stores.cache_file import _make, open_file
from evalrag.stores.secrecy import line_redactor
from evalrag.stores.verdict_cache import VerdictCache

Open = Callable[..., VerdictCache]
VALUE = '{"label":"SUPPORTED"}'
OTHER = '{"label":"ABSENT"}'


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens caches at one path, and closes them after the test."""
    with ExitStack() as stack:

        def cache(**settings: Any) -> VerdictCache:
            settings = {"path": tmp_path / "made" / "verdicts.sqlite"} | settings
            return stack.enter_context(closing(VerdictCache(**settings)))

        yield cache


def put(
    cache: VerdictCache, key: str, value: str = VALUE, judge: str = "j", **more: int | str | None
) -> None:
    known: dict[str, Any] = {"model": None, "tokens_in": None, "tokens_out": None}
    cache.put(key, value, judge=judge, **(known | more))


def sql(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def script(code: str, *arguments: object) -> "subprocess.Popen[str]":
    """Another process with a cache at its first argument."""
    head = (
        "import sys\nfrom pathlib import Path\n"
        "from evalrag.stores.verdict_cache import VerdictCache\n"
        "cache = VerdictCache(Path(sys.argv[1]))\n"
        "def put(key, value):\n"
        "    cache.put(key, value, judge='j', model=None, tokens_in=None, tokens_out=None)\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", head + code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def codes_of(processes: "Sequence[subprocess.Popen[str]]") -> list[int]:
    """Let processes that say "ready" and wait for a line go at once; how they ended."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
    return [process.returncode for process in processes]


def test_what_is_put_is_had_by_the_next_process(opened: Open) -> None:
    first = opened()
    assert first.get("a") is None
    put(first, "a")
    put(first, "b", OTHER)
    first.close()

    second = opened()

    assert (second.get("a"), second.get("b"), second.get("c")) == (VALUE, OTHER, None)
    assert (first.hits, first.misses) == (0, 1)
    assert (second.hits, second.misses) == (2, 1)
    assert first.problem is second.problem is None


def test_the_last_verdict_stands(opened: Open) -> None:
    cache = opened()
    put(cache, "a")
    put(cache, "a", OTHER)

    assert cache.get("a") == OTHER
    assert cache.stats().entries == 1


@settings(deadline=None)  # the disk is slow at times
@given(st.dictionaries(st.text(st.characters(codec="utf-8"), min_size=1), st.text(), max_size=5))
@example({"a": "\x00", "b": "", "c": "\u2028 ß 🂡"})
def test_any_text_comes_back_as_it_was(entries: dict[str, str]) -> None:
    texts = {key: json.dumps(value) for key, value in entries.items()}
    with (
        TemporaryDirectory() as folder,
        closing(VerdictCache(Path(folder) / "v.sqlite")) as cache,
    ):
        for key, text in texts.items():
            put(cache, key, text)

        assert {key: cache.get(key) for key in texts} == texts


def test_nothing_is_opened_before_the_first_call(opened: Open, tmp_path: Path) -> None:
    cache = opened()
    assert cache.problem is None
    assert cache.stats().entries == 0
    assert cache.clear() == 0
    cache.close()

    assert list(tmp_path.iterdir()) == []


def test_without_reading_nothing_is_looked_up_and_all_is_written(
    opened: Open, tmp_path: Path
) -> None:
    put(opened(), "a")
    fresh = opened(read=False)

    assert fresh.get("a") is None
    assert fresh._access._db is None, "it was opened"
    put(fresh, "a", OTHER)
    assert fresh.get("a") is None
    assert (fresh.hits, fresh.misses) == (0, 0)

    assert opened().get("a") == OTHER


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param('SET value = CAST(\'{"label":"ABSENT"}\' AS BLOB)', id="another value"),
        pytest.param("SET value = substr(value, 1, 9)", id="half a value"),
        pytest.param("SET value = CAST(value AS TEXT)", id="a text"),
        pytest.param("SET value = x'ff'", id="no text"),
        pytest.param("SET value = 5", id="a number"),
        pytest.param("SET checksum = x'00'", id="another checksum"),
        pytest.param("SET key = 'a'", id="a verdict on something else"),
    ],
)
def test_an_entry_that_was_changed_is_a_miss_and_can_be_put_again(
    opened: Open, damage: str
) -> None:
    first = opened()
    put(first, "b")
    first.close()
    sql(first.path, f"UPDATE verdicts {damage}")
    key = "a" if "key" in damage else "b"

    cache = opened()
    assert cache.get(key) is None
    assert (cache.misses, cache.problem) == (1, None)
    put(cache, key, OTHER)

    assert cache.get(key) == OTHER


def test_a_verdict_with_a_secret_in_it_is_not_kept(opened: Open) -> None:
    cache = opened(redact=line_redactor(["hunter2-hunter2"]))
    put(cache, "a", '{"reason":"the key hunter2-hunter2 is named"}')
    put(cache, "b", model="hunter2-hunter2")

    assert (cache.get("a"), cache.get("b")) == (None, VALUE)
    assert cache.stats().judges[0].models == ()
    assert cache.problem is not None
    assert cache.problem.endswith(
        "does not hold every verdict: 1 not kept since a secret stands in them"
    )
    cache.close()
    assert b"hunter2" not in cache.path.read_bytes()


def test_a_verdict_of_no_sensible_size_is_not_kept(opened: Open) -> None:
    cache = opened()
    put(cache, "a", f'"{"x" * 16_000_000}"')

    assert cache.get("a") is None
    assert cache.problem is not None
    assert "1 not kept" in cache.problem


def test_what_a_server_says_of_itself_is_hostile(opened: Open) -> None:
    cache = opened()
    put(cache, "a", model="gpt\ud800\x1b[31m\n" + "x" * 999, tokens_in=10**40, tokens_out=-1)

    (judge,) = cache.stats().judges
    assert judge.models[0].startswith("gpt")
    assert judge.models[0].isprintable()
    assert len(judge.models[0]) <= 200
    assert (judge.tokens_in, judge.tokens_out) == (None, None)


def test_stats_say_what_is_kept_of_whom(opened: Open) -> None:
    cache = opened(day=date(2026, 3, 1))
    put(cache, "a", judge="j1", model="m1,x", tokens_in=10, tokens_out=1)
    put(cache, "b", judge="j1", model="m2", tokens_in=5)
    put(opened(day=date(2026, 3, 5)), "c", judge="j1")
    put(cache, "d", judge="j2")
    cache.get("a")
    cache.get("z")

    stats = cache.stats()

    assert (stats.entries, stats.hits, stats.misses, stats.problem) == (4, 1, 1, None)
    assert stats.bytes >= cache.path.stat().st_size > 0
    assert stats.judges == (
        JudgeEntries("j1", 3, ("m1,x", "m2"), 15, 1, "2026-03-01", "2026-03-05"),
        JudgeEntries("j2", 1, (), None, None, "2026-03-01", "2026-03-01"),
    )


def test_stats_of_a_table_that_was_changed_by_hand(opened: Open) -> None:
    cache = opened()
    put(cache, "a", model="m", tokens_in=5)
    sql(cache.path, "UPDATE verdicts SET judge = x'ff', model = x'00', tokens_in = 'many', day = 5")

    (judge,) = cache.stats().judges

    assert (judge.judge, judge.models, judge.tokens_in) == (r"b'\xff'", (r"b'\x00'",), 0)
    assert cache.problem is None


@pytest.mark.parametrize(
    ("judge", "older_than", "left"),
    [
        pytest.param(None, None, "", id="all"),
        pytest.param("j1", None, "cd", id="a judge's"),
        pytest.param(None, date(2026, 3, 5), "bd", id="those from before a day"),
        pytest.param("j1", date(2026, 3, 5), "bcd", id="both"),
        pytest.param("other", None, "abcd", id="of nobody"),
    ],
)
def test_clear_takes_away_what_it_is_asked_to(
    opened: Open, judge: str | None, older_than: date | None, left: str
) -> None:
    old, new = opened(day=date(2026, 3, 4)), opened(day=date(2026, 3, 5))
    put(old, "a", judge="j1")
    put(new, "b", judge="j1")
    put(old, "c", judge="j2")
    put(new, "d", judge="j2")

    assert old.clear(judge, older_than) == 4 - len(left)

    assert "".join(key for key in "abcd" if new.get(key)) == left
    assert old.aside is None


def test_clear_gives_the_room_back(opened: Open) -> None:
    cache = opened()
    for number in range(50):
        put(cache, str(number), json.dumps("x" * 10_000))
    before = cache.stats().bytes

    assert cache.clear() == 50

    assert cache.stats().bytes < before / 5
    put(cache, "a")
    assert opened().get("a") == VALUE


def test_threads_take_turns(opened: Open) -> None:
    cache = opened()

    def work(name: int) -> None:
        for number in range(50):
            put(cache, f"{name}-{number}", json.dumps([name, number]))
            cache.get(f"{(name + 1) % 4}-{number}")

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert cache.problem is None
    assert cache.hits + cache.misses == 200
    for name in range(4):
        for number in range(50):
            assert cache.get(f"{name}-{number}") == json.dumps([name, number])


def test_two_processes_write_and_read_at_once(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "made" / "verdicts.sqlite"
    code = """
import json, time
me, other = sys.argv[2:]
print("ready", flush=True)
sys.stdin.readline()
for number in range(300):
    put(f"{me}{number}", json.dumps([me, number]))
    put(f"both{number}", json.dumps(["both", number]))
deadline = time.monotonic() + 30
for number in range(300):
    while (found := cache.get(f"{other}{number}")) is None:
        assert time.monotonic() < deadline, f"{other}{number} never came"
        time.sleep(0.001)
    assert found == json.dumps([other, number]), found
cache.close()
assert cache.problem is None, cache.problem
"""
    both = [script(code, path, "a", "b"), script(code, path, "b", "a")]
    assert codes_of(both) == [0, 0]
    cache = opened()
    for name in ("a", "b", "both"):
        for number in range(300):
            assert cache.get(f"{name}{number}") == json.dumps([name, number])


def test_a_file_that_another_process_fills_while_it_is_opened_is_a_cache(tmp_path: Path) -> None:
    """Seen empty, and whole a moment later: it was taken for a file of somebody else's."""
    path = tmp_path / "verdicts.sqlite"
    late = sqlite3.connect(path, isolation_level=None)
    open_file(path, wait=1.0).close()

    _make(late, 1.0)

    late.close()
    open_file(path, wait=1.0).close()


def test_many_processes_may_make_the_file_at_once(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "made" / "verdicts.sqlite"
    code = (
        "print('ready', flush=True)\nsys.stdin.readline()\nput(sys.argv[2], '1')\n"
        "cache.close()\nassert cache.problem is None, cache.problem"
    )
    all_of_them = [script(code, path, name) for name in range(4)]
    assert codes_of(all_of_them) == [0] * 4
    assert opened().stats().entries == 4


def test_a_killed_process_loses_nothing_that_it_put(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "made" / "verdicts.sqlite"
    code = (
        "for number in range(10_000):\n"
        "    put(str(number), str(number))\n    print(number, flush=True)"
    )
    with script(code, path) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(100)]
        process.kill()
        said += process.stdout.readlines()
    assert process.returncode == -signal.SIGKILL

    cache = opened()
    for line in said:
        if line.endswith("\n"):
            assert cache.get(line.strip()) == line.strip()
    assert cache.problem is None


def test_clear_may_come_while_another_process_writes(opened: Open) -> None:
    writer, cleaner = opened(), opened()
    put(writer, "a")
    assert cleaner.clear() == 1

    assert writer.get("a") is None
    put(writer, "b")

    assert cleaner.get("b") == VALUE
    assert writer.problem is cleaner.problem is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_opens_the_file_for_itself(opened: Open) -> None:
    cache = opened()
    put(cache, "a")
    cache.get("a")
    before = cache._access._db

    child = os.fork()
    if child == 0:  # nothing of pytest may run here
        code = 1
        try:
            had = cache.get("a") == VALUE and (cache.hits, cache.misses) == (1, 0)
            put(cache, "b", OTHER)
            own = cache._access._db is not before
            cache.close()
            code = 0 if had and own and cache.problem is None else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
    assert cache._access._db is before
    put(cache, "c")
    assert [cache.get(key) for key in "abc"] == [VALUE, OTHER, VALUE]
    assert cache.problem is None


def test_clear_of_some_says_when_it_cannot(opened: Open) -> None:
    cache = opened()
    cache.path.parent.mkdir()
    cache.path.write_bytes(b"not a database" * 100)

    with pytest.raises(CacheError, match="cannot be cleared: it is damaged") as caught:
        cache.clear("j")

    assert caught.value.hint == f"evalrag cache clear --cache {cache.path}"
    assert cache.path.read_bytes() == b"not a database" * 100
