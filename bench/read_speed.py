"""How fast does `tiptoe read` read an archive, compared with trafilatura, and with how much memory?

    python bench/read_speed.py DATA --beside VENV/bin/python       pages per CPU second
    python bench/read_speed.py --pages 100000                      memory, on pages of the simulated web

DATA is a folder of pages (`*.html`, `*.html.gz`). They are written to one WARC file, repeatedly if
necessary, each time with another number in every paragraph, so that few are copies. Measured is the CPU time
of all processes of the real command, from start to end: unpacking, reading, language, rating, comparing,
writing. For comparison, a Python with trafilatura installed gets the same pages, each once, one by one in
memory; its start is not counted. Memory is the sum over all processes (PSS, where available), sampled twice a
second.

The bars: 20 times trafilatura's pages with `all`, 4 times with `main`; 100 000 pages in 400 MB.
"""

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.write.record import member, new_ids, sha1_label

BESIDE = """
import gzip, sys, time, warnings, logging
warnings.simplefilter("ignore"); logging.disable(logging.CRITICAL)
import trafilatura
names = sys.stdin.read().splitlines()
pages = [(gzip.open if name.endswith(".gz") else open)(name, "rb").read() for name in names]
began = time.process_time()
found = sum(bool(trafilatura.extract(page)) for page in pages)
print(time.process_time() - began, found)
"""


def pages_in(folder: Path) -> list[Path]:
    """Return the pages of a folder, in order."""
    return sorted([*folder.rglob("*.html"), *folder.rglob("*.html.gz")])


def bodies(paths: list[Path], count: int) -> Iterator[bytes]:
    """Yield `count` pages, slightly changed in later rounds; simulated ones if there are none."""
    if not paths:
        web = SimulatedWeb(WebShape(seed=3, hosts=1000, pages_per_host=200, pages_spread=0.0))
        for number in range(count):
            host, _ = web.find(web.home_of(number % 1000))
            assert host is not None
            yield web.pages.render(host, number // 1000)
        return
    for number in range(count):
        path = paths[number % len(paths)]
        body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        turn = number // len(paths)
        yield body.replace(b"<p", b"<p>%d</p><p" % turn).replace(b". ", b" %d. " % turn) if turn else body


def write_archive(path: Path, paths: list[Path], count: int) -> int:
    """Write an archive of `count` pages; return their size in bytes."""
    size = 0
    with path.open("wb") as file:
        for number, body in enumerate(bodies(paths, count)):
            size += len(body)
            block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
            (identifier,) = new_ids(1)
            head = (
                f"WARC-Type: response\r\nWARC-Record-ID: <{identifier}>\r\n"
                "WARC-Date: 2026-01-02T03:04:05Z\r\n"
                f"WARC-Target-URI: https://h{number % 997}.example/{number}\r\n"
                f"WARC-Payload-Digest: {sha1_label(body)}\r\n"
                "Content-Type: application/http; msgtype=response\r\n"
            )
            file.write(member(head, block, 1))
    return size


def held_bytes(process: psutil.Process) -> int:
    """Return the memory of a process and its descendants."""
    held = 0
    for one in [process, *process.children(recursive=True)]:
        try:
            found = one.memory_full_info()
            held += getattr(found, "pss", found.rss)
        except psutil.Error:
            continue
    return held


def read(archive: Path, out: Path, *options: str) -> tuple[dict[str, object], float, float, int]:
    """Run the command; return its output, CPU seconds, wall-clock seconds, and peak memory."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, "-m", "tiptoe", "read", str(archive), "--out", str(out), "--json", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    watched, most = psutil.Process(process.pid), 0
    while process.poll() is None:
        try:
            most = max(most, held_bytes(watched))
        except psutil.Error:
            break
        time.sleep(0.5)
    assert process.stdout is not None
    told = json.loads(process.stdout.read())
    process.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return told, cpu, time.monotonic() - began, most


def beside(python: str, paths: list[Path]) -> float:
    """Return how many pages trafilatura reads per CPU second."""
    names = "\n".join(str(path.absolute()) for path in paths)
    done = subprocess.run([python, "-c", BESIDE], input=names, capture_output=True, text=True, check=True)
    seconds, found = done.stdout.split()
    print(f"trafilatura        {len(paths):>7} pages {float(seconds):8.1f} CPU s  {found} texts")
    return len(paths) / float(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--pages", type=int, default=0, help="how many; each page ten times unless given")
    parser.add_argument("--beside", default="", help="a Python with trafilatura")
    parser.add_argument("--processes", default="2")
    parser.add_argument("--extraction", nargs="*", default=["all", "main"])
    options = parser.parse_args()
    paths = pages_in(options.data) if options.data else []
    count = options.pages or 10 * len(paths) or 1000
    other = beside(options.beside, paths) if options.beside and paths else 0.0
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "pages.warc.gz")
        size = write_archive(archive, paths, count)
        print(f"{count} pages, {size / 1e6:.0f} MB, in an archive of {archive.stat().st_size / 1e6:.0f} MB")
        for extraction in options.extraction:
            out = Path(folder, extraction)
            told, cpu, seconds, most = read(
                archive, out, "--processes", options.processes, "--extraction", extraction
            )
            rate = count / cpu
            times = f"  {rate / other:5.1f} times" if other else ""
            print(
                f"tiptoe {extraction:<11} {count:>7} pages {cpu:8.1f} CPU s {seconds:7.1f} s  "
                f"{rate:6.0f} pages per CPU s{times}  {most / 1e6:.0f} MB  {told['counts']}"
            )


if __name__ == "__main__":
    main()
