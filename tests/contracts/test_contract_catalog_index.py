"""Do all indexes of a catalog find the same?

Every test runs on the embedded index and on a real PostgreSQL server.
"""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from postgres_servers import postgres_server, why_no_postgres
from tiptoe.catalog.catalog import Catalog
from tiptoe.catalog.catalog_directory import open_catalog
from tiptoe.catalog.catalog_index import CatalogIndex, Change, IndexWriter, ReadPosition
from tiptoe.catalog.description import ResourceDescription
from tiptoe.catalog.embedded_index import EmbeddedIndex, EmbeddedWriter
from tiptoe.catalog.entry import entry_of_description, entry_of_document, page_id, page_number
from tiptoe.catalog.page_news import PageNews
from tiptoe.catalog.query import AnyPage
from tiptoe.catalog.query_parser import QueryMistake, parse_query
from tiptoe.catalog.search import ConcordanceRequest, SearchRequest
from tiptoe.cli.catalog_building import Building
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.write.corpus import Document

pytestmark = pytest.mark.filterwarnings("error")

PAGES = {
    "https://www.voda.cz/pitna": ("Pitná voda", ["Pitná voda je čistá.", "Slovo konec. Voda teče dál."]),
    "https://www.voda.cz/reka": ("Řeka", ["Řeka teče do moře a vodá se."]),
    "https://blog.voda.cz/kun": ("Žluťoučký kůň", ["Příliš žluťoučký kůň úpěl ďábelské ódy."]),
    "https://straße.example/a": ("Straße", ["Die Straße ist lang; das_ist ein Wort. O'Neil's \\ % text"]),
    "http://192.0.2.7/日本": ("日本語", ["日本語の文章です。"]),
    "https://sk.example/": ("Voda a život", ["Slovenská voda, živá voda, vodník a vodopád."]),
}


def document(url: str, place: int, *, fetched_at: str = "", usability: float | None = None) -> Document:
    title, paragraphs = PAGES[url]
    return Document(
        id=f"<urn:uuid:{place}>", url=url, title=title, language="", charset="utf-8", digest="",
        fetched_at=fetched_at or f"2026-{place + 1:02d}-03T10:00:00Z", last_modified="", depth=place,
        warc_file="", warc_offset=0, paragraphs=paragraphs, usability=usability,
        lang=("cs", "cs", "cs", "de", "ja", "sk")[place],
        type="application/pdf" if place == 2 else "text/html",
    )  # fmt: skip


class Rig:
    """An index under test: who writes it, and who reads it."""

    def __init__(self, writer: Callable[[], IndexWriter], index: Callable[[], CatalogIndex]) -> None:
        self.open_writer = writer
        self.open_index = index
        self.writer = writer()

    @property
    def catalog(self) -> Catalog:
        return Catalog(self.open_index())

    def fill(self) -> None:
        news = PageNews(self.writer)
        for place, url in enumerate(PAGES):
            usability = None if place == 4 else place / 5
            news.page(entry_of_document(document(url, place, usability=usability)), "corpus/a.jsonl")
        described = ResourceDescription(
            url="https://described.example/x", title="Popsaná stránka", author=("M. Ferrant", "Jürgen Löb"),
            keywords=("moře", "příliv"), classification=("Sea:Tides",), description="O přílivu",
            other={"price": ("sto korun",), "colour": ("red blue",)},
        )  # fmt: skip
        news.page(entry_of_description(described, 1_700_000_000_000), "import")
        news.commit({"corpus/a.jsonl": ReadPosition(10, 20)})

    def urls(self, query: str, **options: str) -> list[str]:
        """Return what a query finds, in the order of the URLs unless told otherwise."""
        request = SearchRequest(query=query, **{"sort": "url", **options})  # type: ignore[arg-type]
        with self.catalog as catalog:
            return [hit.url for hit in catalog.search(request).hits]


