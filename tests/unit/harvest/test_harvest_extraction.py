"""What of a page enters the corpus when its main text is asked for."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from harvest_samples import Rater, make_answer, make_tools, take_in

from tiptoe.decide.discard import Discard
from tiptoe.decide.parsing import parse_point
from tiptoe.decide.storing import store_point
from tiptoe.harvest.document import Reading, read_document
from tiptoe.harvest.extraction import BOILERPLATE, CHARS_MAX, MAIN, UNLABELLED, Extraction
from tiptoe.parse.html import read_page
from tiptoe.protocol.work import Request, Result
from tiptoe.text.language import UND, DocumentLanguage
from tiptoe.text.outlining import PARAGRAPHS_MAX
from tiptoe.write.corpus import Document

STORY = [
    "Rolling hills stretch along the river, and the road to the old mill follows every bend of it.",
    "In the last war, people say, nobody crossed the bridge after dark, for the miller kept two dogs.",
    "Today the mill is a museum. It opens at nine in the morning, and the ticket costs a few crowns.",
    "Whoever wants to see how flour was made should come on Saturday, when the wheel is turning.",
    "On the way back the path leads through a beech wood, where mushrooms grow from July to October.",
]
MENU = ["Home", "News", "Sport", "Weather", "About us", "Contact", "Log in", "Basket"]
FOOTER = ["Terms of use", "Privacy", "Cookies", "Imprint"]


def links(texts: list[str]) -> str:
    return "<ul>" + "".join(f"<li><a href=/{len(text)}>{text}</a></li>" for text in texts) + "</ul>"


ARTICLE = (
    f"<title>The mill</title><body><nav class=menu>{links(MENU)}</nav><main><article class=post>"
    f"<h1>The mill by the river</h1>{''.join(f'<p>{text}</p>' for text in STORY)}</article></main>"
    f"<footer class=footer>{links(FOOTER)}</footer>"
)


@pytest.fixture(scope="module")
def main_only() -> Extraction:
    return Extraction.load(keeps_boilerplate=False)


@pytest.fixture(scope="module")
def marking() -> Extraction:
    return Extraction.load(keeps_boilerplate=True)


def read(html: str, extraction: Extraction | None) -> Reading:
    answer = make_answer(body=html.encode())
    return read_document(
        answer, None, agent="tiptoe", decoded_max=1 << 25, parse=parse_point(), store=store_point(),
        extraction=extraction,
    )  # fmt: skip


def test_the_main_text_is_the_story_without_menu_and_footer(main_only: Extraction) -> None:
    """A corpus of menus is of no use to anybody (TXT-3)."""
    reading = read(ARTICLE, main_only)
    assert [text for text in reading.paragraphs if text in STORY] == STORY
    assert not {*MENU, *FOOTER} & {*reading.paragraphs}
    assert (reading.labels, reading.discard, reading.title) == (None, None, "The mill by the river")


def test_links_of_what_is_left_out_are_followed(main_only: Extraction) -> None:
    """The menu leads to the rest of the site."""
    assert read(ARTICLE, main_only).hrefs == read(ARTICLE, None).hrefs


def test_marked_text_is_all_text_with_a_label_for_each_paragraph(marking: Extraction) -> None:
    """Whoever marks decides later, so nothing may be lost."""
    reading = read(ARTICLE, marking)
    assert reading.paragraphs == read(ARTICLE, None).paragraphs
    assert reading.labels is not None
    labels = dict(zip(reading.paragraphs, reading.labels, strict=True))
    assert {labels[text] for text in STORY} == {MAIN}
    assert {labels[text] for text in (*MENU, *FOOTER)} == {BOILERPLATE}


def test_who_takes_all_text_does_not_pay_for_the_model() -> None:
    """numpy takes time to load, memory, and a thread in processes that fork."""
    ask = "import sys, tiptoe.compose, tiptoe.cli.convert_command; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", ask]).returncode == 0


def test_without_extraction_nothing_is_labelled() -> None:
    reading = read(ARTICLE, None)
    assert (reading.labels, len(reading.paragraphs)) == (None, len(MENU) + 1 + len(STORY) + len(FOOTER))


def test_a_page_without_main_text_has_a_reason_of_its_own(main_only: Extraction) -> None:
    """It is counted apart from pages that have no text at all."""

    class Strict(Extraction):
        """Takes nothing for main text."""

        def choose(self, page: object, outline: object) -> tuple[list[str], None]:  # type: ignore[override]
            return [], None

    strict = Strict(trees=main_only.trees, keeps_boilerplate=False)
    assert read(ARTICLE, strict).discard is Discard.NO_MAIN_TEXT
    assert read(ARTICLE, strict).hrefs == read(ARTICLE, None).hrefs
    assert read("<body></body>", strict).discard is Discard.NO_TEXT


@pytest.mark.parametrize(
    "html",
    [
        "<p>one&#30;two<p>three",  # a mark, written by the page
        "<p>one</address>two" * 5_001,  # read tag by tag, where an end tag without a beginning ends nothing
        "<div>a</div>" * 9 + "<p hidden>b" + "<b>" * 12_000,
    ],
    ids=["marks", "end tags", "hidden"],
)
def test_a_page_that_can_be_read_in_two_ways_is_marked_as_it_reads_unmarked(
    html: str, marking: Extraction
) -> None:
    reading = read(html, marking)
    assert reading.paragraphs == read(html, None).paragraphs
    assert len(reading.labels or ()) == len(reading.paragraphs)


def test_paragraphs_beyond_all_bounds_are_kept_without_a_label(marking: Extraction) -> None:
    html = "".join(f"<p>{number}" for number in range(PARAGRAPHS_MAX + 10))
    reading = read(html, marking)
    assert len(reading.paragraphs) == PARAGRAPHS_MAX + 10
    assert reading.labels is not None
    assert reading.labels[PARAGRAPHS_MAX:] == [UNLABELLED] * 10
    assert UNLABELLED not in reading.labels[:PARAGRAPHS_MAX]


def test_a_text_too_long_to_be_measured_is_taken_whole(main_only: Extraction, marking: Extraction) -> None:
    """Measuring takes memory, which no page may exhaust."""
    html = "<nav>menu</nav>" + "<p>" + "word " * (CHARS_MAX // 5 + 1)
    assert len(read(html, main_only).paragraphs) == 2
    assert read(html, marking).labels == [UNLABELLED, UNLABELLED]


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000 + "<p>Down here is some text.",
        "".join(f"<div class=a{number}>x" for number in range(9_990)),
        "<a href=/x>y</a>" * 1_000_000,
        "".join(f"<p class='post a{number}'>word {number}" for number in range(100_000)),
        "<table><tr><td>x" * 60_000,
        "<pre>" + "a\n" * 1_000_000,
    ],
    ids=["deep", "nested names", "links", "paragraphs", "tables", "lines"],
)
def test_no_page_takes_long_however_it_is_made(html: str, main_only: Extraction) -> None:
    """One page must not hold up the hundreds that wait behind it."""
    begun_at = time.process_time()
    read(html, main_only)
    assert time.process_time() - begun_at < 5


def take(
    folder: Path, extraction: Extraction | None, *, chars_min: int = 0
) -> tuple[Result, Document | None, Rater]:
    """Take the article all the way; return also what stands in the corpus then, and who rated it."""
    tools, rater = make_tools(folder), Rater(0.5)
    tools.extraction, tools.segmenter = extraction, rater
    tools.store = store_point(chars_min=chars_min)
    result = take_in(Request("http://a.example/"), make_answer(body=ARTICLE.encode()), tools)
    tools.outputs.flush()
    lines = b"".join(path.read_bytes() for path in (folder / "corpus").glob("*"))
    return result, msgspec.json.decode(lines, type=Document) if lines else None, rater


def test_what_is_judged_is_what_enters_the_corpus(tmp_path: Path, main_only: Extraction) -> None:
    """Length, hash and rating are those of the main text when only that is kept."""
    everything, whole, _ = take(tmp_path / "all", None)
    main, story, rater = take(tmp_path / "main", main_only)
    assert whole is not None
    assert story is not None
    assert main.text_chars == sum(map(len, story.paragraphs)) < everything.text_chars
    assert main.text_hash != everything.text_hash
    assert [count for _, _, count in rater.asked] == [len(story.paragraphs)]
    assert (whole.labels, story.labels) == (None, None)


def test_a_marked_line_of_the_corpus_has_the_labels(tmp_path: Path, marking: Extraction) -> None:
    """The rest of it is what it would be unmarked."""
    everything, whole, _ = take(tmp_path / "all", None)
    marked, labelled, _ = take(tmp_path / "marked", marking)
    assert whole is not None
    assert labelled is not None
    assert (marked.text_hash, labelled.paragraphs) == (everything.text_hash, whole.paragraphs)
    assert isinstance(labelled.labels, list)
    assert len(labelled.labels) == len(labelled.paragraphs)


def test_a_marked_text_is_judged_by_its_main_text(tmp_path: Path, marking: Extraction) -> None:
    """A page of menus has as little text as one without them; whether it is a copy no model decides."""
    everything, _, _ = take(tmp_path / "all", None)
    marked, labelled, rater = take(tmp_path / "marked", marking)
    assert labelled is not None
    assert marked.text_chars == sum(map(len, labelled.main_paragraphs)) < everything.text_chars
    assert [count for _, _, count in rater.asked] == [len(labelled.main_paragraphs)]


def test_the_language_of_boilerplate_is_not_asked_for(marking: Extraction) -> None:
    """It would be told by a word or two, and nobody reads it."""
    asked: list[str] = []

    def identify(paragraphs: Sequence[str]) -> DocumentLanguage:
        asked.extend(paragraphs)
        return DocumentLanguage("en", 1.0, {}, ("en",) * len(paragraphs))

    reading = read(ARTICLE, marking)
    spoken = reading.recognise(identify)
    assert asked == reading.main_paragraphs
    assert reading.spoken == spoken
    languages = dict(zip(reading.paragraphs, spoken.paragraphs, strict=True))
    assert {languages[text] for text in STORY} == {"en"}
    assert {languages[text] for text in (*MENU, *FOOTER)} == {UND}


def test_the_least_length_is_that_of_the_main_text(tmp_path: Path, main_only: Extraction) -> None:
    chars = sum(map(len, read_page(ARTICLE, agent="t").paragraphs))
    assert take(tmp_path / "all", None, chars_min=chars)[0].discard == ""
    assert take(tmp_path / "main", main_only, chars_min=chars)[0].discard == "too_short"
