"""What does it cost to recognise every known paragraph?

The real index over RocksDB, queried about pages in batches and updated in steps, as by the keeper; a share of
the paragraphs are copies. Prints CPU per page and per paragraph for the keeper (queries, updates) and for a
harvester (fingerprint, judgement), bytes on disk per page, and memory, as the index grows.

    python bench/duplicity_cost.py --pages 200000
"""

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from tiptoe.frontier.duplicity import Paragraphs
from tiptoe.frontier.host import Hosts
from tiptoe.harvest.judgement import DuplicityRules, judge
from tiptoe.parse.html import read_page
from tiptoe.protocol.work import Question
from tiptoe.settings.layers import Settings
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Writes
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.text.fingerprint import HASH_BYTES, fingerprint_of

PARAGRAPHS = 20
BATCH_PAGES = 30
STEPS = 5


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=200_000)
    parser.add_argument("--copies", type=float, default=0.1, help="share of paragraphs met before")
    options = parser.parse_args()
    print_harvester()
    with tempfile.TemporaryDirectory() as scratch:
        memory = Settings().frontier
        store = RocksStore(
            Path(scratch) / "db",
            block_cache_bytes=memory.block_cache,
            write_buffer_bytes=memory.write_buffer,
        )
        print_keeper(store, Path(scratch), options.pages, options.copies)
        store.close()


def print_harvester() -> None:
    """Measure what a page costs its harvester."""
    web = SimulatedWeb(WebShape.bench())
    texts = [read_page(_page(web, index), agent="tiptoe").paragraphs for index in range(50)]
    began = time.process_time()
    fingerprints = [
        fingerprint_of(text, bytes(HASH_BYTES), chars_min=50) for text in texts for _ in range(10)
    ]
    made = time.process_time()
    answers = [bytes(len(fingerprint.hashes) // HASH_BYTES) for fingerprint in fingerprints]
    rules = DuplicityRules()
    judging = time.process_time()
    for fingerprint, answer in zip(fingerprints, answers, strict=True):
        judge(fingerprint, answer, rules)
    judged = time.process_time()
    pages, chars = len(fingerprints), sum(sum(map(len, text)) for text in texts) / len(texts)
    print(
        f"harvester: {(made - began) / pages * 1e6:.0f} us a page of {chars:.0f} characters for its "
        f"fingerprint, {(judged - judging) / pages * 1e6:.0f} us for judging it"
    )


def _page(web: SimulatedWeb, index: int) -> str:
    host = web.hosts.at(index)
    return web.respond(host.name, "/").body.decode(host.charset)


def print_keeper(store: RocksStore, scratch: Path, pages: int, copies: float) -> None:
    """Measure what a page costs the keeper, while the index grows."""
    index = Paragraphs(store, Hosts(store))
    print(
        f"{'pages':>10} {'ask us':>8} {'learn us':>9} {'us/paragraph':>13} {'disk B/page':>12} "
        f"{'memory MB':>10}"
    )
    asked = learned = 0.0
    batches = _batches(pages, copies)
    per_step = pages // STEPS // BATCH_PAGES
    for step in range(1, STEPS + 1):
        asked = learned = 0.0
        for _ in range(per_step):
            questions = next(batches)
            began = time.process_time()
            index.claim(questions)
            answered = time.process_time()
            batch = Writes()
            for question in questions:
                index.learn(batch, question.url, question.fingerprint, is_kept=True)
            store.write(batch)
            index.committed()
            asked += answered - began
            learned += time.process_time() - answered
        done = per_step * BATCH_PAGES
        cost = (asked + learned) / done * 1e6
        size = sum(path.stat().st_size for path in (scratch / "db").glob("*.sst"))
        memory = psutil.Process().memory_info().rss
        print(
            f"{step * done:>10,} {asked / done * 1e6:>8.1f} {learned / done * 1e6:>9.1f} "
            f"{cost / (1 + PARAGRAPHS):>13.2f} {size / (step * done):>12.0f} {memory / 1e6:>10.0f}",
            flush=True,
        )


def _batches(pages: int, copies: float) -> Iterator[list[Question]]:
    rng = random.Random(1)
    number = met = 0
    while True:
        questions = []
        for _ in range(BATCH_PAGES):
            number += 1
            hashes = [rng.randbytes(HASH_BYTES)]
            for _ in range(PARAGRAPHS):
                if met and rng.random() < copies:
                    hashes.append(_hash(rng.randrange(met)))
                else:
                    hashes.append(_hash(met))
                    met += 1
            url = f"http://h{rng.randrange(max(1, pages // 100))}.example/{number}"
            questions.append(Question(number, url, b"".join(hashes)))
        yield questions


def _hash(number: int) -> bytes:
    """Return the hash of a paragraph by its number, spread over all values."""
    return (number * 0x9E3779B97F4A7C15 & (1 << 64) - 1).to_bytes(HASH_BYTES, "big")


if __name__ == "__main__":
    main()
