"""A crawl that can be searched while it runs, whoever is killed."""

import contextlib
import json
from pathlib import Path

import psutil
import pytest
from journey_crawl import SMALL, Crawl, Pace, simulated_web, tiptoe, wait_until

pytestmark = pytest.mark.journey


def companions(crawl: Crawl) -> list[psutil.Process]:
    """Return the processes that keep the catalog."""
    found = []
    for process in crawl.harvesters():
        with contextlib.suppress(psutil.Error):
            if "catalog" in process.cmdline():
                found.append(process)
    return found


def found_urls(out: Path) -> list[str]:
    done = tiptoe("search", str(out), "", "--json", "--limit", "1000", "--sort", "url")
    return [hit["url"] for hit in json.loads(done.stdout)["hits"]] if done.returncode == 0 else []


def test_a_running_crawl_can_be_searched_and_a_killed_companion_costs_nothing(tmp_path: Path) -> None:
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl(pace=Pace(req_delay=0.6), catalog__enabled="true", has_models=True)
        crawl.start()
        wait_until(lambda: bool(companions(crawl)), "a companion")
        first = companions(crawl)[0]
        crawl.wait_for_lines(12)
        crawl.tell("pause")  # or it would be over before anybody is replaced
        first.kill()
        wait_until(lambda: any(one.pid != first.pid for one in companions(crawl)), "another companion")
        wait_until(lambda: len(found_urls(crawl.out)) > 0, "something to be found")
        crawl.kill_all()
        crawl.settings.update(Pace().settings())
        crawl.run()
        assert found_urls(crawl.out) == sorted(document["url"] for document in crawl.documents())
    assert stage.violations() == []
    assert (crawl.out / "log" / "catalog-errors.log").read_text() == ""
