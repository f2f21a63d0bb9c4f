"""One crawl on many machines, with real servers and processes."""

import json
import re
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest
from journey_cluster import PACE, TOLERANCE_SECONDS, ClusterChaos, cluster_stage, web_of
from journey_crawl import Crawl, tiptoe, wait_until

from nats_servers import free_ports
from tiptoe.cli.exits import Exit
from tiptoe.url.address import host_of

pytestmark = pytest.mark.journey

WEB = web_of(16, 8, pages_per_host=12)
SMALL_WEB = web_of(8, 4, pages_per_host=6)
TINY_WEB = web_of(4, 2, pages_per_host=3)


def test_a_crawl_is_shared_commanded_and_read_from_any_member(tmp_path: Path) -> None:
    """To its operator it is one program: the same command on each machine, and every command at any."""
    with cluster_stage(tmp_path, WEB) as cluster:
        first, second = cluster.agent("m1"), cluster.agent("m2")
        first.settings["cluster.disk_wait"] = "1s"
        first.start()
        second.start()
        cluster.wait_for_pages(20)
        wait_until(lambda: all(one.requests() for one in (first, second)), "both to be at work")
        assert "2 members: m1, m2" in first.tell("pause")
        paused_at = time.time()
        whole = json.loads(tiptoe("status", str(second.out), "--json").stdout)
        assert [agent["name"] for agent in whole["agents"]] == ["m1", "m2"]
        assert whole["crawl"]["holds"] == ["operator"]
        fresh = tiptoe("freshness", str(second.out), "--json")
        assert fresh.returncode == Exit.DONE, fresh.stderr
        assert json.loads(fresh.stdout)["pages"] == whole["crawl"]["pages"]
        audit = tiptoe("audit", str(second.out))
        assert audit.returncode == Exit.DONE, audit.stdout
        assert (second.out / "members" / "m1").is_dir()
        assert_shards_go_where_there_is_room(first, second)
        blocked = host_of(cluster.stage.web.home_of(3))
        assert "2 members: m1, m2" in second.tell("block", blocked)
        blocked_at = resumed_at = time.time()
        second.tell("resume")
        assert first.wait() == Exit.DONE, first.console
        assert second.wait() == Exit.DONE, second.console
        for crawl in (first, second):
            assert re.search(r"^figures: of \d+ of 16 shards, held here$", crawl.console, re.MULTILINE)
            assert re.search(r"^whole crawl: .* 2 members", crawl.console, re.MULTILINE)
        audit = tiptoe("audit", str(first.out), str(second.out))
        assert audit.returncode == Exit.DONE, audit.stdout
        exported = tmp_path / "all.jsonl"
        both = (str(first.out), str(second.out))
        done = tiptoe("export", *both, "--format", "jsonl", "--out", str(exported))
        assert done.returncode == Exit.DONE, done.stderr
        urls = sorted(json.loads(line)["url"] for line in exported.read_bytes().splitlines())
        assert urls == cluster.urls()
    assert cluster.stage.violations(PACE, tolerance=TOLERANCE_SECONDS) == []
    arrivals = cluster.stage.arrivals()
    assert [one for one in arrivals if paused_at < one.arrived_at < resumed_at] == []
    assert [one for one in arrivals if one.arrived_at > blocked_at and one.host == blocked] == []
    assert [one for one in arrivals if one.arrived_at > blocked_at]


def assert_shards_go_where_there_is_room(full: Crawl, other: Crawl) -> None:
    """A disk that is full has its part given away, and gets it again when there is room."""

    def shards() -> list[int]:
        whole = json.loads(tiptoe("cluster", "agents", str(other.out), "--json").stdout)
        return [len(agent["shards"]) for agent in whole["agents"]]

    assert tiptoe("set", str(full.out), "write.disk_free_min=100TB").returncode == Exit.DONE
    wait_until(lambda: shards() == [0, 16], "the other one to have all")
    assert tiptoe("set", str(full.out), "write.disk_free_min=1MB").returncode == Exit.DONE
    wait_until(lambda: shards() == [8, 8], "the first one to have its part again")


def test_what_lay_on_a_lost_disk_is_asked_for_again(tmp_path: Path) -> None:
    """The crawl goes on without the machine; its texts come back when somebody says that they are lost."""
    with cluster_stage(tmp_path, WEB) as cluster:
        first, second = cluster.start("m1", "m2", crawl_name="shared")  # not that of its files
        cluster.wait_for_pages(60)
        second.kill_all()
        shutil.rmtree(second.out)
        del cluster.agents["m2"]
        told = tiptoe("cluster", "lost", "m2", str(first.out))
        while told.returncode == Exit.MISTAKEN and "still holds" in told.stderr:
            told = tiptoe("cluster", "lost", "m2", str(first.out))  # its lease has to be over
        assert told.returncode == Exit.DONE, told.stderr
        again = cluster.agent("m2")
        again.settings["cluster.crawl"] = "shared"
        again.start()
        assert again.wait() == Exit.MISTAKEN
        assert "was said to be lost" in again.console
        assert first.wait() == Exit.DONE, first.console
        del cluster.agents["m2"]
        assert cluster.urls() == cluster.stage.truth()
    assert cluster.stage.violations(PACE, tolerance=TOLERANCE_SECONDS) == []


