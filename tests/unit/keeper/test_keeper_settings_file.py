"""The settings of a crawl are all there or it does not go on."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tiptoe.errors import SettingsError
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.settings_file import SETTINGS_FILE, recall, remember
from tiptoe.observe.crawl_marker import MARKER

OLD: dict[str, object] = {"scope.include": [r"\.cz$"], "crawl.max_pages": 20, "politeness.req_delay": 0.1}
NEW: dict[str, object] = {**OLD, "crawl.max_pages": 100, "fetch.proxy": "http://ž:pass@127.0.0.1:1"}


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """A directory in which a crawl has begun."""
    directory = CrawlDirectory(tmp_path / "crawl")
    directory.claim(["http://a.example/"], before_first=lambda: remember(directory.path, OLD))
    directory.release()
    (directory.path / "state" / "frontier").mkdir()
    (directory.path / "state" / "frontier" / "CURRENT").touch()
    return directory.path


def test_what_is_remembered_is_recalled(crawl: Path) -> None:
    assert recall(crawl) == OLD
    remember(crawl, NEW)
    assert recall(crawl) == NEW


def test_without_a_crawl_there_is_nothing_to_recall(tmp_path: Path) -> None:
    assert recall(tmp_path) is None
    assert recall(tmp_path / "nowhere") is None


def test_settings_of_a_crawl_that_never_began_do_not_count(tmp_path: Path) -> None:
    """It was killed before it could be said that one lives there; the next command may say otherwise."""
    (tmp_path / "state").mkdir()
    remember(tmp_path, OLD)
    assert recall(tmp_path) is None
    directory = CrawlDirectory(tmp_path)
    assert directory.claim(["http://a.example/"]) == ["http://a.example/"]
    directory.release()


def test_only_the_owner_can_read_it(crawl: Path) -> None:
    """The address of a proxy may have a password in it; whatever was there before."""
    (crawl / SETTINGS_FILE).chmod(0o644)
    (crawl / "state" / "settings.json.part").touch(0o666)
    remember(crawl, NEW)
    assert stat.S_IMODE((crawl / SETTINGS_FILE).stat().st_mode) == 0o600


def damages(whole: bytes) -> dict[str, bytes]:
    content = json.loads(whole)
    del content["settings"]["scope.include"]
    return {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "zeroed": bytes(len(whole)),
        "no settings": b"{}",
        "a list": b"[]",
        "nothing": b"null",
        "no checksum": json.dumps({"settings": OLD}).encode(),
        "a setting gone": json.dumps(content).encode(),
        "edited": whole.replace(b"20", b"90"),
        "not text": b"\xff\xfe" + whole,
        "deep": b"[" * 100_000,
    }


@pytest.mark.parametrize("damage", damages(json.dumps({"settings": OLD, "checksum": ""}).encode()))
def test_a_damaged_file_is_an_error_that_says_what_to_do(crawl: Path, damage: str) -> None:
    """A crawl without its bounds would ask the whole world."""
    path = crawl / SETTINGS_FILE
    path.write_bytes(damages(path.read_bytes())[damage])
    with pytest.raises(SettingsError, match=r"settings\.json: damaged.*--forget-settings"):
        recall(crawl)


def test_a_missing_file_is_an_error_that_says_what_to_do(crawl: Path) -> None:
    (crawl / SETTINGS_FILE).unlink()
    with pytest.raises(SettingsError, match=r"settings of this crawl are missing.*--forget-settings"):
        recall(crawl)


def test_without_the_whole_state_that_is_what_is_said(crawl: Path) -> None:
    (crawl / SETTINGS_FILE).unlink()
    (crawl / "state" / "frontier" / "CURRENT").unlink()
    with pytest.raises(SettingsError, match="the state of this crawl is missing"):
        recall(crawl)


WRITER = """
import sys
from pathlib import Path
from tiptoe.keeper.settings_file import remember
directory = Path(sys.argv[1])
print("ready", flush=True)
while True:
    for pages in (1, 2):
        remember(directory, {"crawl.max_pages": pages, "scope.include": ["x" * 50_000] * pages})
"""


def test_a_process_that_is_killed_leaves_the_old_or_the_new(crawl: Path) -> None:
    for _ in range(8):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(crawl)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            for _ in range(20):
                found = recall(crawl)  # also while it is being written
                assert found is not None
            os.kill(process.pid, 9)
        found = recall(crawl)
        new = [{"crawl.max_pages": pages, "scope.include": ["x" * 50_000] * pages} for pages in (1, 2)]
        assert found in [OLD, *new]


def test_nobody_sees_a_new_crawl_without_its_settings(tmp_path: Path) -> None:
    """Killed in between, the directory is as if nothing had begun."""
    directory = CrawlDirectory(tmp_path / "crawl")

    def die() -> None:
        assert not (directory.path / MARKER).exists()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        directory.claim(["http://a.example/"], before_first=die)
    assert not (directory.path / MARKER).exists()
    directory.release()
