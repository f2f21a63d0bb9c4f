"""Who judges the texts of documents, and what if nobody answers?"""

from pathlib import Path

from cli_samples import running_keeper

from tiptoe.compose_conversion import document_judging
from tiptoe.convert.reading import TextDocument
from tiptoe.convert.text_judging import Candidate
from tiptoe.decide.discard import Discard
from tiptoe.decide.storing import CandidateText
from tiptoe.errors import ProtocolError
from tiptoe.frontier.duplicity import CLAIMED, NEW, Paragraphs
from tiptoe.frontier.host import Hosts
from tiptoe.harvest.comparer import Comparer
from tiptoe.harvest.judgement import DuplicityRules
from tiptoe.keeper.text_index import TextIndex
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.protocol.work import Question
from tiptoe.segment.rating_batches import rate_in_batches
from tiptoe.segment.segmenter_protocol import TEXT_CHARS_MAX, Rating, SubmittedText
from tiptoe.settings.layers import Settings
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Writes
from tiptoe.write.documents import StoredDocument

LONG = "A paragraph that says enough to be told from every other one, number "


def candidate(*paragraphs: str, id: str = "1") -> Candidate:
    stored = StoredDocument(
        id=id, url=f"http://a.example/{id}.pdf", type="application/pdf", fetched_at="", depth=0, digest="",
        warc_file="", warc_offset=0, warc_length=0,
    )  # fmt: skip
    return Candidate(stored, TextDocument("", "", "", list(paragraphs), []))


class Corpus:
    """An index in memory that learns what is kept."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.paragraphs = Paragraphs(self.store, Hosts(self.store))
        self.comparer = Comparer(self.paragraphs.find_known, DuplicityRules(), sleep=lambda seconds: None)

    def enter(self, *candidates: Candidate) -> list[float | None]:
        """Compare a batch and learn what is kept; return the duplicity of each."""
        compared = self.comparer(list(candidates))
        batch = Writes()
        for one, found in zip(candidates, compared, strict=True):
            if not (found.duplicity and DuplicityRules().is_copy(found.duplicity)):
                self.paragraphs.learn_once(batch, one.stored.url, found.fingerprint)
        self.store.write(batch)
        return [found.duplicity for found in compared]


def test_a_document_that_says_what_another_said_is_a_copy() -> None:
    corpus = Corpus()
    assert corpus.enter(candidate(LONG + "1", LONG + "2", id="a")) == [0.0]
    assert corpus.enter(candidate(LONG + "1", LONG + "2", "n", id="b")) == [1.0]
    assert corpus.enter(candidate(LONG + "1", LONG + "3", id="c")) == [0.5]


def test_texts_of_one_batch_are_compared_with_each_other() -> None:
    """The same leaflet lies under two addresses, and both are read within a second."""
    told = Corpus().enter(
        candidate(LONG + "1", id="a"),
        candidate(LONG + "1", id="b"),
        candidate(LONG + "1", LONG + "2", id="c"),
    )
    assert told == [0.0, 1.0, 0.5]


def test_converted_again_a_document_is_no_copy_of_itself() -> None:
    """Else `--again` would empty the corpus; a copy of it under another address stays out."""
    corpus = Corpus()
    first, copy = candidate(LONG + "1", id="a"), candidate(LONG + "1", id="b")
    assert corpus.enter(first, copy) == [0.0, 1.0]
    assert corpus.enter(first, copy) == [None, 1.0]
    assert corpus.enter(first) == [None]


def test_a_page_under_way_is_waited_for_but_not_for_ever() -> None:
    slept: list[float] = []
    claimed = {0: bytes([CLAIMED, CLAIMED]), 1: bytes([NEW])}
    comparer = Comparer(lambda questions: claimed, DuplicityRules(), sleep=slept.append)
    (found,) = comparer([candidate(LONG)])
    assert found.duplicity is None
    assert 1.0 < sum(slept) < 10.0


def test_without_an_answer_a_text_is_kept_and_its_duplicity_unknown() -> None:
    comparer = Comparer(lambda questions: {}, DuplicityRules())
    assert [found.duplicity for found in comparer([candidate(LONG), candidate("short", id="2")])] == [
        None,
        None,
    ]


def test_the_index_of_a_running_crawl_is_asked_over_its_socket(tmp_path: Path) -> None:
    with running_keeper(tmp_path / "crawl") as keeper, TextIndex(tmp_path / "crawl") as index:
        keeper.frontier.learn([("http://a.example/", b"the text")])
        asked = [Question(7, "http://b.example/", b"the text"), Question(8, "http://b.example/", b"another!")]
        assert index.look(asked) == {7: b"\1http://a.example/", 8: b"\0"}


def test_an_index_that_cannot_be_read_leaves_texts_unjudged(tmp_path: Path) -> None:
    (tmp_path / MARKER).write_text('{"seeds": []}')
    with TextIndex(tmp_path) as index:
        assert index.look([Question(1, "http://b.example/", b"the text")]) == {}


def test_texts_are_rated_in_batches_of_bounded_size() -> None:
    sizes: list[int] = []

    def rate(texts: list[SubmittedText]) -> dict[str, Rating]:
        sizes.append(len(texts))
        return {text.id: Rating(text.id, len(text.paragraphs[0]) / TEXT_CHARS_MAX) for text in texts}

    book = "x" * (TEXT_CHARS_MAX // 2)
    some = [candidate(book, id=str(number)) for number in range(3)] + [candidate("y")] * 3
    assert rate_in_batches(rate, 2)(some) == [0.5, 0.5, 0.5, 1e-06, 1e-06, 1e-06]
    assert sizes == [2, 2, 2]


def test_a_segmenter_that_fails_costs_ratings_and_not_texts() -> None:
    calls: list[list[SubmittedText]] = []

    def rate(texts: list[SubmittedText]) -> dict[str, Rating]:
        calls.append(texts)
        if len(calls) == 1:
            raise ProtocolError("down")
        return {text.id: Rating(text.id, None if text.id == "1" else 0.5) for text in texts}

    assert rate_in_batches(rate, 1)([candidate("a"), candidate("b"), candidate("c")]) == [None, None, 0.5]


def test_the_settings_say_who_is_asked(tmp_path: Path) -> None:
    off = {"text.detect_language": False, "text.duplicity": False, "segmenter.off": True}
    with document_judging(Settings.load(overrides={**off, "text.min_chars": 7}), tmp_path) as nobody:
        assert (nobody.identify, nobody.compare, nobody.rate) == (None, None, None)
        assert nobody.store.refusal(CandidateText(paragraphs=["short."])) is Discard.TOO_SHORT
    with document_judging(Settings.load(overrides={"text.languages": ["cs"]}), tmp_path) as everybody:
        assert None not in (everybody.identify, everybody.compare, everybody.rate)
        assert everybody.store.refusal(CandidateText(language="de")) is Discard.OTHER_LANGUAGE
        assert everybody.store.refusal(CandidateText(duplicity=1.0)) is Discard.DUPLICATE
