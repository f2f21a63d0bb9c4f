"""Do links of converted documents join the frontier?"""

import re
from pathlib import Path

import pytest
from keeper_samples import make_keeper

from tiptoe.decide.scheduling import schedule_point
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.keeper.commands import answer
from tiptoe.keeper.document_links import take_links
from tiptoe.protocol.operator import DocumentLists, LinksTaken, ListDocuments, TakeLinks
from tiptoe.store.memory import MemoryStore
from tiptoe.url.canonical import Canonicalizer, CanonicalRules
from tiptoe.url.scope import Scope
from tiptoe.write.dropbox import FoundLinks, leave_links, links_in, waiting_links

DOCUMENT = "http://a.example/folder/d.pdf"


def frontier_with(**policy: object) -> Frontier:
    return Frontier(MemoryStore(), FrontierPolicy(**policy))  # type: ignore[arg-type]


def leave(directory: Path, *hrefs: str, depth: int = 0, name: str = "one") -> None:
    leave_links(directory, name, [FoundLinks(DOCUMENT, depth, list(hrefs))])


def test_links_are_resolved_against_their_document_and_queued(tmp_path: Path) -> None:
    frontier = frontier_with()
    leave(tmp_path, "http://b.example/x#part", "other.pdf", "HTTP://B.example:80/x", "mailto:a@b.example")
    assert take_links(frontier, tmp_path, now=0.0) == 2
    assert frontier.counters.gauges.queued == 2
    assert sorted(frontier.new_hosts(10)) == ["a.example", "b.example"]
    frontier.check()


def test_links_are_one_farther_from_the_seeds_and_within_the_bounds(tmp_path: Path) -> None:
    """The bounds of the crawl hold for documents, too."""
    frontier = frontier_with(schedule=schedule_point(Scope(depth_max=3, exclude_hosts=(re.compile("bad"),))))
    leave(tmp_path, "http://b.example/", "http://bad.example/", depth=2)
    assert take_links(frontier, tmp_path, now=0.0) == 1
    leave(tmp_path, "http://c.example/", depth=3)
    assert take_links(frontier, tmp_path, now=0.0) == 0
    assert frontier.counters.totals.discards["out_of_scope"] == 1
    assert frontier.counters.totals.discards["too_deep"] == 1


def test_what_the_web_sent_does_not_lead_to_files_of_this_machine(tmp_path: Path) -> None:
    """As with pages; files may lead to others of their kind."""
    canonicalizer = Canonicalizer(CanonicalRules(schemes=frozenset({"http", "file"})))
    frontier = frontier_with(canonicalizer=canonicalizer)
    leave(tmp_path, "file:///etc/passwd", "http://b.example/")
    assert take_links(frontier, tmp_path, now=0.0) == 1
    assert frontier.counters.totals.discards["out_of_scope"] == 1
    leave_links(tmp_path, "two", [FoundLinks("file:///home/d.pdf", 0, ["other.pdf"])])
    assert take_links(frontier, tmp_path, now=1.0) == 1


def test_traps_and_what_is_no_address_are_counted(tmp_path: Path) -> None:
    frontier = frontier_with()
    leave(tmp_path, "http://b.example" + "/a" * 30, "http://[bad")
    assert take_links(frontier, tmp_path, now=0.0) == 0
    assert frontier.counters.totals.discards["bad_href"] == 1
    assert (
        sum(count for name, count in frontier.counters.totals.discards.items() if name.startswith("trap_"))
        == 1
    )


def test_documents_beyond_the_last_hop_lead_no_farther(tmp_path: Path) -> None:
    frontier = frontier_with(schedule=schedule_point(hops_max=5))
    leave(tmp_path, "http://b.example/", depth=5)
    assert take_links(frontier, tmp_path, now=0.0) == 0
    assert frontier.counters.totals.discards["trap_depth"] == 1


def test_a_file_is_taken_once_and_a_known_link_is_not_queued_again(tmp_path: Path) -> None:
    """A crash after the commit leaves the file; its links are known by then."""
    frontier = frontier_with()
    leave(tmp_path, "http://b.example/")
    (path,) = waiting_links(tmp_path)
    data = path.read_bytes()
    assert take_links(frontier, tmp_path, now=0.0) == 1
    assert waiting_links(tmp_path) == []
    path.write_bytes(data)
    assert take_links(frontier, tmp_path, now=1.0) == 0
    assert frontier.counters.gauges.queued == 1


def test_files_are_taken_one_at_a_time_oldest_first(tmp_path: Path) -> None:
    """The keeper has other things to do in between."""
    keeper, _ = make_keeper(tmp_path)
    leave(tmp_path, "http://c.example/", name="b")
    leave(tmp_path, "http://b.example/", "http://b.example/2", name="a")
    assert answer(keeper, TakeLinks()) == LinksTaken(2, 1)
    assert answer(keeper, TakeLinks()) == LinksTaken(1, 0)
    assert answer(keeper, TakeLinks()) == LinksTaken(0, 0)


def test_the_keeper_tells_how_far_lists_are_committed(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path)
    marks = {"documents/h1-00001.jsonl": 10, "corpus/h1-00001.jsonl": 20}
    keeper.frontier.report([], marks, keeper.clock.now())
    assert answer(keeper, ListDocuments()) == DocumentLists({"documents/h1-00001.jsonl": 10})


@pytest.mark.parametrize("line", [b"nonsense", b'{"url": 1}', b"\xff\xfe", b""])
def test_lines_that_are_none_of_ours_are_passed_over(tmp_path: Path, line: bytes) -> None:
    leave(tmp_path, "http://b.example/")
    (path,) = waiting_links(tmp_path)
    path.write_bytes(line + b"\n" + path.read_bytes())
    assert [found.hrefs for found in links_in(path)] == [["http://b.example/"]]
