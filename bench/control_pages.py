"""How fast are the pages of the control server when a crawl has a million hosts?

    python bench/control_pages.py --hosts 1000000 --documents 100000

Makes a database of hosts and a catalog of documents, lists them as the server does, and requests pages over a
real connection, one after the other. Prints milliseconds until the last byte, and until a browser has painted
something (if chromium is installed): best, median and worst of several; CPU of the server for each page and
for the list, and the size of pages. On a shared machine the best says most.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import msgspec
import psutil
from catalog_speed import build, generate

from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.settings_file import remember
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import host_key

TRIES = 25
BATCH = 10_000
CHROMIUM = Path("/usr/bin/chromium")
PAINTED = """new Promise(done => new PerformanceObserver(seen => seen.getEntries().forEach(
    one => one.name === "first-contentful-paint" && done(one.startTime)
)).observe({type: "paint", buffered: true}))"""
PAGES = (
    "/healthz",  # two letters: the cost of connection, machine and browser
    "/", "/crawls/many", "/crawls/many/hosts", "/crawls/many/hosts?sort=host",
    "/crawls/many/hosts?page=9999", "/crawls/many/hosts?q=host99999.",
    "/crawls/many/hosts?q=nowhere", "/crawls/many/hosts?state=gone",
    "/crawls/many/hosts/host5.example", "/crawls/many/settings", "/crawls/many/filters",
    "/crawls/many/schedule", "/crawls/many/reports", "/crawls/many/log", "/crawls/many/left-out", "/robots",
)  # fmt: skip
DOCUMENT_PAGES = (
    "/crawls/many/search", "/crawls/many/search?q=voda", "/crawls/many/search?q=voda+lang:cs&sort=newest",
    "/crawls/many/search?q=vod*", "/crawls/many/concordance?q=voda&sort=right",
    "/crawls/many/documents?url=https://www.h5.example.cz/stranka/5.html",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=100_000)
    parser.add_argument("--documents", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tiptoe-bench-") as folder:
        directory = Path(folder, "many")
        make_crawl(directory, options.hosts)
        if options.documents:
            generate(directory, options.documents)
            build(directory, "")
        measure(directory, options.hosts, (*PAGES, *(DOCUMENT_PAGES if options.documents else ())))


def make_crawl(directory: Path, hosts: int) -> None:
    """Make the database of a crawl with these hosts."""
    (directory / "log").mkdir(parents=True)
    (directory / "state").mkdir()
    marker = {"seeds": ["https://host0.example/"], "written_at": time.time(), "is_seeded": True}
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


def measure(directory: Path, hosts: int, pages: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "tiptoe", "control", "serve", "--crawl", str(directory)]
    server = subprocess.Popen([*command, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        link = server.stdout.readline().split()[-1]
        with httpx.Client(base_url=url, timeout=60) as client:
            client.get(link)
            began = time.monotonic()
            for said, what in (("Making the list", "first hosts"), ("only the first", "list of all")):
                while said in client.get("/crawls/many/hosts").text:
                    time.sleep(0.5)
                print(f"{hosts} hosts; the {what} was there after {time.monotonic() - began:.1f} s")
            print(f"{'milliseconds until the last byte':60}   best  median   worst  CPU of server  kB")
            for path in pages:
                print(f"{path:60} {timed(client, path, psutil.Process(server.pid))}")
            spent = psutil.Process(server.pid).cpu_times()
            print(f"CPU of the server and the list: {sum(spent[:4]):.1f} s")
            if CHROMIUM.exists():
                paint(url, dict(client.cookies), pages)
    finally:
        server.terminate()
        server.wait()


def timed(client: httpx.Client, path: str, server: psutil.Process) -> str:
    times = []
    before = sum(server.cpu_times()[:2])
    for _ in range(TRIES):
        began = time.perf_counter()
        answer = client.get(path, follow_redirects=True)
        times.append((time.perf_counter() - began) * 1000)
        assert answer.status_code == 200, path
    spent = (sum(server.cpu_times()[:2]) - before) / TRIES * 1000
    return f"{spread(times)}  {spent:13.1f}  {len(answer.content) / 1000:.0f}"


def paint(url: str, cookies: dict[str, str], pages: tuple[str, ...]) -> None:
    """Print how soon a browser with a warm cache shows something of each page."""
    from playwright.sync_api import sync_playwright

    print(f"{'milliseconds until the first paint':60}   best  median   worst")
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        context = browser.new_context(base_url=url)
        context.add_cookies([{"name": name, "value": value, "url": url} for name, value in cookies.items()])
        page = context.new_page()
        page.goto("/")
        for path in pages:
            times = []
            for _ in range(TRIES):
                page.goto(path)
                times.append(float(page.evaluate(PAINTED)))
            print(f"{path:60} {spread(times)}")
        browser.close()


def spread(times: list[float]) -> str:
    return f"{min(times):6.1f}  {statistics.median(times):6.1f}  {max(times):6.1f}"


if __name__ == "__main__":
    main()
