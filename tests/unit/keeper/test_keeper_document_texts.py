"""Does the index know the texts of converted documents, whether a keeper runs or not?"""

from collections.abc import Callable
from pathlib import Path

import pytest
from keeper_samples import make_keeper

from tiptoe.frontier.duplicity import CLAIMED, KNOWN, NEW
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.keeper.commands import answer
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.document_texts import StoppedTexts, take_texts
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.protocol.messages import Known
from tiptoe.protocol.operator import CompareTexts, TakeLinks
from tiptoe.protocol.work import Question
from tiptoe.store.memory import MemoryStore
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table
from tiptoe.write.dropbox import KeptText, leave_texts, waiting_texts

URL = "http://a.example/d.pdf"


def marks_of(*names: str) -> bytes:
    """Return a fingerprint: the whole text, then its paragraphs."""
    return b"".join(name.encode().ljust(8) for name in names)


def question(*names: str, number: int = 1) -> Question:
    return Question(number, URL, marks_of(*names))


def told(
    ask: Callable[[list[Question], Callable[[dict[int, bytes]], object]], None], questions: list[Question]
) -> dict[int, bytes]:
    """Return what is answered at once."""
    answers: dict[int, bytes] = {}
    ask(questions, answers.update)
    return answers


def leave(directory: Path, *names: str, file: str = "one") -> None:
    leave_texts(directory, file, [KeptText(URL, marks_of(*names))])


def test_a_keeper_takes_in_what_was_left_and_then_knows_it(tmp_path: Path) -> None:
    frontier = Frontier(MemoryStore(), FrontierPolicy())
    leave(tmp_path, "whole", "first", "second")
    take_texts(frontier, tmp_path)
    assert waiting_texts(tmp_path) == []
    asked = [question("whole", number=1), question("other", "first", "third", number=2)]
    assert told(frontier.find_known_paragraphs, asked) == {
        1: bytes([KNOWN]) + URL.encode(),
        2: bytes([NEW, KNOWN, NEW]),
    }
    frontier.check()


def test_taking_a_text_in_twice_counts_once(tmp_path: Path) -> None:
    """A keeper may be killed before the file is gone; what is met often on a site looks like a notice."""
    frontier = Frontier(MemoryStore(), FrontierPolicy())
    for _ in range(5):
        leave(tmp_path, "whole", "first")
        take_texts(frontier, tmp_path)
    assert told(frontier.find_known_paragraphs, [question("other", "first")]) == {1: bytes([NEW, KNOWN])}


def test_looking_claims_nothing(tmp_path: Path) -> None:
    """A conversion that is killed must not keep pages waiting."""
    frontier = Frontier(MemoryStore(), FrontierPolicy())
    told(frontier.find_known_paragraphs, [question("whole", "first")])
    page = Question(2, "http://b.example/", marks_of("whole", "first"))
    assert told(frontier.claim_paragraphs, [page]) == {2: bytes([NEW, NEW])}
    assert told(frontier.find_known_paragraphs, [question("whole", "first")]) == {
        1: bytes([CLAIMED, CLAIMED])
    }
    frontier.check()


def test_a_running_keeper_answers_over_its_socket(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path)
    leave(tmp_path, "whole", "first")
    told = answer(keeper, CompareTexts([question("other", "first")]))
    assert told == Known({1: bytes([NEW, KNOWN])})
    leave(tmp_path, "more")
    answer(keeper, TakeLinks())
    assert waiting_texts(tmp_path) == []


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """A crawl that does not run; `page` stands in its corpus."""
    (tmp_path / "state").mkdir()
    (tmp_path / MARKER).write_text('{"seeds": ["http://a.example/"], "is_seeded": true}')
    store = RocksStore(tmp_path / DATABASE, block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)
    frontier = Frontier(store, FrontierPolicy())
    frontier.learn([("http://b.example/", marks_of("page", "first"))])
    store.close()
    return tmp_path


def test_while_nobody_runs_the_database_and_what_was_left_are_one(crawl: Path) -> None:
    leave(crawl, "text", "second")
    index = StoppedTexts(crawl)
    asked = question("other", "first", "second", "third")
    assert index.look([asked]) == {1: bytes([NEW, KNOWN, KNOWN, NEW])}
    leave(crawl, "more", "third", file="two")
    assert index.look([asked]) == {1: bytes([NEW, KNOWN, KNOWN, KNOWN])}
    index.close()
    assert len(waiting_texts(crawl)) == 2  # the keeper learns them too


def test_an_index_that_is_only_read_keeps_nobody_out(crawl: Path) -> None:
    """A crawl may go on while its documents are converted."""
    index = StoppedTexts(crawl)
    index.look([question("page")])
    keeper = CrawlDirectory(crawl)
    keeper.claim([])
    store = RocksStore(crawl / DATABASE, block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)
    assert store.get(Table.PARAGRAPH, marks_of("page")) is not None
    store.close()
    keeper.release()
    index.close()


def test_what_grows_too_big_for_memory_is_written(crawl: Path) -> None:
    index = StoppedTexts(crawl, rows_max=3)
    for number in range(4):
        leave(crawl, f"text{number}", f"own{number}", "first", file=str(number))
        index.look([])
    learned = [marks_of(f"{kind}{number}") for kind in ("text", "own") for number in range(4)]
    with ReadOnlyStore(crawl / DATABASE, [Table.PARAGRAPH]) as store:
        assert store.get_many(Table.PARAGRAPH, learned).count(None) <= 3
    asked = question("other", "own0", "own3", "new")
    assert index.look([asked]) == {1: bytes([NEW, KNOWN, KNOWN, NEW])}
    index.close()
    database = RocksStore(crawl / DATABASE, block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)
    frontier = Frontier(database, FrontierPolicy())
    take_texts(frontier, crawl)
    assert told(frontier.find_known_paragraphs, [asked]) == {1: bytes([NEW, KNOWN, KNOWN, NEW])}
    frontier.check()
    database.close()
