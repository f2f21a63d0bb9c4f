"""A crawl begins on one machine, goes on on two, and ends on one: it is one crawl, to everybody."""

from collections import Counter
from pathlib import Path

import pytest
from journey_cluster import LEASE_SECONDS, PACE, TOLERANCE_SECONDS, ClusterStage, cluster_stage, web_of
from journey_crawl import Crawl, tiptoe, wait_until

from tiptoe.cli.exits import Exit

pytestmark = pytest.mark.journey

SHARDS = 8


def said(*words: str) -> str:
    """Say a command that has to work; return what it printed."""
    done = tiptoe(*words)
    assert done.returncode == Exit.DONE, done.stdout + done.stderr
    return done.stdout


def served(cluster: ClusterStage) -> int:
    return len(cluster.stage.arrivals())


def stopped_after(cluster: ClusterStage, requests: int, *crawls: Crawl) -> None:
    """Let crawls go on until so many requests were served, then press Ctrl-C."""
    for crawl in crawls:
        crawl.start()
    wait_until(
        lambda: served(cluster) >= requests and all(crawl.request_lines() > 20 for crawl in crawls),
        f"{requests} requests, some by each",
    )
    for crawl in crawls:
        crawl.interrupt()
    for crawl in crawls:
        assert crawl.wait() == Exit.INTERRUPTED, crawl.console


def test_a_crawl_moves_to_a_cluster_and_back(tmp_path: Path) -> None:
    """Every page stands once in the union of all corpora, and servers see no change."""
    with cluster_stage(tmp_path, web_of(40, 20, pages_per_host=8)) as cluster:
        one = cluster.stage.crawl(name="one", pace=PACE)
        one.settings["cluster.lease"] = f"{LEASE_SECONDS}s"
        stopped_after(cluster, 60, one)

        words = ("--cluster", cluster.address, "--shards", str(SHARDS), "--agent", "one")
        assert f"{SHARDS} shards" in said("cluster", "import", str(one.out), *words)
        again = tiptoe("cluster", "import", str(one.out), *words)
        assert (again.returncode, "already" in again.stderr) == (Exit.MISTAKEN, True)

        one.settings |= {"cluster.servers": cluster.address, "cluster.agent": "one", "cluster.shards": SHARDS}
        other = cluster.agent("two")
        other.settings["cluster.shards"] = SHARDS
        before = served(cluster)
        stopped_after(cluster, before + 100, one, other)

        alone = cluster.stage.crawl(name="alone", pace=PACE)
        said("cluster", "export", str(one.out), "--out", str(alone.out))
        assert tiptoe("cluster", "export", str(one.out), "--out", str(alone.out)).returncode == Exit.MISTAKEN
        before = served(cluster)
        alone.go_on()
        assert served(cluster) > before

        found = Counter(url for crawl in (one, other, alone) for url in crawl.urls())
        assert [url for url, count in found.items() if count > 1] == []
        assert sorted(found) == cluster.stage.truth()
        assert all(crawl.urls() for crawl in (one, other, alone))
    assert cluster.stage.violations(PACE, tolerance=TOLERANCE_SECONDS) == []
