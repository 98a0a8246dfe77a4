"""A law: whatever is wrong with the cache's file, a run goes on, is told, and harms no file."""

import os
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evalrag.errors import CacheError
from evalrag.stores import cache_access, verdict_cache
from evalrag.stores.cache_file import FORMAT
from evalrag.stores.verdict_cache import VerdictCache

SAVED = {f"key {number}": f'{{"label":"{"x" * number * 50}"}}' for number in range(20)}


def put(cache: VerdictCache, key: str, value: str) -> None:
    cache.put(key, value, judge="j", model="m", tokens_in=1, tokens_out=None)


def filled(path: Path) -> Path:
    with closing(VerdictCache(path)) as cache:
        for key, value in SAVED.items():
            put(cache, key, value)
        assert cache.problem is None
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good cache."""
    return filled(tmp_path_factory.mktemp("whole") / "v.sqlite")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "v.sqlite"


@contextmanager
def holding(path: Path, *statements: str) -> Iterator[None]:
    """Another process that has done `statements` and stays."""
    code = (
        "import sqlite3, sys\ndb = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "for statement in sys.argv[2:]: db.execute(statement).fetchall()\n"
        "print('held', flush=True)\nsys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, path, *statements],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield


WRITING = ("BEGIN IMMEDIATE",)
ALONE = ("PRAGMA locking_mode = EXCLUSIVE", "BEGIN IMMEDIATE", "DELETE FROM verdicts WHERE key=''")


def test_while_it_is_locked_nobody_waits_long_and_nothing_is_lost(path: Path) -> None:
    filled(path)
    with closing(VerdictCache(path)) as cache:
        with holding(path, *WRITING):
            for number in range(100):
                put(cache, f"new {number}", str(number))
            assert cache.get("key 3") == SAVED["key 3"]
            assert cache.get("new 5") == "5"
            assert cache.problem == (
                f"the verdict cache could not be used all the time ({path}: another process holds "
                "it): verdicts 100 not kept; next: try again when that process has ended"
            )
        cache.close()
        assert cache.problem is None

    with closing(VerdictCache(path)) as cache:
        assert [cache.get(f"new {number}") for number in range(100)] == [*map(str, range(100))]


@pytest.mark.parametrize("call", ["put", "get"])
def test_what_is_held_is_written_by_a_call_after_the_rest(
    path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    monkeypatch.setattr(cache_access, "REST", 0.01)
    filled(path)
    with closing(VerdictCache(path)) as cache:
        with holding(path, *WRITING):
            put(cache, "a", "1")
        time.sleep(0.02)
        if call == "put":
            put(cache, "b", "2")
        else:
            cache.get("b")
        assert cache.problem is None
        with closing(VerdictCache(path)) as other:
            assert other.get("a") == "1"


def test_what_cannot_be_written_until_the_end_is_counted(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdict_cache, "HELD", 3)
    filled(path)
    with closing(VerdictCache(path)) as cache, holding(path, *WRITING):
        for number in range(5):
            put(cache, f"new {number}", str(number))
        assert [cache.get(f"new {number}") for number in range(5)] == [None, None, "2", "3", "4"]
        cache.close()

        assert cache.problem is not None
        assert "verdicts 5 not kept;" in cache.problem


def test_a_file_that_one_process_has_to_itself_is_done_without(path: Path) -> None:
    filled(path)
    with holding(path, *ALONE), closing(VerdictCache(path)) as cache:
        assert [cache.get(key) for key in SAVED] == [None] * 20
        put(cache, "a", "1")
        assert cache.problem is not None
        assert "another process holds it): verdicts 20 not looked up, 1 not kept" in cache.problem
        assert cache.misses == 20
        assert cache.stats().entries is None
        with pytest.raises(CacheError, match="cannot be cleared: another process holds it"):
            cache.clear()

    with closing(VerdictCache(path)) as cache:
        assert cache.get("key 3") == SAVED["key 3"]


def test_a_file_that_cannot_grow_is_still_read(path: Path) -> None:
    """SQLite says the same of a full disk."""
    filled(path)
    with closing(VerdictCache(path)) as cache:
        db = cache._access.opened()
        (pages,) = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count = {pages}")
        put(cache, "large", f'"{"x" * 100_000}"')
        assert cache.problem is not None
        assert "the disk is full): verdicts 1 not kept; next: make room" in cache.problem
        assert {key: cache.get(key) for key in SAVED} == SAVED

        db.execute("PRAGMA max_page_count = 1000000")
        cache.close()
        assert cache.problem is None
        assert cache.get("large") == f'"{"x" * 100_000}"'


FULL = """
import sys
from pathlib import Path
from evalrag.stores.verdict_cache import VerdictCache
cache = VerdictCache(Path(sys.argv[1]))
for number in range(100):
    cache.put(f"new {number}", "x" * 5000, judge="j", model=None, tokens_in=None, tokens_out=None)
