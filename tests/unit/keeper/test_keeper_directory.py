"""Whose directory it is, and that nobody else works in it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tiptoe.errors import CrawlInUse, SettingsError
from tiptoe.ingest.output_directory import OutputDirectory
from tiptoe.keeper.directory import SOCKET_PATH_MAX, CrawlDirectory, find_keeper
from tiptoe.observe.crawl_marker import MARKER

SEED = "http://a.example/"


def claimed(path: Path, seeds: list[str]) -> list[str]:
    """Return what is to be queued, and let others in."""
    directory = CrawlDirectory(path)
    try:
        return directory.claim(seeds)
    finally:
        directory.release()


def make_database(path: Path) -> None:
    """Leave what a crawl leaves that has begun."""
    (path / "state" / "frontier").mkdir(parents=True)
    (path / "state" / "frontier" / "CURRENT").touch()


def test_a_crawl_is_begun_and_gone_on_with(tmp_path: Path) -> None:
    """The same command continues the crawl (HAR-4)."""
    first = CrawlDirectory(tmp_path / "out")
    assert first.claim([SEED]) == [SEED]
    make_database(tmp_path / "out")
    first.note_seeded()
    first.release()
    again = CrawlDirectory(tmp_path / "out")
    assert again.claim([SEED]) == []
    again.release()
    without_seeds = CrawlDirectory(tmp_path / "out")
    assert without_seeds.claim([]) == []
    without_seeds.release()


def test_another_crawl_is_not_mixed_in(tmp_path: Path) -> None:
    """A slip of the hand must not spoil a corpus."""
    first = CrawlDirectory(tmp_path)
    first.claim([SEED])
    first.release()
    with pytest.raises(SettingsError, match=r"holds another crawl \(its first seed is http://a\.example/\)"):
        CrawlDirectory(tmp_path).claim(["http://b.example/"])


def test_seeds_can_be_added_when_it_is_meant(tmp_path: Path) -> None:
    """And they belong to the crawl from then on."""
    first = CrawlDirectory(tmp_path)
    first.claim([SEED])
    make_database(tmp_path)
    first.note_seeded()
    first.release()
    wider = CrawlDirectory(tmp_path)
    assert wider.claim([SEED, "http://b.example/"], adds_seeds=True) == ["http://b.example/"]
    wider.note_seeded()
    wider.release()
    later = CrawlDirectory(tmp_path)
    assert later.claim(["http://b.example/"]) == []
    later.release()


@pytest.mark.parametrize("seeds", [[], [SEED, "http://b.example/"]])
def test_seeds_of_a_run_that_died_before_it_had_queued_them_are_not_lost(
    tmp_path: Path, seeds: list[str]
) -> None:
    """Killed, or on a full disk: the same command goes on with all of them."""
    died = CrawlDirectory(tmp_path)
    died.claim([SEED, "http://b.example/"])
    died.release()
    again = CrawlDirectory(tmp_path)
    assert again.claim(seeds) == [SEED, "http://b.example/"]
    make_database(tmp_path)
    again.note_seeded()
    again.release()
    assert claimed(tmp_path, seeds) == []


@pytest.mark.parametrize("seeds", [[], [SEED]])
@pytest.mark.parametrize("is_seeded", [True, False])
def test_a_crawl_whose_state_is_gone_does_not_go_on(
    tmp_path: Path, seeds: list[str], is_seeded: bool
) -> None:
    """It would ask nobody, or everybody again, the blocked included; nothing of it is touched."""
    (tmp_path / MARKER).write_text(json.dumps({"seeds": [SEED], "is_seeded": is_seeded}))
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "requests-h1-0001.jsonl").touch()
    with pytest.raises(SettingsError, match=r"the state of this crawl is missing.* another --out"):
        CrawlDirectory(tmp_path).claim(seeds)
    assert sorted(path.name for path in tmp_path.iterdir()) == [MARKER, "log"]


def test_a_directory_that_was_only_locked_is_still_ours(tmp_path: Path) -> None:
    """The disk was full before it could be said whose it is."""
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "lock").touch()
    assert claimed(tmp_path, [SEED]) == [SEED]


def test_a_directory_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    """Nobody wants a crawl in the home directory."""
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(SettingsError, match="not empty and not a crawl of ours"):
        CrawlDirectory(tmp_path).claim([SEED])
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_nothing_to_go_on_with_is_said(tmp_path: Path) -> None:
    """The message names what is missing."""
    with pytest.raises(SettingsError, match="name at least one seed"):
        CrawlDirectory(tmp_path / "new").claim([])


@pytest.mark.parametrize("adds_seeds", [True, False])
@pytest.mark.parametrize("seeds", [[], [SEED]])
def test_what_was_read_from_elsewhere_is_not_taken_for_a_crawl(
    tmp_path: Path, seeds: list[str], adds_seeds: bool
) -> None:
    """It has no state that could be put back, and no seed that somebody typed."""
    OutputDirectory(tmp_path).note([tmp_path / "pages"])
    with pytest.raises(SettingsError, match=r"`tiptoe read` made it.*, a crawl needs another --out"):
        CrawlDirectory(tmp_path).claim(seeds, adds_seeds=adds_seeds)
    with pytest.raises(SettingsError, match=r"`tiptoe read --out .*` continues it"):
        CrawlDirectory(tmp_path).expect_begun()
    assert [path.name for path in tmp_path.iterdir()] == [MARKER]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"began": 1}', "null"])
def test_a_spoilt_marker_is_an_error_with_its_path(tmp_path: Path, content: str) -> None:
    """Better to stop than to begin a new crawl over an old one."""
    (tmp_path / MARKER).write_text(content)
    with pytest.raises(SettingsError, match=MARKER):
        CrawlDirectory(tmp_path).claim([SEED])


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A file stands where the directory should be."""
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError):
        CrawlDirectory(tmp_path / "file" / "out").claim([SEED])


def test_one_keeper_at_a_time(tmp_path: Path) -> None:
    """Two would ask everything twice."""
    first = CrawlDirectory(tmp_path)
    first.claim([SEED])
    assert find_keeper(tmp_path) == os.getpid()
    with pytest.raises(CrawlInUse) as caught:
        CrawlDirectory(tmp_path).claim([SEED])
    assert caught.value.pid == os.getpid()
    first.release()
    assert find_keeper(tmp_path) is None


HOLD = """
import sys
from pathlib import Path
from tiptoe.ingest.output_directory import OutputDirectory
from tiptoe.keeper.directory import CrawlDirectory
directory = CrawlDirectory(Path(sys.argv[1]))
directory.claim(["http://a.example/"])
print("held", flush=True)
sys.stdin.read()
"""


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    """After kill -9 the same command must simply go on."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(CrawlInUse) as refused:
            CrawlDirectory(tmp_path).claim([SEED])
        assert refused.value.pid == other.pid
        other.kill()
        other.wait()
    own = CrawlDirectory(tmp_path)
    assert own.claim([SEED]) == [SEED]  # it died before it had queued it
    own.release()


def test_a_deep_directory_has_its_socket_elsewhere(tmp_path: Path) -> None:
    """The kernel allows about a hundred bytes for the path of a socket."""
    shallow = CrawlDirectory(Path("/a/b"))
    assert shallow.socket == Path("/a/b/state/keeper.sock")
    deep = CrawlDirectory(tmp_path / ("long" * 30))
    assert len(os.fsencode(deep.socket)) <= SOCKET_PATH_MAX
    assert deep.socket == CrawlDirectory(tmp_path / ("long" * 30)).socket
    assert deep.socket != CrawlDirectory(tmp_path / ("gnol" * 30)).socket
