"""Whatever is killed, whenever: the same command goes on, and nothing acknowledged is lost or doubled."""

import json
import os
import signal
from pathlib import Path

import pytest
from journey_crawl import SMALL, Crawl, Pace, Stage, simulated_web, tiptoe, wait_until
from warcio.archiveiterator import ArchiveIterator

from simulated.proofs import check_members
from tiptoe.cli.exits import Exit
from tiptoe.keeper.directory import find_keeper
from tiptoe.write.cdxj import find

pytestmark = pytest.mark.journey


def check_whole(stage: Stage, crawl: Crawl, *, has_all_answers: bool = True) -> None:
    """The crawl ended as if nobody had disturbed it, and nobody was disturbed by it."""
    assert stage.truth() == crawl.urls()
    assert crawl.open_files() == []
    for archive in (crawl.out / "warc").glob("*.warc.gz"):
        assert check_members(archive).faults == []
        with archive.open("rb") as file:
            for record in ArchiveIterator(file, check_digests=True):
                record.content_stream().read()
                assert record.digest_checker.passed is not False, record.digest_checker.problems
    for document in crawl.documents() if has_all_answers else []:
        places = [(entry.filename, entry.offset) for entry in find(crawl.out, document["url"])]
        assert (document["warc_file"], document["warc_offset"]) in places
    assert stage.violations() == []


@pytest.mark.parametrize("lines", [3, 40, 100])
def test_a_killed_keeper_goes_on_where_it_was(tmp_path: Path, lines: int) -> None:
    """At the first rules, in the middle, and near the end."""
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl()
        crawl.start()
        crawl.wait_for_lines(lines)
        crawl.kill()
        assert find_keeper(crawl.out) is None
        crawl.run()
    check_whole(stage, crawl)


def test_a_crawl_that_is_killed_again_and_again_still_ends(tmp_path: Path) -> None:
    """Every restart gets a bit further."""
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl(harvest__harvesters=2)
        for lines in (25, 70):
            crawl.start()
            crawl.wait_for_lines(lines)
            crawl.kill_all()
        crawl.run()
    check_whole(stage, crawl)


def test_what_was_written_but_never_acknowledged_is_cut_off_and_told_of(tmp_path: Path) -> None:
    """Those pages are asked for again: left in the files they would be there twice."""
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl()
        crawl.start()
        crawl.wait_for_lines(30)
        assert crawl.process is not None
        # A keeper that stands still acknowledges nothing, while its harvester writes on.
        os.kill(crawl.process.pid, signal.SIGSTOP)
        written = open_bytes(crawl)
        wait_until(lambda: open_bytes(crawl) > written + 10_000, "the harvester to write on")
        crawl.kill_all()
        printed = crawl.run()
    assert "Repaired after a crash" in printed
    assert "was cut off" in printed
    assert "output.repaired" in (crawl.out / "log" / "keeper.log").read_text()
    check_whole(stage, crawl)
    check_counts(crawl, printed)


def check_counts(crawl: Crawl, printed: str) -> None:
    """All who tell how many requests were made tell the same, and what was lost is named."""
    audited = json.loads(tiptoe("audit", str(crawl.out), "--json").stdout)
    counted = json.loads(tiptoe("stats", str(crawl.out), "--json").stdout)
    assert audited["requests"] == counted["requests"]
    assert audited["cut_off"] == counted["requests_cut_off"]
    assert f" {audited['requests']} requests to " in printed
    assert "too late for the keeper to hear of it" in printed


def open_bytes(crawl: Crawl) -> int:
    return sum(path.stat().st_size for path in crawl.open_files())


@pytest.mark.parametrize("lines", [5, 60])
def test_a_killed_harvester_is_replaced_and_its_work_returns(tmp_path: Path, lines: int) -> None:
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl()
        crawl.start()
        crawl.wait_for_lines(lines)
        [harvester] = crawl.harvesters()
        harvester.kill()
        assert crawl.wait() == 0, crawl.console
    assert "harvester.lost" in (crawl.out / "log" / "keeper.log").read_text()
    check_whole(stage, crawl)


def test_a_harvester_that_stands_still_loses_its_lease(tmp_path: Path) -> None:
    """Its work is done by others; when it wakes, it must not bring it a second time."""
    with simulated_web(tmp_path, SMALL) as stage:
        # Slow enough that each of the two is in the middle of its visits, and stays so for a whole lease.
        crawl = stage.crawl(pace=Pace(req_delay=0.4), harvest__harvesters=2, harvest__lease="3s")
        crawl.start()
        crawl.wait_for_lines(15)
        sleeper = crawl.harvesters()[0]
        os.kill(sleeper.pid, signal.SIGSTOP)
        crawl.status_when(lambda figures: figures["lost_harvesters"] >= 1, "the lease to run out")
        if sleeper.is_running():
            sleeper.resume()
        assert crawl.wait() == 0, crawl.console
    assert "reason=silent" in (crawl.out / "log" / "keeper.log").read_text()
    check_whole(stage, crawl)


def test_ctrl_c_ends_cleanly_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """Everything asked for so far is in the corpus when the prompt returns."""
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl()
        crawl.start()
        crawl.wait_for_lines(50)
        crawl.interrupt()
        assert crawl.wait() == Exit.INTERRUPTED, crawl.console
        assert "interrupted" in crawl.console
        assert crawl.open_files() == []
        stored = crawl.urls()
        asked = {entry.url for entry in crawl.requests() if entry.purpose == "page" and entry.status == 200}
        assert sorted(asked & set(stage.truth())) == stored
        assert 0 < len(stored) < len(stage.truth())
        crawl.run()
    check_whole(stage, crawl)
    pages = [entry.url for entry in crawl.requests() if entry.purpose == "page"]
    assert len(pages) == len(set(pages)), "a clean stop costs no request"


def test_ctrl_c_twice_ends_at_once_and_loses_nothing(tmp_path: Path) -> None:
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl()
        crawl.start()
        crawl.wait_for_lines(50)
        helpers = crawl.harvesters()
        # A stopped harvester cannot leave: only the second signal can end this run.
        helpers[0].suspend()
        crawl.interrupt()
        keeper_log = crawl.out / "log" / "keeper.log"
        wait_until(lambda: "crawl.stopping" in keeper_log.read_text(), "the first signal to be heard")
        wait_until(crawl.interrupt_again, "somebody impatient to be heard")
        assert crawl.wait() == 130
        wait_until(lambda: not any(helper.is_running() for helper in helpers), "harvesters to die")
        crawl.run()
    check_whole(stage, crawl)