@pytest.fixture(scope="session")
def database() -> Iterator[str]:
    if reason := why_no_postgres():
        pytest.skip(reason)
    with postgres_server() as address:
        yield address


@pytest.fixture(params=["embedded", "postgres"])
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Rig]:
    if request.param == "embedded":
        place = tmp_path / "index"
        found = Rig(lambda: EmbeddedWriter(place, tmp_path), lambda: EmbeddedIndex(place, tmp_path))
    else:
        pytest.importorskip("psycopg")
        from tiptoe.catalog.postgres_index import PostgresIndex, PostgresWriter

        address, name = request.getfixturevalue("database"), tmp_path.name
        found = Rig(lambda: PostgresWriter(address, name), lambda: PostgresIndex(address, name))
    yield found
    found.writer.close()


VODA, RIVER, HORSE, STREET, JAPAN, SLOVAK = PAGES
DESCRIBED = "https://described.example/x"

QUERIES = {
    "voda": [SLOVAK, VODA, RIVER],  # of which one is spelt otherwise
    "VODÁ": [SLOVAK, VODA, RIVER],
    "=vodá": [RIVER],
    "=voda": [SLOVAK, VODA],
    "text:=voda": [SLOVAK, VODA],
    "title:voda": [SLOVAK, VODA],
    "title:(voda OR kun)": [HORSE, SLOVAK, VODA],
    '"pitna voda"': [VODA],
    '"voda pitna"': [],
    '"cista slovo"': [],  # one paragraph ends, another begins
    '="pitná voda"': [VODA],
    '="pitna voda"': [],
    "vod*": [SLOVAK, VODA, RIVER],
    "vodn*": [SLOVAK],
    "voda -zivot": [VODA, RIVER],
    "voda NOT lang:sk": [VODA, RIVER],
    "kun OR strasse": [HORSE, STREET],
    "lang:cs": [HORSE, VODA, RIVER],
    "lang:CS type:pdf": [HORSE],
    "type:application/pdf": [HORSE],
    "site:voda.cz": [HORSE, VODA, RIVER],
    "site:www.voda.cz": [VODA, RIVER],
    "site:192.0.2.7": [JAPAN],
    "日本": [JAPAN],
    '"日語"': [],
    "usability:0.4..0.6": [HORSE, STREET],
    "usability:..0.2": [VODA, RIVER],
    "NOT usability:0..": [JAPAN, DESCRIBED],
    "depth:5..": [SLOVAK],
    "date:2026-02": [RIVER],
    "date:2026-02..2026-03-03": [HORSE, RIVER],
    "date:..2025": [DESCRIBED],
    "date:..1969": [],
    "date:1969..2025": [DESCRIBED],
    "author:ferrant keywords:more": [DESCRIBED],
    "classification:tides": [DESCRIBED],
    "field.price:korun": [DESCRIBED],
    'field.price:"sto korun"': [DESCRIBED],
    'field.price:"korun red"': [],
    "field.colour:re*": [DESCRIBED],
    "field.nothing:korun": [],
    "url:kun": [HORSE],
    "das_ist": [STREET],
    "das": [],
    "o'neil's": [STREET],
    "(voda OR kun) (teče OR ody)": [HORSE, VODA, RIVER],
    "-lang:cs -lang:de": [JAPAN, DESCRIBED, SLOVAK],
    "nothing": [],
}


def test_a_query_finds_the_same_everywhere(rig: Rig) -> None:
    """Whoever moves to the other index must not have to learn to search again."""
    rig.fill()
    found = {query: rig.urls(query) for query in QUERIES}
    assert found == {query: sorted(urls) for query, urls in QUERIES.items()}