def test_a_member_without_servers_waits_and_can_be_stopped(tmp_path: Path) -> None:
    """After a power cut machines come back in any order."""
    place = f"127.0.0.1:{free_ports(1)[0]}"
    settings: dict[str, object] = {
        "cluster.servers": f"nats://{place}", "crawl.name": "czech", "crawl.contact": "https://example.org/bot",
    }  # fmt: skip
    crawl = Crawl(tmp_path / "out", ["http://a.example/"], settings)
    crawl.start()
    wait_until(lambda: f"nats://{place}: refuses connections" in crawl.console, "the member to say so")
    crawl.interrupt()
    assert crawl.wait() == Exit.INTERRUPTED
    assert "Traceback" not in crawl.console


def test_what_is_damaged_at_a_member_is_repaired_and_asked_for_again(tmp_path: Path) -> None:
    """Its shards may be held by others by then, and its database is but a copy."""
    with cluster_stage(tmp_path, SMALL_WEB) as cluster:
        first, second = cluster.start("m1", "m2")
        for crawl in (first, second):
            assert crawl.wait() == Exit.DONE, crawl.console
        corpus = max((first.out / "corpus").iterdir(), key=lambda path: path.stat().st_size)
        text = bytearray(corpus.read_bytes())
        text[len(text) // 2 : len(text) // 2 + 300] = b"\0" * 300
        corpus.write_bytes(text)
        for table in (first.out / "state" / "frontier").glob("*.sst"):
            table.write_bytes(b"\0" * table.stat().st_size)
        check = tiptoe("repair", str(first.out), "--check")
        assert (check.returncode, "the database is damaged" in check.stdout) == (Exit.FAULT, True)
        mended = tiptoe("repair", str(first.out))
        assert mended.returncode == Exit.DONE, mended.stderr
        assert f"corpus/{corpus.name}: " in mended.stdout
        assert "its holder asks for them again" in mended.stdout
        again = tiptoe("repair", str(first.out), "--check")
        assert (again.returncode, "Nothing is damaged." in again.stdout) == (Exit.DONE, True), again.stdout
        assert len(cluster.urls()) < len(cluster.stage.truth())
        second.start()
        assert second.wait() == Exit.DONE, second.console
        assert cluster.urls() == cluster.stage.truth()
    assert cluster.stage.violations(PACE, tolerance=TOLERANCE_SECONDS) == []


def test_who_joins_goes_by_the_settings_of_the_crawl(tmp_path: Path) -> None:
    """Two machines with different rules would be two crawlers."""
    with cluster_stage(tmp_path, WEB) as cluster:
        (first,) = cluster.start("m1")
        cluster.wait_for_pages(5)
        first.tell("pause")  # which gives the others time
        other = cluster.agent("m2")
        other.settings["politeness.max_reqs"] = 11
        other.start()
        assert other.wait() == Exit.MISTAKEN
        assert "politeness.max_reqs: 10 in the crawl, 11 here" in other.console
        namesake = cluster.agent("m3")
        namesake.settings["cluster.agent"] = "m1"
        namesake.start()
        assert namesake.wait() == Exit.MISTAKEN
        assert "another process is agent 'm1'" in namesake.console
        stranger = cluster.agent("m4")
        stranger.settings["cluster.servers"] = str(other.settings["cluster.servers"]).replace(
            "member:", "me:"
        )
        stranger.start()
        assert stranger.wait() == Exit.MISTAKEN
        assert "does not accept these credentials" in stranger.console
        first.interrupt()
        assert first.wait() == Exit.INTERRUPTED
        joined = cluster.agent("m5")
        joined.seeds = []
        joined.start()
        assert tiptoe("resume", str(first.out)).returncode == Exit.DONE
        assert joined.wait() == Exit.DONE, joined.console
        for name in ("m2", "m3", "m4"):
            del cluster.agents[name]
        assert cluster.urls() == cluster.stage.truth()
    assert cluster.stage.violations(PACE, tolerance=TOLERANCE_SECONDS) == []


def test_members_visit_everything_again_round_after_round(tmp_path: Path) -> None:
    """Each runs its own command between rounds; nothing is stored twice."""
    with cluster_stage(tmp_path, TINY_WEB) as cluster:
        for name in ("m1", "m2"):
            crawl = cluster.agent(name)
            crawl.settings |= {"crawl.on_end": "loop", "crawl.on_end_command": "sh -c 'cat >> ended'"}
            crawl.start()
        first, second = cluster.agents.values()
        wait_until(lambda: rounds(second) >= 2, "a second round")
        assert all((crawl.out / "ended").exists() for crawl in (first, second))
        assert tiptoe("set", str(first.out), "crawl.on_end=quit").returncode == Exit.DONE
        for crawl in (first, second):
            assert crawl.wait() == Exit.DONE, crawl.console
        assert cluster.urls() == cluster.stage.truth()
        asked = Counter(entry.url for crawl in (first, second) for entry in crawl.requests())
        assert min(asked[url] for url in cluster.urls()) >= 3
    assert cluster.stage.violations(PACE, tolerance=TOLERANCE_SECONDS) == []


def rounds(member: Crawl) -> int:
    """Return how many rounds the whole crawl has begun, as this member tells."""
    told = tiptoe("status", str(member.out), "--json")
    return int(json.loads(told.stdout)["crawl"]["rounds"]) if told.returncode == Exit.DONE else 0


def test_agents_and_servers_may_die_stop_and_burn(tmp_path: Path) -> None:
    """`PYTHONPATH=tests python tests/journeys/journey_cluster.py --help` plays longer ones."""
    with cluster_stage(tmp_path, web_of(24, 12, pages_per_host=16)) as cluster:
        chaos = ClusterChaos(cluster, agents=3, seed=5, say=print)
        assert chaos.run(24.0, every=3.0) == []
    assert cluster.stage.violations(PACE, tolerance=TOLERANCE_SECONDS) == []
