"""An owner who wants out is out of a whole crawl: of its shards and servers, and of each member's files."""

import asyncio
import json
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from journey_cluster import PACE, TOLERANCE_SECONDS, ClusterStage, cluster_stage, web_of
from journey_crawl import Crawl, tiptoe, wait_until
from test_journey_forget import killed_at
from warcio.archiveiterator import ArchiveIterator

from tiptoe.cli.cluster_target import open_crawl
from tiptoe.cli.exits import Exit
from tiptoe.cluster.engine import Engine, LogMessage
from tiptoe.cluster.log_batch import BatchReader, LogGap, LogPosition
from tiptoe.cluster.shard_log import log_subject
from tiptoe.cluster.shard_replica import ShardReplica
from tiptoe.cluster.shard_snapshot import current_snapshot
from tiptoe.frontier.wishes import OwnersWishes
from tiptoe.frontier.wishes_in_transit import is_free_of
from tiptoe.store.memory import MemoryStore
from tiptoe.store.partition import PARTITION_BYTES, Partition
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Ranges, Table
from tiptoe.url.address import host_key, host_of
from tiptoe.url.wish import read_wish

pytestmark = pytest.mark.journey

WEB = web_of(12, 6, pages_per_host=30)
SHARDS = 16


def in_files(out: Path, host: str) -> list[str]:
    """Return which outputs of a member, or copies of others' there, say anything of a host."""
    sign = f"//{host}".encode()
    found = [
        f"{path.relative_to(out)}"
        for folder in ("corpus", "documents", "gone", "descriptions", "warc")
        for path in (*out.glob(f"{folder}/*"), *out.glob(f"members/*/{folder}/*"))
        if not path.name.endswith((".warc.gz", ".warc.gz.open")) and sign in path.read_bytes()
    ]
    for path in (*out.glob("warc/*.warc.gz"), *out.glob("members/*/warc/*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if f"//{host}" in (record.rec_headers.get_header("WARC-Target-URI") or ""):
                    found.append(f"{path.relative_to(out)}")
                record.content_stream().read()
    return found


def is_of_host(table: Table, key: bytes, value: bytes, host: str) -> bool:
    """Return whether a row says where something of a host is; that others were found there may be said."""
    if f"//{host}".encode() not in value or table is Table.META:
        return False
    return table in (Table.PARAGRAPH, Table.TEXT) or host_key(host) in key


def in_rows(store: Ranges, host: str) -> list[str]:
    """Return the rows with an address of a host."""
    return [
        f"{table} {key!r} {value!r}"
        for table in Table
        for key, value in store.scan(table)
        if is_of_host(table, key, value, host)
    ]


def in_database(out: Path, host: str) -> list[str]:
    path = out / "state" / "frontier"
    if not path.exists():
        return []
    logs = [log for log in path.glob("*.log") if f"//{host}".encode() in log.read_bytes()]
    assert logs == [], "deleted rows are in the write-ahead log"
    store = RocksStore(
        path, block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20, prefix_bytes=PARTITION_BYTES
    )
    try:
        return in_rows(store, host)
    finally:
        store.close()


def on_servers(out: Path, host: str) -> list[str]:
    """Return what the servers have of a host in snapshots, logs and mail of shards."""
    return asyncio.run(_on_servers(out, host))


async def _on_servers(out: Path, host: str) -> list[str]:
    found = []
    async with open_crawl(str(out)) as engine:
        for shard in range(SHARDS):
            partition = Partition(MemoryStore(), shard)
            await ShardReplica(engine, shard, partition).catch_up()
            found += [f"shard {shard}: {row}" for row in in_rows(partition, host)]
            found += [f"log {shard}: {row}" for row in await _in_log(engine, shard, host)]
            if not is_free_of(partition, OwnersWishes([read_wish(host)])):
                found.append(f"shard {shard}: there is something on its way")
    return found


async def _in_log(engine: Engine, shard: int, host: str) -> list[str]:
    """Read what a log says itself, also of rows that later messages delete."""
    note = await current_snapshot(engine, shard)
    reader = BatchReader(log_subject(shard), note.position if note is not None else LogPosition())
    found = []
    for message in await _messages(engine, log_subject(shard)):
        try:
            batch = reader.read(message.sequence, message.data)
        except LogGap:
            return [f"does not follow its snapshot at {message.sequence}"]
        for table, key, value in batch or ():
            if value is not None and is_of_host(table, key, value, host):
                found.append(f"{message.sequence} {table} {value!r}")
    return found


async def _messages(engine: Engine, subject: str) -> list[LogMessage]:
    found: list[LogMessage] = []
    last = await engine.last(subject)
    if last is None:
        return found
    async with engine.follow(subject) as messages:
        async for message in messages:
            if message is not None:
                found.append(message)
                if message.sequence >= last.sequence:
                    break
    return found


def asked_most(cluster: ClusterStage) -> str:
    """Return a host that has been asked, and has more."""
    counts: dict[str, int] = {}
    for arrival in cluster.stage.arrivals():
        counts[arrival.host] = counts.get(arrival.host, 0) + 1
    return max((host for host in counts if counts[host] < 20), key=lambda host: counts[host])


def another_than(host: str, cluster: ClusterStage) -> str:
    """Return another host with documents in both directories, if there is one."""
    others = Counter(host_of(url) for url in cluster.urls() if host_of(url) != host)
    return others.most_common(1)[0][0]


def progress(crawl: Crawl, target: str) -> tuple[int, list[str]]:
    """Return how many shards, and which members, have still to forget something."""
    done = tiptoe("forget", "--list", str(crawl.out), "--json")
    assert done.returncode == Exit.DONE, done.stderr
    (wish,) = [one for one in json.loads(done.stdout)["crawl"] if one["target"] == target]
    return len(wish["shards"]), wish["members"]


def test_a_host_is_forgotten_by_a_crawl_that_goes_on(tmp_path: Path) -> None:
    """At once by all shards, by each member when it is started again, though one is killed over it.

    And so is another one when the crawl has ended.
    """
    with cluster_stage(tmp_path, WEB) as cluster:
        first, second = cluster.start("m1", "m2")
        cluster.wait_for_pages(80)
        wait_until(lambda: all(one.requests() for one in (first, second)), "both to be at work")
        assert tiptoe("cluster", "gather", str(first.out)).returncode == Exit.DONE
        host = asked_most(cluster)
        told = tiptoe("forget", host, str(first.out), "--reason", "a letter")
        confirmed_at = time.time()
        assert f"{host} will never be requested again" in told.stdout, told.stderr
        assert told.returncode == 1  # somebody has yet to do it
        assert "2 members (m1, m2)" in told.stdout
        assert on_servers(first.out, host) == []
        assert progress(first, host) == (0, ["m1", "m2"])
        assert in_files(first.out, host) + in_files(second.out, host)
        refused = tiptoe("cluster", "gather", str(first.out))
        assert (refused.returncode, "has to be forgotten there first" in refused.stderr) == (1, True)
        unsafe = tiptoe("export", str(second.out), "--local", "--format", "txt", "--out", "/dev/null")
        assert "is still to be forgotten in these files" in unsafe.stderr

        second.kill_all()
        killed = killed_at(3, "forget", "--resume", str(second.out))
        second.start()
        wait_until(lambda: progress(first, host) == (0, ["m1"]), "the second one to have done it")
        for crawl in (first, second):
            assert crawl.wait() == Exit.DONE, crawl.console
        assert tiptoe("forget", "--resume", str(first.out)).returncode == Exit.DONE
        assert progress(first, host) == (0, [])

        # The crawl has ended: an agent does its part, and then ends by itself.
        asked, other = len(cluster.stage.arrivals()), another_than(host, cluster)
        late = tiptoe("forget", other, str(first.out), "--reason", "another letter")
        assert (late.returncode, "16 shards (when an agent holds them)" in late.stdout) == (1, True)
        assert progress(second, other) == (SHARDS, ["m1", "m2"])
        second.start()
        assert second.wait() == Exit.DONE, second.console
        assert len(cluster.stage.arrivals()) == asked
        assert progress(second, other) == (0, ["m1"]), "its copies of the shards"
        assert tiptoe("forget", "--resume", str(first.out)).returncode == Exit.DONE
        assert progress(second, other) == (0, [])

        for crawl in (first, second):
            for one in (host, other):
                assert in_files(crawl.out, one) == []
                assert in_database(crawl.out, one) == []
            records = (crawl.out / "forgotten.jsonl").read_bytes().splitlines()
            assert [json.loads(line)["target"] for line in records] == [host, other]
            assert "Nothing is damaged" in tiptoe("repair", str(crawl.out), "--check").stdout
        assert on_servers(first.out, host) + on_servers(first.out, other) == []
        truth = set(cluster.stage.truth())
        assert set(cluster.urls()) == {url for url in truth if host_of(url) not in (host, other)}
        assert killed == -signal.SIGKILL
    arrivals = cluster.stage.arrivals()
    assert [one for one in arrivals if one.host == host and one.arrived_at > confirmed_at] == []
    assert [one for one in arrivals if one.arrived_at > confirmed_at]
    assert cluster.stage.violations(PACE, tolerance=TOLERANCE_SECONDS) == []