assert cache.get("new 50") in (None, "x" * 5000)
cache.close()
print(cache.problem)
"""


@pytest.mark.parametrize("room", [0, 1, 100, 5_000, 40_000, 150_000])
@pytest.mark.parametrize("there", [True, False])
def test_a_disk_that_is_full_stops_nothing(path: Path, room: int, there: bool) -> None:
    if there:
        filled(path)
    done = subprocess.run(
        [sys.executable, "-c", FULL, path],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "the verdict cache c" in done.stdout
    with closing(VerdictCache(path)) as cache:
        if there:
            assert {key: cache.get(key) for key in SAVED} == SAVED
        put(cache, "a", "1")
        assert cache.get("a") == "1"
        assert cache.problem is None


def test_clear_makes_room_where_nothing_can_be_written(path: Path) -> None:
    filled(path)
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from evalrag.stores.verdict_cache import VerdictCache\n"
        "import resource\ncache = VerdictCache(Path(sys.argv[1]))\ncache.get('a')\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "print(cache.clear())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=False
    )

    assert (done.stdout, done.stderr) == ("20\n", "")
    assert list(path.parent.iterdir()) == []


def used(path: Path) -> VerdictCache:
    """A cache that was asked, given something, counted and closed: nothing of it raises."""
    with closing(VerdictCache(path)) as cache:
        for key, value in SAVED.items():
            assert cache.get(key) in (None, value)
        put(cache, "new", "1")
        assert cache.get("new") in (None, "1")
        cache.stats()
    return cache


def mended(cache: VerdictCache) -> bool:
    with closing(cache):
        put(cache, "a", "1")
        return cache.get("a") == "1" and cache.problem is None


@settings(deadline=None)  # the disk is slow at times
@given(st.binary(min_size=1, max_size=5000))
@example(b"\0")
@example(b"SQLite format 3\0")
@example(b"SQLite format 3\0" + b"\0" * 84)
@example(b"\0" * 4096)
def test_any_bytes_are_reported_and_left_alone_until_clear(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "v.sqlite"
        path.write_bytes(data)

        cache = used(path)

        assert path.read_bytes() == data
        assert cache.hits == 0
        assert cache.problem is not None
        assert cache.problem.startswith(f"the verdict cache cannot be used ({path}: it ")
        assert f"every verdict is asked again; next: evalrag cache clear --cache {path}" in (
            cache.problem
        )
        assert cache.stats().entries is None

        assert cache.clear() == 0
        assert cache.aside == Path(f"{path}.set-aside")
        assert cache.aside.read_bytes() == data
        assert mended(cache)


@example([(8191, 0)])
@example([(126698, 128)])
@settings(deadline=None)  # the disk is slow at times
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=8))
def test_a_damaged_cache_gives_what_was_put_or_nothing(
    whole: Path, damage: list[tuple[int, int]]
) -> None:
    damaged = bytearray(whole.read_bytes())
    for place, byte in damage:
        damaged[place % len(damaged)] = byte
    with TemporaryDirectory() as folder:
        path = Path(folder) / "v.sqlite"
        path.write_bytes(damaged)

        cache = used(path)

        assert cache.clear() >= 0
        assert mended(cache)


@settings(deadline=None)  # the disk is slow at times
@given(st.integers(0, 10**6))
def test_a_torn_cache_gives_what_was_put_or_nothing(whole: Path, place: int) -> None:
    data = whole.read_bytes()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "v.sqlite"
        path.write_bytes(data[: place % len(data)])

        used(path)


@settings(deadline=None)  # the disk is slow at times
@given(st.binary(max_size=3000), st.sampled_from(["-wal", "-shm", "-journal"]))
def test_any_bytes_beside_it_give_what_was_put_or_nothing(
    whole: Path, data: bytes, beside: str
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "v.sqlite"
        path.write_bytes(whole.read_bytes())
        Path(f"{path}{beside}").write_bytes(data)

        used(path)


def test_an_empty_file_becomes_a_cache(path: Path) -> None:
    path.touch()

    assert used(path).problem is None


def changed(*statements: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        filled(path)
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            for statement in statements:
                db.execute(statement)

    return change


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE theirs (a)")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        pytest.param(
            changed(f"PRAGMA user_version = {FORMAT + 1}"), "it has format 2", id="a newer format"
        ),
        pytest.param(changed("PRAGMA user_version = 0"), "it has format 0", id="an older one"),
        pytest.param(
            changed("PRAGMA application_id = 0"), "it is no verdict cache", id="another program's"
        ),
        pytest.param(foreign, "it is no verdict cache", id="another database"),
        pytest.param(changed("DROP TABLE verdicts"), "it is no verdict cache", id="no table"),
        pytest.param(
            changed("CREATE TRIGGER t AFTER INSERT ON verdicts BEGIN DELETE FROM verdicts; END"),
            "it is damaged",
            id="with a trigger",
        ),
        pytest.param(
            changed("ALTER TABLE verdicts RENAME COLUMN day TO date"),
            "it is damaged",
            id="another column",
        ),
    ],
)
def test_what_is_not_recognised_is_set_aside_by_clear_alone(
    path: Path, make: Callable[[Path], None], why: str
) -> None:
    make(path)
    was = path.read_bytes()

    cache = used(path)

    assert path.read_bytes() == was
    assert cache.problem is not None
    assert why in cache.problem
    with pytest.raises(CacheError):
        cache.clear("j")
    assert cache.clear() == 0
    assert cache.aside is not None
    assert cache.aside.read_bytes() == was
    assert used(path).problem is None


def test_nothing_that_was_set_aside_is_written_over(path: Path) -> None:
    for number in range(3):
        path.write_bytes(b"%d is not a database" % number)
        with closing(VerdictCache(path)) as cache:
            cache.clear()

    names = sorted(entry.name for entry in path.parent.iterdir())
    assert names == ["v.sqlite.set-aside", "v.sqlite.set-aside-2", "v.sqlite.set-aside-3"]


def test_clear_does_not_move_what_is_not_called_a_cache(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_text('{"id":"a"}\n' * 100)

    with closing(VerdictCache(path)) as cache, pytest.raises(CacheError, match="does not end in"):
        cache.clear()

    assert path.read_text() == '{"id":"a"}\n' * 100


@pytest.mark.parametrize(
    ("make", "why"),
    [
        pytest.param(lambda path: path.mkdir(), "it is no file", id="a folder"),
        pytest.param(lambda path: os.mkfifo(path), "it is no file", id="a pipe"),
        pytest.param(lambda path: path.symlink_to("nowhere"), "it is no file", id="a lost link"),
        pytest.param(
            lambda path: Path(f"{filled(path)}-wal").mkdir(),
            "it cannot be opened",
            id="a folder beside it",
        ),
    ],
)
def test_what_stands_in_the_way_is_reported_and_left(
    path: Path, make: Callable[[Path], None], why: str
) -> None:
    make(path)
    before = sorted(entry.name for entry in path.parent.iterdir())

    cache = used(path)

    assert cache.problem is not None
    assert f"({path}: {why}): every verdict is asked again" in cache.problem
    with pytest.raises(CacheError, match=why):
        cache.clear()
    assert sorted(entry.name for entry in path.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "why"),
    [
        pytest.param("file/v.sqlite", "the system says: File exists", id="a file as its folder"),
        pytest.param("file/a/v.sqlite", "the system says: Not a directory", id="a file above it"),
        pytest.param("a\0b.sqlite", "no file can have this name", id="no name"),
        pytest.param("/proc/none/v.sqlite", "the system says: ", id="no folder can be made"),
    ],
)
def test_a_place_that_cannot_be(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "file").touch()

    cache = used(tmp_path / name)

    assert cache.problem is not None
    assert f": {why}" in cache.problem
    assert "every verdict is asked again" in cache.problem