SPELT = {
    "https://a.example/": "Straße, Maße und Messstelle. Ærø ligger her.",
    "https://b.example/": "İstanbul ΟΔΟΣ und 5 m² wood\nnicht snake_case",
    "https://c.example/": "한국어 텍스트",
    "https://d.example/": "हिन्दी की पुस्तक, Ⱥrgh e\u0301te\u0301",
    "https://e.example/": "x" * 100 + " ende ½ " + "y" * 64,
    "https://f.example/": "المكتبة العربية 😀 ﬁnal",
}
SPELLINGS = {
    "strasse": "a", '"strasse masse"': "a", "stras*": "a", "=strasse": "", "=straße": "a", "aero": "a",
    "istanbul": "b", '"istanbul οδος"': "b", "οδος": "b", "m2": "b", '"5 m2"': "b", '"wood nicht"': "",
    "snake": "", "snake_case": "b", "한국어": "c", "한국*": "c", '"한국어 텍스트"': "c", "=한국어": "c",
    "हिन्दी": "d", "ete": "d", "=été": "d", '"पुस्तक ⱥrgh ete"': "d",
    "x" * 64: "e", "x" * 36: "e", "x" * 40: "", "ende": "e", "y" * 64: "e",
    "المكتبة": "f", '"العربية final"': "f", "final": "f", "fin*": "f",
}  # fmt: skip


def test_words_of_every_script_are_found_however_they_are_spelt(rig: Rig) -> None:
    """One index cuts texts itself and finds folded words by patterns; the other gets words from us."""
    news = PageNews(rig.writer)
    for url, text in SPELT.items():
        described = ResourceDescription(url=url, full_text=text)
        news.page(entry_of_description(described, 1_700_000_000_000), "import")
    news.commit({})
    found = {query: "".join(url[8] for url in rig.urls(f"text:{query}")) for query in SPELLINGS}
    assert found == SPELLINGS


def test_hits_come_in_the_order_that_was_asked_for(rig: Rig) -> None:
    rig.fill()
    by_month = [SLOVAK, JAPAN, STREET, HORSE, RIVER, VODA, DESCRIBED]
    assert rig.urls("", sort="newest") == by_month
    assert rig.urls("", sort="oldest") == by_month[::-1]
    assert rig.urls("", sort="relevance") == by_month, "where nothing is weighed, what is new comes first"
    assert rig.urls("lang:cs", sort="longest") == [VODA, HORSE, RIVER]
    assert rig.urls("", sort="sample") == sorted([*PAGES, DESCRIBED], key=page_number)
    assert rig.urls("", sort="usability")[:2] == [SLOVAK, STREET]
    assert {*rig.urls("", sort="usability")[-2:]} == {DESCRIBED, JAPAN}, "what nobody rated comes last"


def test_equals_always_have_the_same_order(rig: Rig) -> None:
    """Else a page of hits would show some twice and others never."""
    news = PageNews(rig.writer)
    for url in (SLOVAK, VODA, HORSE, STREET, RIVER):
        alike = document(url, 0, fetched_at="2026-01-01T00:00:00Z", usability=0.5)
        news.page(entry_of_document(alike), "corpus/a.jsonl")
    news.commit({})
    by_number = sorted([SLOVAK, VODA, HORSE, STREET, RIVER], key=page_number)
    assert rig.urls("", sort="oldest") == by_number
    assert rig.urls("", sort="usability") == by_number[::-1]


def test_a_title_counts_more_than_a_text(rig: Rig) -> None:
    rig.fill()
    assert rig.urls("voda", sort="relevance")[-1] == RIVER


def test_pages_of_hits_follow_each_other(rig: Rig) -> None:
    rig.fill()
    with rig.catalog as catalog:
        pages = [catalog.search(SearchRequest(sort="url", limit=3, page=page)) for page in (1, 2, 3, 4)]
    assert [hit.url for page in pages for hit in page.hits] == sorted([*PAGES, DESCRIBED])
    assert {page.total for page in pages} == {len(PAGES) + 1}


