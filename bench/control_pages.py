"""How long does the control server take to answer when a crawl has a million hosts?

    python bench/control_pages.py --hosts 1000000

Makes a database of hosts, lists them as the server does, and asks for pages over a real connection, one
after the other. Milliseconds until the last byte, median and worst of some; CPU seconds of the list."""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import msgspec

from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.settings_file import remember
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import host_key

TRIES = 15
BATCH = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=100_000)
    hosts = parser.parse_args().hosts
    with tempfile.TemporaryDirectory(prefix="tiptoe-bench-") as folder:
        directory = Path(folder, "many")
        make_crawl(directory, hosts)
        measure(directory, hosts)


def make_crawl(directory: Path, hosts: int) -> None:
    """Make what a crawl knows of its hosts."""
    (directory / "log").mkdir(parents=True)
    (directory / "state").mkdir()
    marker = {"seeds": ["https://host0.example/"], "written_at": time.time(), "is_sown": True}
    (directory / "crawl.json").write_text(json.dumps(marker))
    remember(directory, {"crawl.contact": "me@example.org"})
    store = RocksStore(directory / DATABASE, block_cache_bytes=64 << 20, write_buffer_bytes=64 << 20)
    encode = msgspec.msgpack.Encoder().encode
    for start in range(0, hosts, BATCH):
        batch = Writes()
        for number in range(start, min(hosts, start + BATCH)):
            record = HostRecord(f"host{number}.example", HostState.IDLE, pages=number * 7919 % 1000)
            batch.put(Table.HOST, host_key(record.host), encode(record))
        store.write(batch)
    store.close()


def measure(directory: Path, hosts: int) -> None:
    command = [sys.executable, "-m", "tiptoe", "control", "serve", "--crawl", str(directory)]
    server = subprocess.Popen([*command, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        link = server.stdout.readline().split()[-1]
        with httpx.Client(base_url=url, timeout=60) as client:
            client.get(link)
            began = time.monotonic()
            while "Making the list" in client.get("/crawls/many/hosts").text:
                time.sleep(0.5)
            print(f"{hosts} hosts; the list was there after {time.monotonic() - began:.1f} s")
            for path in (
                "/", "/crawls/many", "/crawls/many/hosts", "/crawls/many/hosts?sort=host",
                "/crawls/many/hosts?page=9999", "/crawls/many/hosts?q=host99999.",
                "/crawls/many/hosts?q=nowhere", "/crawls/many/hosts?state=gone",
                "/crawls/many/hosts/host5.example", "/crawls/many/settings",
            ):  # fmt: skip
                print(f"{path:40} {timed(client, path)}")
    finally:
        server.terminate()
        server.wait()
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"CPU of the server and the list: {spent.ru_utime + spent.ru_stime:.1f} s")


def timed(client: httpx.Client, path: str) -> str:
    times = []
    for _ in range(TRIES):
        began = time.perf_counter()
        assert client.get(path).status_code == 200
        times.append((time.perf_counter() - began) * 1000)
    return f"median {statistics.median(times):6.1f} ms, worst {max(times):6.1f} ms"


if __name__ == "__main__":
    main()
