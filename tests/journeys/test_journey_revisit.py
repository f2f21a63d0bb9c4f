"""Pages that change are visited again: politely, for little, and every version is true."""

import re
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from journey_crawl import Crawl, Stage, simulated_web, tiptoe, wait_until
from warcio.archiveiterator import ArchiveIterator

from simulated.proofs import check_members
from tiptoe.cli.exits import Exit
from tiptoe.testing.shape import WebShape
from tiptoe.write.cdxj import find

pytestmark = pytest.mark.journey

CHANGING = WebShape(
    seed=5, hosts=6, hosts_per_address=2, pages_per_host=8, pages_spread=0.0, page_bytes=4_000,
    links_per_page=10, external_share=0.2, change_seconds=5.0, static_share=0.4, redirect_share=0.1,
    gone_share=0.1, sitemap_share=0.5, gzip_share=0.5, robots_share=0.5,
)  # fmt: skip
"""Fifty pages; three fifths of them change, each at its own pace, every few seconds."""

INTERVAL_SECONDS = 2

EDITION = re.compile(r'"[0-9a-f]+-[0-9a-f]+-([0-9a-f]+)"')

Archived = dict[str, list[tuple[str, str, str]]]  # by URL: kind of record, status, ETag


def watching(stage: Stage, **settings: Any) -> Crawl:
    """Return a crawl that comes back to every page after two seconds."""
    return stage.crawl(
        revisit__strategy="uniform", revisit__first=f"{INTERVAL_SECONDS}s", revisit__min="1s",
        harvest__harvesters=2, **settings,
    )  # fmt: skip


def archived(crawl: Crawl) -> Archived:
    """Return what the archive holds of each page, in order, proved by a reader that is not ours."""
    found: Archived = defaultdict(list)
    moments: dict[str, list[str]] = defaultdict(list)
    for path in sorted((crawl.out / "warc").glob("*.warc.gz")):
        assert check_members(path).faults == []
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.content_stream().read()
                if record.rec_type not in ("response", "revisit"):
                    continue
                url = record.rec_headers.get_header("WARC-Target-URI")
                head = record.http_headers
                status, etag = (head.get_statuscode(), head.get_header("ETag")) if head else ("200", "")
                moments[url].append(record.rec_headers.get_header("WARC-Date"))
                found[url].append((record.rec_type, status, etag or ""))
    for url, entries in found.items():
        order = sorted(range(len(entries)), key=moments[url].__getitem__)
        found[url] = [entries[place] for place in order]
    return found


def check_versions(stage: Stage, crawl: Crawl, archive: Archived) -> int:
    """Every version is one that the page had, in the order in which it had them; return how many changed."""
    versions = defaultdict(list)
    for document in sorted(crawl.documents(), key=lambda document: document["fetched_at"]):
        versions[document["url"]].append(document)
    assert sorted(versions) == stage.truth()
    changed = 0
    for url, documents in versions.items():
        assert [document.get("version", 1) for document in documents] == list(range(1, len(documents) + 1))
        host, number = stage.web.find(url)
        assert host is not None
        assert number is not None
        stored = [etag for kind, status, etag in archive[url] if (kind, status) == ("response", "200")]
        assert len(stored) == len(documents), f"{url}: a body was stored that is no version, or the other way"
        editions = [int(EDITION.fullmatch(etag)[1], 16) for etag in stored]  # type: ignore[index]
        assert editions == sorted(set(editions)), "the same edition was stored twice"
        truths = [Counter(stage.web.pages.paragraphs(host, number, edition)) for edition in editions]
        for document, truth in zip(documents, truths, strict=True):
            found = Counter(document["paragraphs"])  # menus too
            assert truth <= found
            assert not any((other - truth) & found for other in truths), "something of another edition"
        changed += len(documents) > 1
    return changed


def test_versions_are_true_unchanged_pages_cost_nothing_and_nobody_is_bothered(tmp_path: Path) -> None:
    """The whole of incremental crawling, seen from the servers' side (INC-4, INC-7)."""
    with simulated_web(tmp_path, CHANGING) as stage:
        crawl = watching(stage, crawl__on_end="watch", crawl__max_seconds="12s")
        crawl.run(ends=Exit.LIMIT)
    archive = archived(crawl)
    assert check_versions(stage, crawl, archive) >= 10
    visits = [entry for entries in archive.values() for entry in entries]
    unmodified = [entry for entry in visits if entry[:2] == ("revisit", "304")]
    assert len(unmodified) >= 50
    assert not any(kind == "response" and status == "304" for kind, status, _ in visits)

    url = next(url for url, entries in archive.items() if ("revisit", "304") in {e[:2] for e in entries})
    digests = {entry.mime: entry.digest for entry in find(crawl.out, url)}
    assert digests["warc/revisit"] in {
        entry.digest for entry in find(crawl.out, url) if entry.mime == "text/html"
    }

    assert stage.violations() == []
    audit = tiptoe("audit", str(crawl.out))
    assert audit.returncode == 0, audit.stdout
    assert crawl.open_files() == []


def test_run_again_a_crawl_visits_what_is_due_by_then(tmp_path: Path) -> None:
    """`stop` ends when nothing is due; a run a day is the simplest way to stay fresh."""
    with simulated_web(tmp_path, CHANGING) as stage:
        crawl = watching(stage)
        crawl.run()
        first = len(crawl.documents())
        asked = crawl.request_lines()
        ended_at = time.time()
        wait_until(lambda: time.time() > ended_at + INTERVAL_SECONDS, "pages to be due again")
        crawl.run()
    assert crawl.request_lines() > asked
    assert len(crawl.documents()) >= first
    check_versions(stage, crawl, archived(crawl))
    assert stage.violations() == []


def test_whatever_is_killed_versions_stay_true(tmp_path: Path) -> None:
    """A version that was not acknowledged is cut off, and fetched again (HAR-4)."""
    with simulated_web(tmp_path, CHANGING) as stage:
        crawl = watching(stage, crawl__on_end="watch", crawl__max_seconds="8s")
        crawl.start()
        crawl.wait_for_lines(90)  # some of them revisits
        crawl.kill_all()
        crawl.run(ends=Exit.LIMIT)
    check_versions(stage, crawl, archived(crawl))
    assert stage.violations() == []
