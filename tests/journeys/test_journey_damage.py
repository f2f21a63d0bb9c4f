"""Whatever a disk does to the files of a killed crawl: it is told, and the same command makes it good."""

import contextlib
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from journey_crawl import SMALL, Crawl, simulated_web, tiptoe, wait_until
from test_journey_kill import check_whole

from tiptoe.cli.exits import Exit

pytestmark = pytest.mark.journey


def killed(crawl: Crawl, lines: int = 60) -> None:
    """Let a crawl work for a while, and kill all of it at once."""
    crawl.start()
    crawl.wait_for_lines(lines)
    crawl.kill_all()


def lose(path: Path) -> None:
    path.unlink()


def zero_tail(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + bytes(len(data) - len(data) // 2))


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x15
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [lose, zero_tail, flip])
@pytest.mark.parametrize("pattern", ["corpus/*.open", "*/*.open"])
def test_a_killed_crawl_with_damaged_files_becomes_whole(
    tmp_path: Path, pattern: str, damage: Callable[[Path], None]
) -> None:
    """What the summary counts is what the corpus holds, each page once, and the archive can be read."""
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl()
        killed(crawl)
        damaged = list(crawl.out.glob(pattern))
        assert damaged
        for file in damaged:
            damage(file)
        printed = crawl.run()
        again = crawl.run()
    for file in damaged:
        name = file.relative_to(crawl.out).as_posix().removesuffix(".open")
        told = [line for line in printed.splitlines() if line.strip().startswith(name)]
        assert len(told) == 1 or (name.endswith(".cdxj") and not told), (name, printed)
    assert "Repaired after a crash" not in again
    check_whole(stage, crawl, has_all_answers=pattern != "*/*.open")
    documents = len(crawl.documents())
    assert max(Counter(document["url"] for document in crawl.documents()).values()) == 1
    assert f"\n{documents} documents " in printed


def test_a_damaged_database_is_told_in_a_sentence_and_can_be_repaired(tmp_path: Path) -> None:
    """A month of crawling is not lost for a byte."""
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl(frontier__write_buffer="1MiB")
        killed(crawl)
        crawl.start()  # which writes what was in the log of the database to its tables
        crawl.wait_for_lines(70)
        crawl.kill_all()
        database = crawl.out / "state" / "frontier"
        table = max(database.glob("*.sst"), key=lambda path: path.stat().st_size)
        zero_tail(table)
        crawl.start()
        assert crawl.wait() == 2, crawl.console
        assert "tiptoe repair" in crawl.console
        assert "Traceback" not in crawl.console
        assert tiptoe("repair", str(crawl.out), "--check").returncode == 1
        mended = tiptoe("repair", str(crawl.out))
        assert mended.returncode == 0, mended.stdout + mended.stderr
        assert "rows were saved" in mended.stdout
        assert tiptoe("repair", str(crawl.out), "--check").returncode == 0
        crawl.run()
    urls = Counter(document["url"] for document in crawl.documents())
    assert max(urls.values()) == 1
    assert stage.violations() == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("no mount command here")
    if done.returncode:
        pytest.skip(f"may not mount: {done.stderr.decode(errors='replace').strip()}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(path: Path) -> None:
    """Write until there is no room at all."""
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 10, 1):
            with contextlib.suppress(OSError):
                while file.write(bytes(size)):
                    continue


def fill_the_disk_of(crawl: Crawl) -> None:
    """Fill it, and wait until the database has found out."""
    fill(crawl.out.parent / "ballast")
    # Harvesters that can write nothing report nothing, so that the database might have nothing to write.
    crawl.try_tell("block", "elsewhere.test")
    wait_until(lambda: "The disk is full" in crawl.console, "the database to find the disk full")


def test_a_crawl_whose_database_finds_the_disk_full_waits_for_room(tmp_path: Path, small_disk: Path) -> None:
    """Nothing ends, nobody is asked, and it goes on by itself."""
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl(name="disk/crawl", write__disk_free_min="0B", frontier__write_buffer="1MiB")
        crawl.folder = tmp_path
        crawl.start()
        crawl.wait_for_lines(30)
        fill_the_disk_of(crawl)
        assert crawl.status_when(lambda figures: figures.get("holds") == ["disk"], "a pause")
        (small_disk / "ballast").unlink()
        assert crawl.wait() == Exit.DONE, crawl.console
        assert "There is room again" in crawl.console
        check_whole(stage, crawl)


def test_a_crawl_that_waits_for_room_can_be_stopped(tmp_path: Path, small_disk: Path) -> None:
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl(name="disk/crawl", write__disk_free_min="0B", frontier__write_buffer="1MiB")
        crawl.folder = tmp_path
        crawl.start()
        crawl.wait_for_lines(30)
        fill_the_disk_of(crawl)
        crawl.tell("stop")
        assert crawl.wait() == Exit.INTERRUPTED, crawl.console
        (small_disk / "ballast").unlink()
        crawl.run()
        check_whole(stage, crawl)
