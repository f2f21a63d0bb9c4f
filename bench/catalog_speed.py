"""How fast is a catalog built, and how fast does it answer?

Documents are generated: sentences of words in Czech spelling, with frequencies as uneven as in a real
language. The corpus is written as a crawl writes it, read into a catalog by the code that a crawl uses, in a
process of its own, and searched in another. Prints documents per CPU second, memory of both processes, and
the times of queries, counts and concordances. The time to analyse one document alone is printed as well:
machines are shared, so compare runs by the ratio.

examples:
    python bench/catalog_speed.py --documents 100000
    python bench/catalog_speed.py --documents 1000000 --keep /tmp/catalog-speed
    python bench/catalog_speed.py --documents 20000 --database postgresql://user@/name
"""

import argparse
import json
import multiprocessing
import random
import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from tiptoe.catalog.catalog_directory import CatalogDirectory, open_catalog
from tiptoe.catalog.catalog_update import CatalogUpdate
from tiptoe.catalog.search import ConcordanceOrder, ConcordanceRequest, SearchRequest, Sort
from tiptoe.catalog.words import analyse
from tiptoe.observe.process import share_one_arena
from tiptoe.write.corpus import CorpusWriter, Document

WORDS = 200_000
SENTENCES = 50_000
SENTENCE_WORDS = 12
DOCUMENT_SENTENCES = 38
WATCH_SECONDS = 0.2
SYLLABLES = [
    "vo",
    "da",
    "ře",
    "ka",
    "mě",
    "sto",
    "čí",
    "sl",
    "o",
    "ží",
    "vot",
    "prá",
    "ce",
    "stra",
    "na",
    "věc",
    "ško",
    "la",
    "ně",
    "co",
    "ná",
    "mě",
    "stí",
    "kni",
    "ha",
    "hlav",
    "ní",
    "lid",
    "é",
]


class Took(NamedTuple):
    """Milliseconds of wall-clock and CPU time."""

    clock: float
    cpu: float


def main() -> None:
    options = _parser().parse_args()
    with tempfile.TemporaryDirectory(prefix="catalog-speed-") as temporary:
        directory = Path(options.keep or temporary)
        if not (directory / "corpus").is_dir():
            generate(directory, options.documents)
        print(f"analysing one document takes {analysis_seconds() * 1e6:.0f} µs")
        if not options.only_search:
            built = apart(build, directory, options.database)
            print(json.dumps(built, indent=2))
        print(json.dumps(apart(search, directory, options.database), indent=2))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--keep", help="directory that is used again")
    parser.add_argument("--only-search", action="store_true", help="the catalog is there from an earlier run")
    parser.add_argument("--database", default="", help="PostgreSQL in place of the embedded index")
    return parser


def sentences(chance: random.Random) -> list[str]:
    """Return sentences of words; the n-th word is n times as rare as the first."""
    words = sorted({"".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(WORDS)})
    chance.shuffle(words)
    weights = [1 / place for place in range(1, len(words) + 1)]
    drawn = iter(chance.choices(words, weights, k=SENTENCES * SENTENCE_WORDS))
    return [" ".join(next(drawn) for _ in range(SENTENCE_WORDS)).capitalize() + "." for _ in range(SENTENCES)]


def generate(directory: Path, count: int) -> None:
    """Write a corpus."""
    chance = random.Random(1)
    known = sentences(chance)
    writer = CorpusWriter(directory, "h1-1-0001", size_max=1 << 30, encoding="utf-8")
    for number in range(count):
        lines = chance.choices(known, k=chance.randint(1, 2 * DOCUMENT_SENTENCES - 1))
        writer.write_document(
            Document(
                id=f"<urn:uuid:{number}>",
                url=f"https://www.h{number % 997}.example.cz/stranka/{number}.html",
                title=chance.choice(known)[:60], language="cs", charset="utf-8",
                lang=chance.choice(["cs", "sk", "de"]),
                fetched_at=f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}T10:{number % 60:02d}:00Z",
                last_modified="", depth=number % 7, digest="", warc_file="x.warc.gz", warc_offset=number,
                paragraphs=[" ".join(lines[place : place + 5]) for place in range(0, len(lines), 5)],
                html_bytes=20_000, usability=chance.random(),
            )
        )  # fmt: skip
        if number % 5000 == 0:
            writer.files.flush()
    writer.files.flush()
    marks = writer.files.marks()
    writer.files.acknowledge(marks)
    writer.files.close()


def analysis_seconds() -> float:
    chance = random.Random(2)
    text = " ".join(chance.choices(sentences(chance), k=DOCUMENT_SENTENCES))
    analyse(text)
    began = time.process_time()
    for _ in range(200):
        analyse(text)
    return (time.process_time() - began) / 200


