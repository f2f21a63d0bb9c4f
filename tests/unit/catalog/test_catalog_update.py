"""Does a catalog hold what the files of its crawl say, whatever happens on the way?"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tiptoe.catalog.catalog_directory import CatalogDirectory, open_catalog
from tiptoe.catalog.catalog_index import Change, IndexWriter, KnownPage, ReadPosition
from tiptoe.catalog.catalog_update import (
    CatalogUpdate,
    FilesChanged,
    commit_delay,
    source_files,
    unread_bytes,
)
from tiptoe.catalog.search import ConcordanceRequest, SearchRequest
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.observe.run_figures import write_figures
from tiptoe.protocol.status import Status
from tiptoe.write.corpus import Document, encode_line

MARKED = "corpus/h1-a-0001-00001.jsonl"


def line(url: str, text: str = "nic", *, day: int = 1, **fields: Any) -> bytes:
    document = Document(
        id=f"<{url}>", url=f"https://a.example/{url}", title=url, language="cs", charset="utf-8", depth=0,
        fetched_at=f"2026-01-{day:02d}T00:00:00Z", last_modified="", digest="", warc_file="", warc_offset=0,
        paragraphs=[text], **fields,
    )  # fmt: skip
    return msgspec.json.encode(document) + b"\n"


def gone(url: str, *, day: int) -> bytes:
    note = {"url": f"https://a.example/{url}", "gone_at": f"2026-01-{day:02d}T00:00:00Z", "status": 404}
    return json.dumps(note).encode() + b"\n"


def put(directory: Path, name: str, *lines: bytes) -> Path:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))
    return path


def update(directory: Path, committed: Mapping[str, int] | None = None, **options: Any) -> CatalogUpdate:
    """Bring the catalog up to date, as a process does that is started and ends."""
    place = CatalogDirectory(directory)
    with place.held():
        writer = place.current_writer()
        if writer is None:
            with place.new_writer() as new:
                updater = CatalogUpdate(directory, new, **options)
                updater.run(committed)
            return updater
        with closing(writer):
            updater = CatalogUpdate(directory, writer, **options)
            updater.run(committed)
    return updater


def texts(directory: Path, query: str = "") -> dict[str, str]:
    """Return the text of every page in the catalog, by the end of its URL."""
    with open_catalog(directory) as catalog:
        hits = catalog.search(SearchRequest(query=query, limit=1000)).hits
    return {hit.url.rpartition("/")[2]: hit.snippet.text for hit in hits}


@pytest.mark.parametrize("has_boilerplate", [False, True])
def test_the_main_text_is_searched_whatever_else_a_line_has(tmp_path: Path, has_boilerplate: bool) -> None:
    """A text that stands there as one is taken as it is, unless it has more than the main text."""
    document = msgspec.structs.replace(
        msgspec.json.decode(line("a", labels=["good", "boilerplate", "good"]), type=Document),
        paragraphs=["voda", "menu", "les"],
    )
    put(tmp_path, "corpus/h1-00001.jsonl", encode_line(document, has_boilerplate=has_boilerplate) + b"\n")
    update(tmp_path)
    assert texts(tmp_path, "les") == texts(tmp_path, "voda") != {}
    assert texts(tmp_path, "menu") == texts(tmp_path, '"voda les"') == {}


def test_only_new_lines_are_read(tmp_path: Path) -> None:
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"), line("b"))
    assert update(tmp_path).amounts.pages == 2
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"), line("b"), line("c"))
    put(tmp_path, "corpus/h2-00001.jsonl", line("d"))
    assert update(tmp_path).amounts.pages == 2
    assert update(tmp_path).amounts.pages == 0
    assert texts(tmp_path).keys() == {"a", "b", "c", "d"}


def test_of_a_file_that_is_written_only_what_is_committed_is_read(tmp_path: Path) -> None:
    """The rest may be cut off, and its pages asked for again."""
    first = line("a")
    path = put(tmp_path, f"{MARKED}.open", first, line("b"))
    update(tmp_path, {MARKED: len(first)})
    assert texts(tmp_path).keys() == {"a"}
    path.write_bytes(first + line("c"))  # what a recovery leaves, and the next run writes
    path.rename(tmp_path / MARKED)
    update(tmp_path, {})
    assert texts(tmp_path).keys() == {"a", "c"}


def test_whoever_follows_a_crawl_commits_ever_less_often(tmp_path: Path) -> None:
    """Every commit makes a part of the index that has to be merged with others."""
    assert [commit_delay(seconds) for seconds in (0, 20, 100, 6000)] == [5, 10, 50, 60]
    now = 0.0
    path = put(tmp_path, "corpus/h1-00001.jsonl", line("a"))
    place = CatalogDirectory(tmp_path)
    seen = []
    with place.held(), place.new_writer() as writer:
        updater = CatalogUpdate(tmp_path, writer, clock=lambda: now)
        for moment, url in ((3.0, "b"), (7.0, "c"), (9.0, "d")):
            updater.run(None, goes_on=True)
            seen.append("".join(sorted(texts(tmp_path))))
            now = moment
            path.write_bytes(path.read_bytes() + line(url))
        updater.run(None)
    assert seen == ["", "", "abc"]
    assert texts(tmp_path).keys() == {"a", "b", "c", "d"}
    assert updater.amounts.pages == 4, "nothing is read twice while it waits for a commit"


def test_a_keeper_that_does_not_answer_stops_nothing(tmp_path: Path) -> None:
    first = line("a")
    put(tmp_path, f"{MARKED}.open", first)
    update(tmp_path, {MARKED: len(first)})
    update(tmp_path, {})
    assert texts(tmp_path).keys() == {"a"}


def test_a_torn_line_waits_for_its_end(tmp_path: Path) -> None:
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"), line("b")[:-5])
    update(tmp_path)
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"), line("b"))
    update(tmp_path)
    assert texts(tmp_path).keys() == {"a", "b"}


def test_lines_that_are_none_are_counted_and_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "corpus/h1-00001.jsonl", b"{}\n", b"\xff\n", line("a"), b"\n")
    put(tmp_path, "gone/h1-00001.jsonl", b"?\n")
    assert update(tmp_path).amounts.unreadable == 4
    assert texts(tmp_path).keys() == {"a"}


@pytest.mark.parametrize("number", ['"usability":1e308', '"usability":-0.5', f'"html_bytes":{10**30}'])
def test_a_number_that_no_page_can_have_costs_its_line_only(tmp_path: Path, number: str) -> None:
    """One odd line must not keep a million others out of the catalog."""
    odd = line("odd").replace(b'"language"', number.encode() + b',"language"', 1)
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"), odd, line("b"))
    assert update(tmp_path).amounts.unreadable == 1
    assert texts(tmp_path).keys() == {"a", "b"}


def test_a_late_rating_that_is_no_share_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"), line("b"))
    ratings = [{"offset": 0, "id": "a", "usability": 1e308}, {"offset": -5, "id": "b", "usability": 0.5}]
    put(tmp_path, "usability/h1-00001.jsonl", *(json.dumps(one).encode() + b"\n" for one in ratings))
    assert update(tmp_path).amounts.unreadable == 0
    assert texts(tmp_path).keys() == {"a", "b"}


@pytest.mark.parametrize(
    ("damage", "left"),
    [(lambda old: line("a"), {"a", "c"}), (lambda old: old.replace(b"nic", b"neco"), {"a", "b", "c"})],
)
def test_a_file_that_was_cut_or_mended_before_the_position_is_noticed(
    tmp_path: Path, damage: Callable[[bytes], bytes], left: set[str]
) -> None:
    path = put(tmp_path, "corpus/h1-00001.jsonl", line("a"), line("b"))
    update(tmp_path)
    path.write_bytes(damage(path.read_bytes()) + line("c"))
    with pytest.raises(FilesChanged, match=r"h1-00001.jsonl: has changed"):
        update(tmp_path)
    with CatalogDirectory(tmp_path).new_writer() as new:
        CatalogUpdate(tmp_path, new).run(None)
    assert texts(tmp_path).keys() == left


def test_the_last_version_counts_and_pages_that_are_gone_leave(tmp_path: Path) -> None:
    put(tmp_path, "corpus/h1-00001.jsonl", line("a", "new", day=5), line("b", day=1), line("c", day=3))
    put(tmp_path, "corpus/h2-00001.jsonl", line("a", "old", day=2))
    put(tmp_path, "gone/h1-00001.jsonl", gone("b", day=2), gone("c", day=2))
    update(tmp_path)
    assert texts(tmp_path) == {"a": "new", "c": "nic"}


def test_a_document_that_was_converted_anew_replaces_the_old_one(tmp_path: Path) -> None:
    old = put(
        tmp_path, "corpus/converted-001-0001-00001.jsonl", line("a", "old"), line("b", "unreadable now")
    )
    put(tmp_path, "corpus/h1-00001.jsonl", line("c"))
    update(tmp_path)
    old.unlink()
    put(tmp_path, "corpus/converted-002-0001-00001.jsonl", line("a", "new"))
    update(tmp_path)
    assert texts(tmp_path) == {"a": "new", "c": "nic"}


def test_a_finished_file_that_was_moved_away_takes_nothing_along(tmp_path: Path) -> None:
    path = put(tmp_path, "corpus/h1-00001.jsonl", line("a"))
    update(tmp_path)
    path.unlink()
    update(tmp_path)
    assert texts(tmp_path).keys() == {"a"}


def test_a_rating_that_came_later_takes_its_place(tmp_path: Path) -> None:
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"), line("b", usability=0.1))
    update(tmp_path)
    rating = {"offset": len(line("a")), "id": "<b>", "usability": 0.9}
    put(tmp_path, "usability/h1-00001.jsonl", json.dumps(rating).encode() + b"\n")
    update(tmp_path)
    assert texts(tmp_path, "usability:0.8..").keys() == {"b"}
    assert update(tmp_path).amounts.pages == 0


def test_fields_given_by_filters_are_found_with_the_page(tmp_path: Path) -> None:
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"), line("b"))
    given = {"url": "https://a.example/b", "fields": {"keywords": ["pramen"], "price": "sto"}}
    put(tmp_path, "descriptions/h1-00001.jsonl", json.dumps(given).encode() + b"\n")
    update(tmp_path)
    assert texts(tmp_path, "keywords:pramen field.price:sto text:nic").keys() == {"b"}


def test_descriptions_of_others_are_there_again_after_a_rebuild(tmp_path: Path) -> None:
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"))
    put(tmp_path, "catalog/imports/00001.soif", b"@DOCUMENT { https://a.example/x\ntitle{4}:\tTide\n}\n")
    assert update(tmp_path).amounts.described == 1
    assert update(tmp_path).amounts.described == 0
    with CatalogDirectory(tmp_path).new_writer() as new:
        CatalogUpdate(tmp_path, new).run(None)
    assert texts(tmp_path, "title:tide").keys() == {"x"}


def test_a_description_from_the_future_does_not_beat_the_page_itself(tmp_path: Path) -> None:
    """A wrong clock, or somebody who wants to be the last, would hide every later visit of the crawl."""
    put(tmp_path, "corpus/h1-00001.jsonl", line("a", "voda", day=2))
    soif = [
        b"@DOCUMENT { https://a.example/a\nfull-text{4}:\t%b\nlast-modified{20}:\t%d-01-01T00:00:00Z\n}\n"
        % (text, year)
        for text, year in ((b"past", 2020), (b"next", 9000))
    ]
    put(tmp_path, "catalog/imports/00001.soif", *soif)
    update(tmp_path)
    assert texts(tmp_path) == {"a": "voda"}


def test_files_gathered_from_other_members_belong_to_the_crawl_each_once(tmp_path: Path) -> None:
    own = put(tmp_path, "corpus/one.h1-a-0001.s00-00001.jsonl", line("a"))
    member = tmp_path / "members" / "two"
    put(member, own.relative_to(tmp_path).as_posix(), line("a"))
    put(member, "corpus/two.h1-b-0001.s01-00001.jsonl.open", line("b"), line("a", "newer", day=9))
    update(tmp_path, {}, members=lambda: [member])
    assert texts(tmp_path) == {"a": "newer", "b": "nic"}
    files = source_files(tmp_path, {}, [member])
    assert [file.name for file in files] == [
        "corpus/one.h1-a-0001.s00-00001.jsonl", "corpus/two.h1-b-0001.s01-00001.jsonl",
    ]  # fmt: skip


def test_how_much_is_left_to_read_is_known_without_reading(tmp_path: Path) -> None:
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"), line("b"))
    files = source_files(tmp_path, None)
    assert unread_bytes(files, {"corpus/h1-00001.jsonl": ReadPosition(len(line("a")), 0)}) == len(line("b"))


# -- texts, which only the corpus has ------------------------------------------

LONG = "voda " * 200 + "konec"


def test_a_text_is_read_from_the_corpus_whatever_its_file_is_called_now(tmp_path: Path) -> None:
    path = put(tmp_path, "corpus/h1-00001.jsonl.open", line("a"), line("b", LONG))
    member = tmp_path / "members" / "two"
    put(member, "corpus/two.h1-b-0001.s01-00001.jsonl", line("c", LONG))
    sizes = {"corpus/h1-00001.jsonl": path.stat().st_size}
    update(tmp_path, sizes, members=lambda: [member])
    with open_catalog(tmp_path) as catalog:
        before = [catalog.document(f"https://a.example/{name}") for name in "bc"]
        path.rename(path.with_suffix(""))
        after = [catalog.document(f"https://a.example/{name}") for name in "bc"]
    assert [found and found.described.full_text for found in before] == [LONG, LONG]
    assert after == before
    stored = sum(path.stat().st_size for path in (tmp_path / "catalog").rglob("*.store"))
    assert stored < len(LONG)


@pytest.mark.parametrize("damage", ["gone", "cut", "another page", "no line", "unreadable"])
def test_a_text_that_the_corpus_no_longer_has_is_missing_and_no_other_is_shown(
    tmp_path: Path, damage: str
) -> None:
    lines = [line("a", LONG), line("b", LONG)]
    path = put(tmp_path, "corpus/h1-00001.jsonl", *lines)
    update(tmp_path)
    match damage:
        case "gone":
            path.unlink()
        case "unreadable":
            path.unlink()
            path.mkdir()
        case "cut":
            path.write_bytes(lines[0][:-50])
        case "another page":
            path.write_bytes(line("b", LONG[::-1]) + line("a", LONG[::-1]))
        case _:
            path.write_bytes(b"\xff" * 2 * len(lines[0]))
    with open_catalog(tmp_path) as catalog:
        found = catalog.document("https://a.example/a")
        lines_found = catalog.concordance(ConcordanceRequest(query="konec")).lines
        hits = catalog.search(SearchRequest(query="konec")).hits
    assert found is not None
    assert found.described.full_text == ""
    assert lines_found == ()
    assert [hit.snippet.text[:9] for hit in hits] == ["voda voda"] * 2


def test_a_text_is_read_in_the_encoding_of_its_run(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    write_figures(tmp_path, Status(started_at=1.0, now=2.0, encoding="iso-8859-2"))
    encoded = line("a", "kůň " + LONG).decode().encode("iso-8859-2")
    put(tmp_path, f"corpus/tiptoe-h1-{1000:x}-0001-00001.jsonl", encoded)
    update(tmp_path)
    assert texts(tmp_path, "kun")["a"].startswith("kůň voda")


def test_fields_that_come_after_the_text_leave_it_where_it_is(tmp_path: Path) -> None:
    put(tmp_path, "corpus/h1-00001.jsonl", line("a", LONG))
    update(tmp_path)
    given = {"url": "https://a.example/a", "fields": {"keywords": "pramen"}}
    put(tmp_path, "descriptions/h1-00001.jsonl", json.dumps(given).encode() + b"\n")
    update(tmp_path)
    with open_catalog(tmp_path) as catalog:
        found = catalog.document("https://a.example/a")
    assert found is not None
    assert found.described.full_text == LONG
    assert texts(tmp_path, "keywords:pramen konec").keys() == {"a"}


# -- crashes -----------------------------------------------------------------


class Killed(Exception):
    """The process ended here."""


class MortalWriter:
    """A writer whose process is killed before or after one of its commits or writes."""

    def __init__(self, writer: IndexWriter, dies_at: int) -> None:
        self._writer = writer
        self._left = dies_at
        self.has_texts = writer.has_texts

    def _step(self) -> None:
        self._left -= 1
        if self._left == 0:
            raise Killed

    def positions(self) -> dict[str, ReadPosition]:
        return self._writer.positions()

    def known(self, numbers: Collection[int], *, with_entries: bool) -> dict[int, KnownPage]:
        return self._writer.known(numbers, with_entries=with_entries)

    def write(self, changes: Sequence[Change]) -> None:
        self._step()
        self._writer.write(changes)
        self._step()

    def remove_source(self, source: str) -> None:
        self._writer.remove_source(source)

    def commit(self, positions: Mapping[str, ReadPosition]) -> None:
        self._step()
        self._writer.commit(positions)
        self._step()

    def close(self) -> None:
        self._writer.close()


def test_killed_at_any_moment_it_loses_nothing_and_has_nothing_twice(tmp_path: Path) -> None:
    put(tmp_path, "gone/h1-00001.jsonl", gone("p3", day=4), gone("p5", day=1))
    for harvester, day in (("h1", 2), ("h2", 3), ("h3", 1)):
        lines = [line(f"p{number}", f"day {day}", day=day) for number in range(7)]
        put(tmp_path, f"corpus/{harvester}-00001.jsonl", *lines)
    deaths = 0
    for dies_at in range(1, 100):
        place = CatalogDirectory(tmp_path)
        writer = place.current_writer()
        if writer is None:
            with place.new_writer() as new:
                new.commit({})
            writer = place.current_writer()
        assert writer is not None
        with closing(MortalWriter(writer, dies_at % 5 + 1)) as mortal:
            try:
                CatalogUpdate(tmp_path, mortal, commit_pages=4).run(None)
                break
            except Killed:
                deaths += 1
    assert deaths > 3
    assert texts(tmp_path) == {f"p{number}": "day 3" for number in range(7) if number != 3}


# -- the directory -----------------------------------------------------------


def test_a_catalog_in_use_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"))
    update(tmp_path)

    def fail() -> None:
        with CatalogDirectory(tmp_path).new_writer() as new:
            CatalogUpdate(tmp_path, new).run(None)
            raise Killed

    with pytest.raises(Killed):
        fail()
    assert texts(tmp_path).keys() == {"a"}
    update(tmp_path)
    assert len(list((tmp_path / "catalog").glob("index-*"))) == 1, "what was left is removed"


def test_whoever_has_a_catalog_open_sees_the_one_that_took_its_place(tmp_path: Path) -> None:
    """A server keeps it open for weeks."""
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"))
    update(tmp_path)
    with open_catalog(tmp_path) as catalog:
        assert catalog.search(SearchRequest()).total == 1
        put(tmp_path, "corpus/h2-00001.jsonl", line("b"))
        update(tmp_path)
        assert catalog.search(SearchRequest()).total == 2
        put(tmp_path, "corpus/h3-00001.jsonl", line("c"))
        with CatalogDirectory(tmp_path).new_writer() as new:
            CatalogUpdate(tmp_path, new).run(None)
        assert catalog.search(SearchRequest()).total == 3


def test_there_is_one_writer_at_a_time(tmp_path: Path) -> None:
    """Locks of one process do not exclude each other: that of the index does."""
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"))
    update(tmp_path)
    writer = CatalogDirectory(tmp_path).current_writer()
    assert writer is not None
    with closing(writer), pytest.raises(CrawlerError, match=r"cannot be written to"):
        CatalogDirectory(tmp_path).current_writer()


def test_who_searches_without_a_catalog_is_told_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"tiptoe catalog build"):
        open_catalog(tmp_path)


def test_a_catalog_of_another_format_is_made_anew(tmp_path: Path) -> None:
    put(tmp_path, "corpus/h1-00001.jsonl", line("a"))
    update(tmp_path)
    current = tmp_path / "catalog" / "current.json"
    current.write_text(current.read_text().replace('"format":3', '"format":0'))
    with pytest.raises(SettingsError, match=r"tiptoe catalog build"):
        open_catalog(tmp_path)
    assert update(tmp_path).amounts.pages == 1
    assert texts(tmp_path).keys() == {"a"}
