"""What could not be rated in time is rated later, and stands beside the corpus."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from segment_samples import ARTICLE_CS, MENU

from tiptoe.errors import CrawlerError, ProtocolError, SettingsError
from tiptoe.segment.catchup import FAILURES_MAX, CaughtUp, RateTexts, catch_up, rate_with
from tiptoe.segment.scorer import Scorer
from tiptoe.segment.segmenter_protocol import Rating, SubmittedText
from tiptoe.write.ratings import LateFile, LateRating, late_path, read_late

BUILT_IN = rate_with(Scorer())


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "crawl.json").write_text("{}")
    return tmp_path


def write(crawl: Path, name: str, *documents: dict[str, object], encoding: str = "utf-8") -> list[int]:
    """Write a file of the corpus; return the offsets of its lines."""
    lines = [json.dumps(document, ensure_ascii=False).encode(encoding) + b"\n" for document in documents]
    (crawl / "corpus" / name).write_bytes(b"".join(lines))
    return [sum(map(len, lines[:number])) for number in range(len(lines))]


def document(number: int, paragraphs: list[str] = ARTICLE_CS, **more: object) -> dict[str, object]:
    return {"id": f"urn:{number}", "url": f"https://a.example/{number}", "paragraphs": paragraphs, **more}


def run(crawl: Path, rate: RateTexts = BUILT_IN, *, documents_max: int = 50, again: bool = False) -> CaughtUp:
    return catch_up(crawl, rate, documents_max=documents_max, again=again)


def late(crawl: Path, name: str) -> dict[int, float | None]:
    return {offset: rating.usability for offset, rating in read_late(crawl / "corpus" / name).items()}


def test_what_is_unknown_is_rated_and_what_is_known_is_left(crawl: Path) -> None:
    offsets = write(
        crawl, "h1-00001.jsonl", document(1), document(2, MENU), document(3, usability=0.7),
        document(4, usability=None),
    )  # fmt: skip
    before = (crawl / "corpus" / "h1-00001.jsonl").read_bytes()
    assert run(crawl) == CaughtUp(rated=2, unjudged=1, known=1)
    assert run(crawl) == CaughtUp(known=4)  # also what could not be judged is not asked about again
    assert late(crawl, "h1-00001.jsonl") == {offsets[0]: 0.973, offsets[1]: None, offsets[3]: 0.973}
    assert read_late(crawl / "corpus" / "h1-00001.jsonl")[offsets[1]].id == "urn:2"
    assert (crawl / "corpus" / "h1-00001.jsonl").read_bytes() == before
    assert list((crawl / "corpus").iterdir()) == [crawl / "corpus" / "h1-00001.jsonl"]


def test_it_goes_on_where_it_was(crawl: Path) -> None:
    """What a first run rated is not asked about again; what it could not rate is."""
    write(crawl, "h1-00001.jsonl", *map(document, range(10)))
    asked: list[str] = []

    def fails_later(texts: list[SubmittedText]) -> dict[str, Rating]:
        asked.extend(text.url for text in texts)
        if len(asked) > 6:
            raise KeyboardInterrupt
        return BUILT_IN(texts)

    with pytest.raises(KeyboardInterrupt):
        run(crawl, fails_later, documents_max=3)
    assert len(late(crawl, "h1-00001.jsonl")) == 6
    asked.clear()
    assert run(crawl) == CaughtUp(rated=4, known=6)


def test_everything_can_be_rated_again_and_the_last_rating_counts(crawl: Path) -> None:
    offsets = write(crawl, "h1-00001.jsonl", document(1), document(2, usability=0.1))
    run(crawl)
    assert run(crawl, lambda texts: {text.id: Rating(text.id, 0.25) for text in texts}, again=True).rated == 2
    assert late(crawl, "h1-00001.jsonl") == dict.fromkeys(offsets, 0.25)


def test_files_that_are_still_written_wait(crawl: Path) -> None:
    """Their last lines may be taken back, and others stand at the same offset then."""
    write(crawl, "h1-00001.jsonl.open", document(1))
    assert run(crawl) == CaughtUp(open_files=1)
    assert not late_path(crawl / "corpus" / "h1-00001.jsonl").exists()


def test_one_document_does_not_spoil_the_others(crawl: Path) -> None:
    write(crawl, "h1-00001.jsonl", *map(document, range(20)))

    def rate(texts: list[SubmittedText]) -> dict[str, Rating]:
        if any(text.url.endswith("/7") for text in texts):
            raise ProtocolError("the segmenter answers with status 500")
        return BUILT_IN(texts)

    assert run(crawl, rate) == CaughtUp(rated=19, unknown=1)
    assert run(crawl, rate) == CaughtUp(known=19, unknown=1)


def test_many_bad_documents_among_good_ones_do_not_end_it(crawl: Path) -> None:
    write(crawl, "h1-00001.jsonl", *map(document, range(120)))

    def rate(texts: list[SubmittedText]) -> dict[str, Rating]:
        if any(int(text.url.rpartition("/")[2]) % 3 == 0 for text in texts):
            raise ProtocolError("the segmenter answers with status 500")
        return BUILT_IN(texts)

    assert run(crawl, rate) == CaughtUp(rated=80, unknown=40)


def test_a_segmenter_that_is_down_is_told_of(crawl: Path) -> None:
    write(crawl, "h1-00001.jsonl", *map(document, range(200)))
    asked = []

    def rate(texts: list[SubmittedText]) -> dict[str, Rating]:
        asked.append(texts)
        raise ProtocolError("the segmenter does not answer")

    with pytest.raises(ProtocolError, match=r"does not answer; given up after 20 failures in a row"):
        run(crawl, rate)
    assert len(asked) == FAILURES_MAX
    assert not late_path(crawl / "corpus" / "h1-00001.jsonl").exists()


def test_what_the_segmenter_cannot_tell_stays_unknown(crawl: Path) -> None:
    write(crawl, "h1-00001.jsonl", document(1), document(2))
    assert run(crawl, lambda texts: {texts[0].id: Rating(texts[0].id, None)}) == CaughtUp(
        unjudged=1, unknown=1
    )


def test_documents_travel_in_batches_of_bounded_size(crawl: Path) -> None:
    write(
        crawl,
        "h1-00001.jsonl",
        *(document(n, ["x" * 400_000]) for n in range(4)),
        document(5, ["y" * 3_000_000]),
    )
    sizes = []

    def rate(texts: list[SubmittedText]) -> dict[str, Rating]:
        sizes.append([sum(map(len, text.paragraphs)) for text in texts])
        return BUILT_IN(texts)

    run(crawl, rate)
    assert sizes == [[400_000, 400_000], [400_000, 400_000], [1_000_000]]


def test_another_encoding_and_spoilt_lines_are_read_as_far_as_possible(crawl: Path) -> None:
    (crawl / "log").mkdir()
    (crawl / "log" / "figures-1.json").write_text('{"started_at":1,"now":2,"encoding":"iso-8859-2"}')
    latin = [paragraph.replace("„", '"').replace("“", '"').replace("–", "-") for paragraph in ARTICLE_CS]
    write(crawl, "h0-00001.jsonl", document(0))  # of a run before, in UTF-8
    write(crawl, "h1-00001.jsonl", document(1, latin), encoding="iso-8859-2")
    with (crawl / "corpus" / "h1-00001.jsonl").open("ab") as file:
        file.write(b'nonsense\n{"torn')
    assert run(crawl) == CaughtUp(rated=2, bad_lines=1)
    assert list(late(crawl, "h0-00001.jsonl").values()) == [0.973]
    assert list(late(crawl, "h1-00001.jsonl").values()) == [0.973]


def test_a_torn_line_of_ratings_is_mended(crawl: Path) -> None:
    offsets = write(crawl, "h1-00001.jsonl", document(1), document(2))
    run(crawl)
    path = late_path(crawl / "corpus" / "h1-00001.jsonl")
    path.write_bytes(path.read_bytes()[:-10])
    assert run(crawl) == CaughtUp(rated=1, known=1)
    assert late(crawl, "h1-00001.jsonl") == dict.fromkeys(offsets, 0.973)


def test_a_directory_that_is_no_crawl_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        run(tmp_path)


def test_later_ratings_carry_their_annotations(crawl: Path) -> None:
    corpus = crawl / "corpus" / "h1-00001.jsonl"
    ratings = [LateRating(0, "a", 0.5, {"genre": "news"}), LateRating(90, "b", 1.0)]
    with LateFile(corpus) as file:
        file.add(ratings)
    assert list(read_late(corpus).values()) == ratings


def test_two_processes_do_not_write_one_file(crawl: Path, locked: Callable[[Path], None]) -> None:
    corpus = crawl / "corpus" / "h1-00001.jsonl"
    (crawl / "usability").mkdir()
    locked(late_path(corpus))
    with pytest.raises(CrawlerError, match="another process writes it"), LateFile(corpus):
        pass


@pytest.fixture
def locked(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    """Lock a file in another process until the test ends."""

    def lock(path: Path) -> None:
        code = (
            "import fcntl, sys; f = open(sys.argv[1], 'a'); fcntl.lockf(f, fcntl.LOCK_EX); print(flush=True)"
        )
        code += "; input()"
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        request.addfinalizer(lambda: process.communicate(b"\n", timeout=30))

    return lock