def test_facets_count_what_a_query_finds(rig: Rig) -> None:
    rig.fill()
    with rig.catalog as catalog:
        counted = catalog.search(SearchRequest(query="site:voda.cz", facets=True)).facets
        some = catalog.search(SearchRequest(facets=True, facet_values=2)).facets
    pairs = {name: [(one.value, one.count) for one in counts] for name, counts in counted.items()}
    assert pairs == {
        "language": [("cs", 3)],
        "site": [("voda.cz", 2), ("blog.voda.cz", 1)],
        "type": [("text/html", 2), ("application/pdf", 1)],
        "date": [("2026-01", 1), ("2026-02", 1), ("2026-03", 1)],
        "usability": [("0.0–0.2", 1), ("0.2–0.4", 1), ("0.4–0.6", 1)],
    }
    assert [(one.value, one.count) for one in some["language"]] == [("cs", 3), ("de", 1)]


def test_the_later_version_counts_in_whatever_order_they_come(rig: Rig) -> None:
    """Files of several harvesters are read one after the other."""
    news = PageNews(rig.writer)
    new = document(VODA, 0, fetched_at="2026-05-01T00:00:00Z", usability=0.9)
    old = document(VODA, 0, fetched_at="2026-04-01T00:00:00Z", usability=0.1)
    news.page(entry_of_document(new), "corpus/a.jsonl")
    news.commit({})
    news.page(entry_of_document(old), "corpus/b.jsonl")
    news.page(entry_of_document(old), "corpus/b.jsonl")
    news.commit({})
    with rig.catalog as catalog:
        (hit,) = catalog.search(SearchRequest()).hits
    assert (hit.usability, news.passed_over) == (0.9, 2)


def test_what_is_read_twice_is_there_once(rig: Rig) -> None:
    rig.fill()
    rig.fill()
    assert len(rig.urls("")) == len(PAGES) + 1


def test_a_page_that_is_gone_leaves_until_it_is_back(rig: Rig) -> None:
    news = PageNews(rig.writer)
    first = entry_of_document(document(VODA, 0, fetched_at="2026-01-01T00:00:00Z"))
    again = entry_of_document(document(VODA, 0, fetched_at="2026-03-01T00:00:00Z"))
    gone_at = first.moment + 1000
    news.gone(VODA, gone_at, "gone/a.jsonl")
    news.commit({})
    news.page(first, "corpus/a.jsonl")
    news.commit({})
    assert rig.urls("") == [], "its text is older than the news that it is gone"
    news.page(again, "corpus/a.jsonl")
    news.commit({})
    assert rig.urls("") == [VODA]
    news.gone(VODA, again.moment, "gone/a.jsonl")
    news.commit({})
    assert rig.urls("") == []
    with rig.catalog as catalog:
        assert catalog.document(VODA) is None
        assert catalog.search(SearchRequest(facets=True)).facets["site"] == ()


def test_fields_from_filters_stay_with_a_page_whichever_comes_first(rig: Rig) -> None:
    news = PageNews(rig.writer)
    news.fields(VODA, {"keywords": ("pramen",), "price": ("sto",)}, 5, "descriptions/a.jsonl")
    news.commit({})
    assert rig.urls("keywords:pramen") == [VODA]
    news.page(entry_of_document(document(VODA, 0)), "corpus/a.jsonl")
    news.page(entry_of_document(document(RIVER, 1)), "corpus/a.jsonl")
    news.commit({})
    news.fields(RIVER, {"Author": ("Kdosi",)}, 5, "descriptions/a.jsonl")
    news.commit({})
    assert rig.urls("keywords:pramen text:cista field.price:sto") == [VODA]
    assert rig.urls("author:kdosi text:more") == [RIVER]


