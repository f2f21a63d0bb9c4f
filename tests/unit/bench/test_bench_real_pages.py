"""Are the pages that the bench serves the real ones, but for what it says?"""

import gzip
import importlib
import io
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tiptoe.errors import SettingsError

BENCH = Path(__file__).parents[3] / "bench"
LONG = b"A sentence that is long enough to be told from others"
PAGE = (
    b"<html><head><title>" + LONG + b"</title><script>if (a>" + LONG + b"<b) c()</script></head>"
    b"<body><!-- <p>"
    + LONG
    + b"</p> --><p>"
    + LONG
    + b'</p>\n<p>short</p> <a href="https://a.example/">x</a>'
    b"<div>\n  " + LONG + b"</div></body></html>"
)


@pytest.fixture
def bench() -> Iterator[ModuleType]:
    """Benchmarks are scripts beside each other, as `python bench/real_pages.py` finds them."""
    sys.path.insert(0, str(BENCH))
    yield importlib.import_module("real_pages")
    sys.path.remove(str(BENCH))


@pytest.fixture
def stored(bench: ModuleType) -> ModuleType:
    return importlib.import_module("stored_web")


def test_a_variant_has_its_word_in_every_longer_text_and_nowhere_else(bench: ModuleType) -> None:
    """Scripts must stay what they are, and a paragraph without the word would be a copy."""
    plain = PAGE.replace(b"https:", b"http:")
    variant = bench.variant_of(bench.pieces_of(PAGE), 27)
    assert variant.replace(b"vbb ", b"") == plain
    assert variant.count(b"vbb ") == 2
    assert b"<p>vbb " + LONG in variant
    assert b"<div>\n  vbb " + LONG in variant


def test_every_page_is_served_equally_often_and_differs_each_time(bench: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "one.html").write_bytes(PAGE)
    (tmp_path / "two.html.gz").write_bytes(gzip.compress(b"<p>two</p>"))
    (tmp_path / "notes.txt").write_bytes(b"no page")
    with tarfile.open(tmp_path / "more.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("deep/three.html")
        member.size = 12
        archive.addfile(member, io.BytesIO(b"<p>three</p>"))
    stock = bench.stock_of(tmp_path, wanted=5, hosts=10)
    pages = [gzip.decompress(answer.partition(b"\r\n\r\n")[2]) for answer in stock.answers]
    assert len(set(pages)) == 6
    for start in (b"<html>", b"<p>two", b"<p>three"):
        assert sum(page.startswith(start) for page in pages) == 2
    assert stock.html_bytes == sum(map(len, pages))


def test_a_folder_without_pages_is_refused(bench: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no \*\.html"):
        bench.stock_of(tmp_path, wanted=1, hosts=1)


@pytest.mark.parametrize(
    "target",
    ["a.example/robots.txt", "a.example/.well-known/tdmrep.json", "a.example/feed/", "a.example/a.xml?b"],
)
def test_rules_and_feeds_do_not_exist(stored: ModuleType, target: str) -> None:
    """A page in the place of rules or a feed would be read as what it is not."""
    assert stored.answer_to(f"GET http://{target} HTTP/1.1".encode(), iter([b"page"])) == stored.MISSING


def test_every_other_path_has_the_next_page(stored: ModuleType) -> None:
    pages = iter([b"first", b"second"])
    assert stored.answer_to(b"GET http://a.example/ HTTP/1.1", pages) == b"first"
    assert stored.answer_to(b"GET http://feed.example/feedback HTTP/1.1", pages) == b"second"


def test_names_lead_to_the_benchmark_range_only(stored: ModuleType) -> None:
    """Pages name real hosts; none of them may ever be asked."""
    addresses = {stored.addresses_of(f"www{number}.example.org", 1)[0] for number in range(1000)}
    assert {address.split(".")[0] for address in addresses} == {"198"}
    assert {address.split(".")[1] for address in addresses} == {"18", "19"}
    assert len(addresses) > 980
