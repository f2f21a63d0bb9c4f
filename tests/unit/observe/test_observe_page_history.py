"""The history of a page, from files in any state."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from tiptoe.errors import SettingsError
from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.observe.page_history import What, read_history
from tiptoe.write.cdxj import merge_cdxj
from tiptoe.write.corpus import Document
from tiptoe.write.gone import GonePage
from tiptoe.write.output_kinds import GONE_LIST
from tiptoe.write.outputs import Outputs
from tiptoe.write.record import iso_date
from tiptoe.write.revisit_records import Earlier, Profile
from tiptoe.write.warc import WarcInfo

URL = "https://www.a.example/page?x=1"
BEGAN_AT = 1_790_000_000.0
DAY = 86_400.0
INFO = WarcInfo(software="tiptoe", operator="o", user_agent="tiptoe", hostname="box")


class Crawl:
    """Writes what harvesters would."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir()
        (directory / "crawl.json").write_text('{"seeds": ["https://www.a.example/"]}')
        (directory / "log").mkdir()
        self.outputs: dict[str, Outputs] = {}

    def of(self, harvester: str) -> Outputs:
        if harvester not in self.outputs:
            self.outputs[harvester] = Outputs(
                self.directory,
                harvester,
                info=INFO,
                crawl="tiptoe",
                warc_bytes_max=10**9,
                corpus_bytes_max=10**9,
                corpus_encoding="utf-8",
                compression_level=1,
            )
        return self.outputs[harvester]

    def visit(
        self, day: float, *paragraphs: str, url: str = URL, status: int = 200, type: str = "text/html",
        version: int = 1, by: str = "h1", is_archived: bool = True, text_hash: str = "",
    ) -> None:  # fmt: skip
        """Keep an answer; with paragraphs its text too."""
        answer = answer_on(day, url, status, type, "".join(paragraphs).encode())
        said = {"textHash": text_hash} if text_hash else {}
        place = self.of(by).warc.write_exchange(answer, metadata=said) if is_archived else None
        if paragraphs:
            self.of(by).corpus.write_document(
                Document(
                    id="", url=url, title="", language="cs", charset="utf-8", last_modified="", depth=0,
                    fetched_at=iso_date(answer.started_at), digest="sha1:X", version=version,
                    warc_file=place.file if place else "", warc_offset=place.offset if place else 0,
                    paragraphs=list(paragraphs),
                )
            )  # fmt: skip

    def find_unchanged(self, day: float, *, by: str = "h1") -> None:
        self.of(by).warc.write_revisit(
            answer_on(day, URL, 304, "", b""), Profile.NOT_MODIFIED, Earlier("sha1:X", BEGAN_AT), metadata={}
        )

    def find_other_bytes(self, day: float, text_hash: str) -> None:
        said = {"textHash": text_hash, "receivedDigest": f"sha1:{text_hash}"}
        self.of("h1").warc.write_revisit(
            answer_on(day, URL, 200, "text/html", b"other"), Profile.UNCHANGED_TEXT,
            Earlier("sha1:X", BEGAN_AT), metadata=said,
        )  # fmt: skip

    def find_gone(self, day: float, status: int, reason: str = "", *, by: str = "h1") -> None:
        page = GonePage(url=URL, gone_at=iso_date(BEGAN_AT + day * DAY), status=status, reason=reason)
        self.of(by).add(GONE_LIST, page)

    def flush(self) -> None:
        for outputs in self.outputs.values():
            outputs.flush()

    def finish(self) -> None:
        """End in good order: indexes are sorted and merged."""
        self.flush()
        for outputs in self.outputs.values():
            outputs.acknowledge(outputs.marks())
            outputs.close()
        merge_cdxj(self.directory)


def answer_on(day: float, url: str, status: int, type: str, body: bytes) -> Answer:
    return Answer(
        url=url, status=status, headers=Headers([("Content-Type", type)] if type else []), body=body,
        request_block=b"GET / HTTP/1.1\r\n\r\n", header_block=b"HTTP/1.1 200 OK\r\n\r\n",
        started_at=BEGAN_AT + day * DAY + 0.25,
    )  # fmt: skip


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Crawl]:
    made = Crawl(tmp_path / "czech")
    yield made
    made.flush()
    for outputs in made.outputs.values():
        outputs.close()


def found(crawl: Crawl, typed: str = URL) -> list[tuple[What, int]]:
    return [(sighting.what, sighting.version) for sighting in read_history(crawl.directory, typed).sightings]


