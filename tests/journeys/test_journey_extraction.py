"""What `--extraction` makes of pages, from the crawl to the export, with hostile ones among them."""

import subprocess
from pathlib import Path

import duckdb
import pytest
from journey_crawl import Crawl, tiptoe
from journey_servers import html, scripted_server
from test_journey_hostile import BOUNDS, crawl_of

pytestmark = pytest.mark.journey

STORY = [
    "Rolling hills stretch along the river, and the road to the old mill follows every bend of it.",
    "In the last war, people say, nobody crossed the bridge after dark, for the miller kept two dogs.",
    "Today the mill is a museum. It opens at nine in the morning, and the ticket costs a few crowns.",
    "Whoever wants to see how flour was made should come on Saturday, when the wheel is turning.",
]
UNKIND = {
    "/deep": b"<div>" * 100_000 + b"<p>Down here is some text.</p>",
    "/wide": b"".join(
        b"<p class='post a%d'>A paragraph, %d.</p>" % (number, number) for number in range(50_000)
    ),
    "/links": b"<a href=/>y</a>" * 100_000,
    "/long": b"<p>" + b"word " * 500_000,
}
MENU = b"".join(b"<li><a href=%b>Go to %b</a>" % (name.encode(), name.encode()) for name in ("/", *UNKIND))
STORY_MARKUP = "".join(f"<p>{text}</p>" for text in STORY).encode()
ARTICLE = (
    b"<title>The mill</title><body><nav class=menu><ul>" + MENU + b"</ul></nav>"
    b"<main><article><h1>The mill by the river</h1>" + STORY_MARKUP + b"</article></main>"
    b"<footer class=footer><ul><li><a href=/>Terms of use</a><li><a href=/>Privacy</a></ul></footer>"
)


@pytest.fixture(scope="module", params=["all", "main", "marked"])
def crawl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    """A crawl with each kind of extraction, finished."""
    scripts = {"/": html(ARTICLE)} | {path: html(body) for path, body in UNKIND.items()}
    limits = {**BOUNDS, "fetch__body_max": "4MB", "fetch__total_timeout": "10s", "segmenter__off": "true"}
    folder = tmp_path_factory.mktemp(request.param)
    with (
        scripted_server(scripts) as server,
        crawl_of(folder, server.origin + "/", text__extraction=request.param, **limits) as crawl,
    ):
        crawl.run()
    return crawl


def kind_of(crawl: Crawl) -> str:
    return str(crawl.settings["text.extraction"])


def test_the_story_is_in_the_corpus_and_the_menu_as_asked_for(crawl: Crawl) -> None:
    (page,) = (document for document in crawl.documents() if document["title"] == "The mill by the river")
    assert [text for text in page["paragraphs"] if text in STORY] == STORY
    assert ("Privacy" in page["paragraphs"]) is (kind_of(crawl) != "main")
    assert (page["labels"] is not None) is (kind_of(crawl) == "marked")
    if page["labels"] is not None:
        labels = dict(zip(page["paragraphs"], page["labels"], strict=True))
        assert {labels[text] for text in STORY} == {"main"}
        assert labels["Privacy"] == "boilerplate"


def test_no_page_stops_a_harvester(crawl: Crawl) -> None:
    """Looking for the main text is bounded as everything else is."""
    paths = {url.rpartition("/")[2] for url in crawl.urls()}
    assert paths == {"", "deep", "wide", "links", "long"}
    assert "lost" not in (crawl.out / "log" / "keeper.log").read_text()


def export(crawl: Crawl, out: Path, format: str, *options: str) -> "subprocess.CompletedProcess[str]":
    return tiptoe("export", str(crawl.out), "--format", format, "--out", str(out), *options)


def test_labels_reach_those_who_load_the_corpus(crawl: Crawl, tmp_path: Path) -> None:
    """A paragraph and its label stay together in every format that has room for both."""
    table, vertical = tmp_path / "c.parquet", tmp_path / "c.vert"
    assert export(crawl, table, "parquet", "--all").returncode == 0
    assert export(crawl, vertical, "vertical", "--all").returncode == 0
    labelled = "select title, unnest(paragraphs) as paragraph, unnest(labels) as label"
    query = (
        f"select paragraph from ({labelled} from '{table}') where label = 'main' and title like 'The mill%'"
    )
    main = [paragraph for (paragraph,) in duckdb.execute(query).fetchall()]
    lines = vertical.read_text(encoding="utf-8").splitlines()
    is_marked = kind_of(crawl) == "marked"
    assert [text for text in main if text in STORY] == (STORY if is_marked else [])
    assert "Privacy" not in main
    assert ('<p class="main">' in lines) is ('<p class="boilerplate">' in lines) is is_marked


def test_an_export_has_no_boilerplate_unless_told_otherwise(crawl: Crawl, tmp_path: Path) -> None:
    lines = tmp_path / "c.txt"
    assert export(crawl, lines, "txt").returncode == 0
    exported = lines.read_text(encoding="utf-8").splitlines()
    assert [text for text in exported if text in STORY] == STORY
    assert ("Privacy" in exported) is (kind_of(crawl) == "all")  # where nobody looked
