"""A program runs a crawl: begins, watches, pauses, stops, goes on, and reads what it has brought."""

import asyncio
from pathlib import Path

import pytest
from journey_crawl import PATIENCE_SECONDS, SMALL, Crawl, Pace, simulated_web

import tiptoe
from tiptoe.errors import SettingsError

pytestmark = pytest.mark.journey


def in_program(crawl: Crawl) -> tiptoe.Crawl:
    """Return the same crawl as a program has it."""
    settings = {name: str(value) for name, value in crawl.settings.items()}
    return tiptoe.Crawl(crawl.out, seeds=crawl.seeds, settings=settings)


def test_a_program_runs_a_crawl_to_its_end_with_a_stop_in_between(tmp_path: Path) -> None:
    """TXT-13: everything is found once, and politely, whoever stops and starts it."""
    with simulated_web(tmp_path, SMALL) as stage:
        planned = stage.crawl(pace=Pace(req_delay=0.1))
        crawl = in_program(planned)
        try:
            with crawl:
                assert crawl.is_running
                assert crawl.pause()
                assert crawl.status.holds
                assert crawl.resume()
                pages = next(
                    status.pages for status in crawl.progress(0.1, PATIENCE_SECONDS) if status.pages > 10
                )
            assert not crawl.is_running
            assert crawl.status.stopped_because == "operator"
            assert 10 < pages <= crawl.status.pages < len(stage.truth())

            again = tiptoe.Crawl(planned.out)  # the directory remembers the rest
            assert again.run(PATIENCE_SECONDS).stopped_because == "finished"
            again.stop()  # nothing to stop
            assert sorted(document.url for document in again.documents()) == stage.truth()
            assert sum(host.pages for host in again.hosts()) == again.status.pages
        finally:
            planned.end()
    assert stage.violations() == []


def test_a_notebook_with_a_loop_of_its_own_may_ask_and_stop(tmp_path: Path) -> None:
    """In a notebook every cell runs within an event loop, where no other can be started."""
    with simulated_web(tmp_path, SMALL) as stage:
        planned = stage.crawl(pace=Pace(req_delay=0.3))
        crawl = in_program(planned)

        async def cell() -> None:
            crawl.start()
            assert crawl.status.stopped_because == ""
            with pytest.raises(TimeoutError, match="still crawling"):
                crawl.wait(0.1)
            crawl.stop()

        try:
            asyncio.run(cell())
            assert not crawl.is_running
        finally:
            planned.end()


def test_what_is_wrong_is_said_before_anything_is_begun(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        tiptoe.Crawl(tmp_path)
    with pytest.raises(SettingsError, match="no contact given"):
        tiptoe.Crawl(tmp_path / "a", seeds=["https://a.example/"]).start()
    with pytest.raises(SettingsError, match=r"crawl.max_page.*no such setting"):
        tiptoe.Crawl(tmp_path / "a", contact="me@example.org", settings={"crawl.max_page": 3}).start()
    assert not (tmp_path / "a").exists()