@pytest.mark.parametrize("order", ["text first", "fields first"])
def test_fields_and_text_of_a_page_may_be_read_in_any_order(rig: Rig, order: str) -> None:
    """Neither takes the place of the other, even if both come before the next commit."""
    news = PageNews(rig.writer)
    is_text_first = order == "text first"
    for is_text in (is_text_first, not is_text_first):
        if is_text:
            news.page(entry_of_document(document(VODA, 0)), "corpus/a.jsonl")
        else:
            news.fields(VODA, {"price": ("sto",)}, 1 << 45, "descriptions/a.jsonl")
    news.commit({"corpus/a.jsonl": ReadPosition(10, 20)})
    assert rig.urls("field.price:sto text:voda") == [VODA]
    assert rig.writer.positions() == {"corpus/a.jsonl": ReadPosition(10, 20)}


def test_what_was_not_committed_does_not_count(rig: Rig) -> None:
    rig.fill()
    rig.writer.write([Change(page_number(VODA), 1 << 50, None, "gone/a.jsonl", is_known=True)])
    rig.writer.close()
    rig.writer = rig.open_writer()
    assert len(rig.urls("")) == len(PAGES) + 1
    assert rig.writer.positions() == {"corpus/a.jsonl": ReadPosition(10, 20)}


def test_everything_of_a_file_can_be_taken_out(rig: Rig) -> None:
    rig.fill()
    rig.writer.remove_source("corpus/a.jsonl")
    rig.writer.commit({})
    assert rig.urls("") == [DESCRIBED]


def test_a_page_is_found_by_address_and_id_with_all_that_is_kept(rig: Rig) -> None:
    rig.fill()
    with rig.catalog as catalog:
        by_url, by_id = catalog.document(VODA), catalog.document(page_id(VODA))
        assert by_url == by_id
        assert by_url is not None
        assert by_url.description.full_text == "\n".join(PAGES[VODA][1])


def test_all_pages_of_a_query_can_be_written_out(rig: Rig) -> None:
    """Hits are shown up to a bound; who exports what a query finds wants all of it."""
    rig.fill()
    with rig.catalog as catalog:
        for query in ("", "voda", "-voda", "lang:cs", "nowhere"):
            found = [entry.described.url for entry in catalog.index.entries(parse_query(query))]
            assert sorted(found) == sorted(rig.urls(query)), query
        assert {*PAGES, DESCRIBED} == {entry.described.url for entry in catalog.index.entries(AnyPage())}


def test_a_concordance_is_sorted_by_the_words_beside(rig: Rig) -> None:
    rig.fill()
    with rig.catalog as catalog:
        right = catalog.concordance(ConcordanceRequest(query="voda lang:sk", sort="right"))
        left = catalog.concordance(ConcordanceRequest(query="vod*", sort="left", width=12))
    assert [line.right.strip(" ,")[:5] for line in right.lines] == ["vodní", "živá "]
    assert left.lines[0].left.split()[-1:] == ["a"]
    assert (left.documents, left.documents_read, left.is_partial) == (3, 3, False)
    with rig.catalog as catalog:
        in_title = catalog.concordance(ConcordanceRequest(query="zivot"))
    assert (in_title.documents, in_title.lines) == (0, ()), "a title is no text"


def test_a_concordance_follows_what_is_committed_between_its_pages(rig: Rig) -> None:
    """The lines are kept for the next page; a page that was forgotten must not come from there."""
    rig.fill()
    with rig.catalog as catalog:
        asked = ConcordanceRequest(query="voda", sort="right", limit=1)
        first, second = (catalog.concordance(msgspec.structs.replace(asked, page=page)) for page in (1, 2))
        assert first.total == second.total
        assert first.lines != second.lines
        left = catalog.concordance(msgspec.structs.replace(asked, sort="left"))
        assert left.total == first.total
        rig.writer.remove_source("corpus/a.jsonl")
        rig.writer.commit({"corpus/a.jsonl": ReadPosition(10, 20)})
        assert catalog.concordance(asked).lines == ()