def live(crawl: Crawl) -> None:
    """Make a page that appears, stays, changes, goes and comes back, seen by two harvesters."""
    crawl.visit(0, "first", "long")
    crawl.find_unchanged(1, by="h2")
    crawl.visit(3, "second", "long", version=2, by="h2")
    crawl.visit(4, status=404)
    crawl.find_gone(4, 404)
    crawl.visit(5, "third", version=3)
    for number in range(50):
        crawl.visit(2, "other", url=f"https://www.a.example/{number}", by="h2")


STORY = [(What.NEW, 1), (What.UNCHANGED, 0), (What.CHANGED, 2), (What.GONE, 0), (What.CHANGED, 3)]


@pytest.mark.parametrize("is_finished", [False, True])
def test_a_history_has_every_visit_in_order(crawl: Crawl, is_finished: bool) -> None:
    """While the crawl runs, indexes are unsorted; afterwards they are searched by halves."""
    live(crawl)
    crawl.finish() if is_finished else crawl.flush()
    assert found(crawl) == STORY
    history = read_history(crawl.directory, URL)
    assert history.document(2).paragraphs == ["second", "long"]
    assert [sighting.text_chars for sighting in history.sightings] == [9, 0, 10, 0, 5]
    assert history.sightings[0].seen_at == datetime.fromtimestamp(BEGAN_AT + 0.25, UTC)
    assert history.sightings[1].status == 304
    assert history.sightings[3].status == 404


@pytest.mark.parametrize(
    "typed",
    [
        "HTTPS://www.A.example:443/./page?x=1#part",
        "https://www.a.example/page?x=1&utm_source=news",
        "www.a.example/page?x=1",
        "http://a.example/page?x=1",  # the only one under this key of the archive
    ],
)
def test_an_address_is_found_as_people_type_it(crawl: Crawl, typed: str) -> None:
    live(crawl)
    crawl.finish()
    assert found(crawl, typed) == STORY


def test_an_address_that_could_be_several_has_to_be_named(crawl: Crawl) -> None:
    crawl.visit(0, "x", url="http://a.example/page")
    crawl.visit(0, "x", url="http://www.a.example/page")
    crawl.flush()
    with pytest.raises(SettingsError, match=r"http://a.example/page, http://www.a.example/page; name one"):
        read_history(crawl.directory, "https://a.example/page")
    assert found(crawl, "http://a.example/page") == [(What.NEW, 1)]


def test_what_was_never_visited_is_said_with_the_nearest(crawl: Crawl) -> None:
    """A mistyped address is the likeliest mistake of all."""
    live(crawl)
    crawl.finish()
    with pytest.raises(SettingsError, match=r"never visited.* did you mean https://www.a.example/page\?x=1"):
        read_history(crawl.directory, "https://www.a.example/pagge?x=1")
    with pytest.raises(SettingsError, match=r"never visited, or no answer of it is kept in [^;]*$"):
        read_history(crawl.directory, "https://nowhere.example/")


@pytest.mark.parametrize("typed", ["", "https://", "javascript://x"])
def test_what_is_no_address_is_refused(crawl: Crawl, typed: str) -> None:
    with pytest.raises(SettingsError, match="not an address such as"):
        read_history(crawl.directory, typed)


def test_a_directory_that_is_no_crawl_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        read_history(tmp_path, URL)


def test_without_an_archive_the_corpus_tells(crawl: Crawl) -> None:
    crawl.visit(0, "first", is_archived=False)
    crawl.visit(3, "second", version=2, by="h2", is_archived=False)
    crawl.find_gone(4, 0, "disallowed")
    crawl.flush()
    assert found(crawl) == [(What.NEW, 1), (What.CHANGED, 2), (What.GONE, 0)]
    assert read_history(crawl.directory, URL).sightings[2].reason == "disallowed"


def test_a_run_without_an_archive_hides_nothing(crawl: Crawl) -> None:
    """An operator may switch the archive off between two runs."""
    crawl.visit(0, "first")
    crawl.visit(3, "second", version=2, by="h2", is_archived=False)
    crawl.flush()
    assert found(crawl) == [(What.NEW, 1), (What.CHANGED, 2)]