def apart(
    task: Callable[[Path, str], dict[str, object]], directory: Path, database: str
) -> dict[str, object]:
    """Run a task in a process of its own, so that its memory is that of the task."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(task, (directory, database))


def build(directory: Path, database: str) -> dict[str, object]:
    """Build the catalog, as `tiptoe catalog build --rebuild` does."""
    share_one_arena()
    began, cpu = time.monotonic(), cpu_seconds()
    place = CatalogDirectory(directory, database)
    with memory_watched() as peaks, place.held(), place.new_writer() as writer:
        updater = CatalogUpdate(directory, writer)
        updater.run(None)
    used, pages = cpu_seconds() - cpu, updater.amounts.pages
    size = sum(path.stat().st_size for path in (directory / "catalog").rglob("*") if path.is_file())
    corpus = sum(path.stat().st_size for path in (directory / "corpus").iterdir())
    return {
        "documents": pages, "seconds": round(time.monotonic() - began, 1), "cpu_seconds": round(used, 1),
        "documents_per_cpu_second": round(pages / used), "corpus_MB": corpus >> 20, "catalog_MB": size >> 20,
        **peaks,
    }  # fmt: skip


def search(directory: Path, database: str) -> dict[str, object]:
    """Run typical queries."""
    chance = random.Random(3)
    known = " ".join(sentences(random.Random(1))[:2000]).replace(".", "").lower().split()
    words = [chance.choice(known) for _ in range(60)]
    frequent = max(set(known), key=known.count)
    pairs = zip(words[:20], words[20:40], strict=True)
    queries = [
        *words[:30],
        *(f"title:{word}" for word in words[30:40]),
        *(f"{one} {other}" for one, other in pairs),
        *(f"{word} lang:cs site:h{place}.example.cz" for place, word in enumerate(words[:10])),
        *(f"{word} date:2026-03..2026-05 usability:0.5.." for word in words[:10]),
        *(f'"{known[place]} {known[place + 1]}"' for place in range(0, 1000, 100)),
        *(f"{word[:4]}*" for word in words[:10]),
    ]
    with memory_watched() as peaks, closing(open_catalog(directory, database)) as catalog:

        def ask(query: str, sort: Sort = "relevance", *, facets: bool = False) -> Took:
            return timed(lambda: catalog.search(SearchRequest(query=query, sort=sort, facets=facets)))

        def line_up(sort: ConcordanceOrder) -> Took:
            return timed(lambda: catalog.concordance(ConcordanceRequest(query=frequent, sort=sort)))

        ask(frequent)
        asked = [ask(query) for query in queries]
        ordered = [ask(query, "newest") for query in queries[:40]]
        counted = [ask(query, facets=True) for query in queries[:20]]
        orders: list[ConcordanceOrder] = ["none", "left", "right"]
        lines = [line_up(order) for order in 2 * orders]
        everything = catalog.search(SearchRequest(query=frequent)).total
    return {
        "query_ms": spread(asked), "sorted_query_ms": spread(ordered),
        "query_with_facets_ms": spread(counted),
        f"concordance_ms ({frequent}, in {everything} documents)": spread(lines), **peaks,
    }  # fmt: skip


def timed(task: Callable[[], object]) -> Took:
    began, cpu = time.perf_counter(), time.process_time()
    task()
    return Took((time.perf_counter() - began) * 1000, (time.process_time() - cpu) * 1000)


def spread(values: list[Took]) -> dict[str, float]:
    """Return wall-clock and CPU times; other processes hardly affect the latter."""
    clock, cpu = (sorted(times) for times in zip(*values, strict=True))
    return {
        "median": round(statistics.median(clock), 2),
        "p95": round(clock[int(len(clock) * 0.95)], 2),
        "cpu_median": round(statistics.median(cpu), 2),
        "cpu_p95": round(cpu[int(len(cpu) * 0.95)], 2),
    }


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextmanager
def memory_watched() -> Iterator[dict[str, int]]:
    """Sample the memory of this process while the `with` lasts: its own, and that of mapped files.

    Index files are mapped as far as memory permits, and can be evicted at any time.
    """
    peaks = {"peak_own_MB": 0, "peak_files_MB": 0}
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(WATCH_SECONDS):
            lines = Path("/proc/self/status").read_text().splitlines()
            known = {
                line.split(":")[0]: int(line.split()[1]) >> 10 for line in lines if line.startswith("Rss")
            }
            for name, field in (("peak_own_MB", "RssAnon"), ("peak_files_MB", "RssFile")):
                peaks[name] = max(peaks[name], known[field])

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peaks
    finally:
        is_over.set()
        thread.join()


if __name__ == "__main__":
    main()