def test_a_concordance_of_a_frequent_word_is_a_sample_unless_all_is_wanted(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tiptoe.catalog.catalog.LINES_MAX", 3)
    rig.fill()
    with rig.catalog as catalog:
        part = catalog.concordance(ConcordanceRequest(query="vod*", limit=2))
        whole = catalog.concordance(ConcordanceRequest(query="vod*", limit=2, is_whole=True))
    assert (part.total, len(part.lines), part.is_partial) == (3, 2, True), (
        "neither more nor less than promised"
    )
    assert whole.total == len(whole.lines) > 3
    assert (whole.documents_read, whole.is_partial) == (whole.documents, False)


def test_a_hostile_page_breaks_nothing(rig: Rig) -> None:
    """Whatever stands in a page has to be stored, found and shown."""
    url = "https://evil.example/?q=' or 1=1;--\x00\\%"
    text = ["\x00 \x1b[31m <script>alert(1)</script> ' \\ : & | ! :* ‮ konec", "a" * 5000, "\udc80 půl"]
    evil = hostile_document(url, text)
    news = PageNews(rig.writer)
    news.page(entry_of_document(evil), "corpus/a.jsonl")
    news.commit({})
    with rig.catalog as catalog:
        (hit,) = catalog.search(SearchRequest(query="script konec pul")).hits
    assert hit.url == url
    assert not set(hit.snippet.text) & set("\x00\x1b‮\n")
    for query in ("'", '"\\ %', "a' OR 'x", "field.a'b:c", "lang:'", "site:\x00"):
        with contextlib.suppress(QueryMistake):
            rig.urls(query)


def test_a_text_of_ever_new_words_is_taken_in(rig: Rig) -> None:
    """PostgreSQL refuses more than a megabyte of different words; a page may have more."""
    text = " ".join(f"šílenéslovo{number}ěščř" for number in range(45_000))
    news = PageNews(rig.writer)
    news.page(entry_of_document(hostile_document("https://evil.example/long", [text])), "corpus/a.jsonl")
    news.commit({})
    assert rig.urls("silenesl* =šílenéslovo17ěščř") == ["https://evil.example/long"]


def test_an_error_of_the_database_does_not_tell_its_password() -> None:
    pytest.importorskip("psycopg")
    from tiptoe.catalog.postgres_index import PostgresIndex

    with pytest.raises(CrawlerError) as caught:
        PostgresIndex("postgresql://somebody:secret@127.0.0.1:1/nowhere", "x")
    assert "127.0.0.1" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_crawls_that_share_a_database_see_each_only_their_own(database: str, tmp_path: Path) -> None:
    """Also after one of them was made anew, and its files were moved from one index to the other."""
    for name, url in (("one", VODA), ("two", RIVER)):
        corpus = tmp_path / name / "corpus"
        corpus.mkdir(parents=True)
        (corpus / "h1-00001.jsonl").write_bytes(msgspec.json.encode(document(url, 0)) + b"\n")
    one, two = tmp_path / "one", tmp_path / "two"

    def found(directory: Path, address: str) -> list[str]:
        with open_catalog(directory, address) as catalog:
            return [hit.url for hit in catalog.search(SearchRequest()).hits]

    runs = [(one, False), (two, False), (one, True), (one, False)]
    read = [Building(directory, database).build(rebuild=rebuild).pages for directory, rebuild in runs]
    assert read == [1, 1, 1, 0]
    assert (found(one, database), found(two, database)) == ([VODA], [RIVER])
    with pytest.raises(SettingsError, match=r"not what this version and its settings want"):
        found(one, "")
    Building(one).build()
    assert found(one, "") == [VODA]


def hostile_document(url: str, text: list[str]) -> Document:
    clean = [part.encode("utf-8", "replace").decode() for part in text]
    return Document(
        id="x", url=url, title=clean[0], language="\x00", charset="", fetched_at="no date", last_modified="?",
        depth=0, digest="", warc_file="", warc_offset=0, paragraphs=clean, type="\x00/;;",
    )  # fmt: skip