def test_versions_of_converted_documents_are_numbered_too(crawl: Crawl) -> None:
    """They come from `tiptoe convert`, which does not know how many there were."""
    url = "https://www.a.example/x.pdf"
    for day in (0, 5):
        crawl.visit(day, url=url, type="application/pdf")
    crawl.flush()
    places = [sighting.warc_offset for sighting in read_history(crawl.directory, url).sightings]
    lines = [
        {
            "id": "", "url": url, "title": "", "language": "", "charset": "", "last_modified": "", "depth": 0,
            "fetched_at": iso_date(BEGAN_AT + day * DAY), "digest": "", "paragraphs": ["edition"],
            "warc_file": "tiptoe-h1-00001.warc.gz", "warc_offset": place, "type": "application/pdf",
        }
        for day, place in zip((0, 5), places, strict=True)
    ]  # fmt: skip
    corpus = crawl.directory / "corpus"
    corpus.mkdir()
    (corpus / "converted-001-0001-00001.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(lines))
    assert found(crawl, url) == [(What.NEW, 1), (What.CHANGED, 2)]


def test_only_files_of_harvesters_that_met_the_page_are_read(crawl: Crawl) -> None:
    """A corpus of a terabyte must not be read for one page."""
    crawl.visit(0, "first")
    crawl.visit(0, "other", url="https://b.example/", by="h2")
    crawl.finish()
    corpus = crawl.directory / "corpus"
    (corpus / "tiptoe-h2-00001.jsonl").unlink()
    for name in ("tiptoe-h2-00001.jsonl", "converted-001-0001-00001.jsonl"):
        (corpus / name).mkdir()  # whoever reads it, stumbles
    assert found(crawl) == [(What.NEW, 1)]
    with pytest.raises(IsADirectoryError):
        read_history(crawl.directory, "https://b.example/")


def test_torn_and_foreign_lines_hide_nothing_else(crawl: Crawl) -> None:
    live(crawl)
    crawl.flush()
    needle = f'"url":"{URL}",'.encode()
    for folder, name in (("corpus", "x.jsonl.open"), ("gone", "x.jsonl.open"), ("warc", "x.cdxj.open")):
        path = crawl.directory / folder / name
        path.write_bytes(b"{" + needle + b"\xff}\n\n\0 0 {\ncom,x)/ 0 {}\n{" + needle + b" torn")
    (crawl.directory / "corpus" / "empty-00001.jsonl.open").touch()
    assert found(crawl) == STORY


def test_a_version_that_is_not_there_is_said_with_those_that_are(crawl: Crawl) -> None:
    live(crawl)
    crawl.flush()
    with pytest.raises(SettingsError, match=r"version 7 of .*: not in the corpus; versions there: 1, 2, 3"):
        read_history(crawl.directory, URL).document(7)


@pytest.mark.parametrize(
    ("status", "what"),
    [(301, What.MOVED), (410, What.GONE), (500, What.FAILED), (403, What.FAILED), (200, What.NO_TEXT)],
)
def test_answers_without_text_say_what_they_are(crawl: Crawl, status: int, what: What) -> None:
    crawl.visit(0, status=status)
    crawl.flush()
    assert found(crawl) == [(what, 0)]


def test_other_encodings_are_read(crawl: Crawl) -> None:
    crawl.outputs["h1"] = Outputs(
        crawl.directory,
        "h1",
        info=INFO,
        crawl="tiptoe",
        corpus_encoding="iso-8859-2",
        warc_bytes_max=10**9,
        corpus_bytes_max=10**9,
        compression_level=1,
    )
    (crawl.directory / "log" / "figures-1.json").write_text(
        '{"started_at": 1.0, "now": 2.0, "encoding": "iso-8859-2"}'
    )
    crawl.visit(0, "žluťoučký")
    crawl.flush()
    assert read_history(crawl.directory, URL).document(1).paragraphs == ["žluťoučký"]


def test_a_text_that_changed_too_little_is_not_called_unchanged(crawl: Crawl) -> None:
    """Other bytes came: their digest is told. Those of a counter alone leave the text as it is."""
    crawl.visit(0, "one", text_hash="aa")
    crawl.find_other_bytes(1, "bb")
    crawl.find_other_bytes(2, "aa")
    crawl.find_unchanged(3)
    crawl.finish()
    found = read_history(crawl.directory, URL).sightings
    assert [sighting.what for sighting in found] == [
        What.NEW,
        What.HARDLY_CHANGED,
        What.UNCHANGED,
        What.UNCHANGED,
    ]
    assert [sighting.received_digest for sighting in found] == ["", "sha1:bb", "sha1:aa", ""]


def test_without_its_archive_a_visit_is_told_by_the_index_alone(crawl: Crawl) -> None:
    """The archive of another machine may not be here."""
    crawl.visit(0, "one", text_hash="aa")
    crawl.find_other_bytes(1, "bb")
    crawl.finish()
    for path in (crawl.directory / "warc").glob("*.warc.gz"):
        path.unlink()
    assert [sighting.what for sighting in read_history(crawl.directory, URL).sightings][1] is What.UNCHANGED
