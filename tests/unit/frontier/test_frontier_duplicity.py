"""Which texts have been seen before, and on what that knowledge rests."""

from collections.abc import Sequence

import pytest

from tiptoe.frontier import duplicity
from tiptoe.frontier.duplicity import CLAIMED, FURNITURE, KNOWN, NEW, ForgottenTexts, Paragraphs
from tiptoe.frontier.host import Hosts
from tiptoe.protocol.work import Question
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes
from tiptoe.text.fingerprint import HASH_BYTES
from tiptoe.url.wish import read_wish


class Index:
    """An index over a store in memory; texts and paragraphs are words."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.store = store or MemoryStore()
        self.hosts = Hosts(self.store)
        self.paragraphs = Paragraphs(self.store, self.hosts)

    def ask(self, url: str, *words: str, is_revisit: bool = False) -> list[int]:
        """Ask about a page; its first word is the whole text."""
        marks = self.paragraphs.claim([Question(7, url, _hashes(words), is_revisit)])[7]
        self.paragraphs.check()
        return list(marks)

    def learn(self, url: str, *words: str, is_kept: bool = True, is_revisit: bool = False) -> None:
        """Settle a page in a step of its own."""
        record = self.hosts.obtain(url.split("/")[2])
        record.pages += not is_revisit
        batch = Writes()
        self.paragraphs.learn(batch, url, _hashes(words), is_kept=is_kept, is_revisit=is_revisit)
        self.store.write(batch)
        self.paragraphs.committed()
        self.paragraphs.check()

    def met_on(self, host: str, *words: str, pages: int = 1, filler: int = 0) -> None:
        """Settle pages with these paragraphs, each with a text of its own, and others without."""
        for number in range(pages + filler):
            own = words if number < pages else ()
            self.learn(f"http://{host}/{number}", f"{host} text {number}", *own)


class ReadStore(MemoryStore):
    """Remembers what was looked up."""

    def __init__(self) -> None:
        super().__init__()
        self.read: set[bytes] = set()

    def get_many(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        self.read.update(keys)
        return super().get_many(table, keys)


def _hashes(words: tuple[str, ...]) -> bytes:
    return b"".join(word.encode().ljust(HASH_BYTES, b"\0")[-HASH_BYTES:] for word in words)


A, B, C = "http://a.example/x", "http://b.example/y", "http://c.example/z"


def test_what_nobody_has_met_is_new_and_then_known() -> None:
    index = Index()
    assert index.ask(A, "text", "one", "two") == [NEW, NEW, NEW]
    index.learn(A, "text", "one", "two")
    assert index.ask(B, "other", "two", "three") == [NEW, KNOWN, NEW]


def test_the_same_text_needs_no_look_at_its_paragraphs() -> None:
    """Whole texts come first (INC-5)."""
    index = Index()
    index.learn(A, "text", "one", "two")
    assert index.ask(B, "text", "one", "two") == [KNOWN, *A.encode()]


def test_of_two_pages_under_way_the_first_has_the_claim() -> None:
    """Copies are often read side by side; one of them must be kept, and only one."""
    index = Index()
    assert index.ask(A, "text", "one") == [NEW, NEW]
    assert index.ask(B, "text", "one", "two") == [CLAIMED, CLAIMED, NEW]
    assert index.ask(A, "text", "one") == [NEW, NEW]  # to its own page a claim is nothing
    index.learn(A, "text", "one")
    assert index.ask(B, "text", "one", "two") == [KNOWN, *A.encode()]


def test_a_claim_dies_with_its_page() -> None:
    """Else a text would be lost whose first copy was never written."""
    index = Index()
    index.ask(A, "text", "one")
    assert index.ask(B, "text", "one") == [CLAIMED, CLAIMED]
    index.paragraphs.release(A)
    assert index.ask(B, "text", "one") == [NEW, NEW]
    assert index.ask(C, "text", "one") == [CLAIMED, CLAIMED]


def test_what_was_left_out_is_not_known() -> None:
    """Only what stands in the corpus can make a copy of another page."""
    index = Index()
    index.learn(A, "text", "one", "two")
    index.learn(B, "other", "one", "two", "three", is_kept=False)
    assert index.ask(C, "more", "one", "three") == [NEW, KNOWN, NEW]


def test_pages_of_one_question_see_each_other() -> None:
    index = Index()
    questions = [Question(1, A, _hashes(("text", "one"))), Question(2, B, _hashes(("text", "one")))]
    answers = index.paragraphs.claim(questions)
    assert (list(answers[1]), list(answers[2])) == ([NEW, NEW], [CLAIMED, CLAIMED])


def test_pages_settled_in_one_step_see_each_other() -> None:
    """A store is not asked for what its open batch holds."""
    index = Index()
    batch = Writes()
    for url in (A, B):
        index.paragraphs.learn(batch, url, _hashes((url[-1], "one")), is_kept=True)
    index.store.write(batch)
    rows = dict(index.store.scan(Table.PARAGRAPH))
    assert sum(key.startswith(_hashes(("one",))) for key in rows) == 2  # one for all, one for b.example
    index.paragraphs.check()


def test_a_page_that_was_never_asked_about_is_learned_all_the_same() -> None:
    """The answer did not come in time; its text is in the corpus."""
    index = Index()
    index.ask(A, "text", "one")
    index.learn(B, "text", "one")
    assert index.ask(A, "text", "one") == [KNOWN, *B.encode()]


def test_a_text_that_is_a_paragraph_too_is_counted_as_one() -> None:
    """A text of one plain line has the hash of its line; that costs the address, and nothing else."""
    index = Index()
    index.learn(A, "line", "line")
    assert index.ask("http://d.example/", "line") == [KNOWN, *A.encode()]
    assert index.ask(B, "other", "line") == [NEW, KNOWN]
    index.learn(B, "other", "line")
    assert index.ask(C, "third", "line") == [NEW, KNOWN]
    assert index.ask("http://d.example/", "line") == [KNOWN]


def test_an_address_without_end_is_cut_off() -> None:
    index = Index()
    index.learn(A + "x" * 10_000, "text")
    assert len(index.ask(B, "text")) == 1 + duplicity.URL_BYTES_MAX


# -- furniture -----------------------------------------------------------


def test_a_notice_on_every_page_is_furniture_from_the_third_on() -> None:
    """It is no sign of a copy, even where it is all that a page says at length."""
    index = Index()
    index.met_on("a.example", "notice")
    assert index.ask("http://a.example/2", "second", "notice") == [NEW, KNOWN]
    index.met_on("a.example", "notice", pages=2)
    assert index.ask("http://a.example/3", "third", "notice") == [NEW, FURNITURE]


def test_pages_that_are_left_out_teach_what_furniture_is() -> None:
    """Else a site would be left out page by page, for ever."""
    index = Index()
    index.met_on("a.example", "notice")
    index.met_on("b.example")
    index.learn("http://b.example/1", "first", "notice", is_kept=False)
    assert index.ask("http://b.example/2", "second", "notice") == [NEW, KNOWN]
    index.learn("http://b.example/2", "second", "notice", is_kept=False)
    assert index.ask("http://b.example/3", "third", "notice") == [NEW, FURNITURE]


def test_a_text_on_a_few_pages_of_a_big_site_is_no_furniture() -> None:
    """Print versions and lists of articles repeat what the site has said."""
    index = Index()
    index.met_on("a.example", "one", pages=2, filler=28)
    assert index.ask("http://a.example/x", "third", "one") == [NEW, KNOWN]


def test_a_notice_of_one_section_of_a_big_site_is_furniture() -> None:
    index = Index()
    index.met_on("a.example", "notice", pages=20, filler=130)
    assert index.ask("http://a.example/x", "next", "notice") == [NEW, FURNITURE]
    index.met_on("a.example", "rare", pages=19)
    assert index.ask("http://a.example/y", "other", "rare") == [NEW, KNOWN]


def test_what_is_furniture_elsewhere_is_furniture_on_the_first_page() -> None:
    """The same plugin says the same about cookies on thousands of sites."""
    index = Index()
    index.met_on("a.example", "notice", pages=4)
    assert index.ask(B, "text", "notice") == [NEW, FURNITURE]


def test_an_article_on_many_sites_is_no_furniture() -> None:
    """Agencies sell one text to everybody."""
    index = Index()
    for number in range(30):
        index.met_on(f"h{number}.example", "article")
    assert index.ask(C, "text", "article") == [NEW, KNOWN]


def test_counting_ends_where_it_changes_nothing_any_more() -> None:
    """A notice costs no write per page, however big the site is."""
    index = Index()
    index.met_on("a.example", "notice", pages=20)
    before = dict(index.store.scan(Table.PARAGRAPH))
    index.learn("http://a.example/x", "next", "notice")
    added = dict(index.store.scan(Table.PARAGRAPH)).items() - before.items()
    assert [key for key, _ in added] == [_hashes(("next",))]


# -- bounds --------------------------------------------------------------


def test_knowledge_survives_a_restart_and_claims_do_not() -> None:
    index = Index()
    index.learn(A, "text", "one")
    index.met_on("b.example", "one", pages=3)
    index.ask(C, "new", "two")
    later = Index(index.store)
    assert later.ask(C, "new", "two", "one") == [NEW, NEW, KNOWN]


def test_a_paragraph_met_once_is_a_row_of_twelve_bytes() -> None:
    index = Index()
    index.learn(A, "text", "one")
    sizes = {key: len(key + row) for key, row in index.store.scan(Table.PARAGRAPH)}
    assert sizes == {_hashes(("one",)): 12, _hashes(("text",)): 12 + len(A)}


def test_rows_in_memory_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is forgotten is on disk."""
    monkeypatch.setattr(duplicity, "ROWS_MAX", 20)
    store = ReadStore()
    index = Index(store)
    words = [f"p{number}" for number in range(100)]
    for number, word in enumerate(words):
        index.learn(f"http://a.example/{number}", f"t{number}", word)
    store.read.clear()
    assert index.ask(B, "new", *words) == [NEW, *[KNOWN] * 100]
    known = [word for word in words if _hashes((word,)) not in store.read]
    assert 0 < len(known) <= 20
    assert known[-1] == words[-1]


def test_with_too_many_claims_nobody_can_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded, whatever harvesters ask; a page without an answer is kept."""
    monkeypatch.setattr(duplicity, "CLAIMS_MAX", 3)
    index = Index()
    index.ask(A, "text", "one", "two", "three")
    assert index.ask(B, "other", "four") == []
    index.paragraphs.release(A)
    assert index.ask(B, "other", "four") == [NEW, NEW]


@pytest.mark.parametrize("fingerprint", [b"", b"abc", bytes(100_000)])
def test_a_strange_fingerprint_does_no_harm(fingerprint: bytes) -> None:
    """Harvesters of other machines may be anything."""
    index = Index()
    answer = index.paragraphs.claim([Question(1, A, fingerprint)])[1]
    assert len(answer) <= 201
    batch = Writes()
    index.paragraphs.learn(batch, A, fingerprint, is_kept=True)
    index.store.write(batch)
    index.paragraphs.check()


# -- pages that are visited again ----------------------------------------


def test_the_text_of_a_page_does_not_become_furniture_by_being_visited() -> None:
    """Else after a few visits nothing of a page would be known any more, and every visit find a change."""
    index = Index()
    index.learn(A, "text 0", "one", "two")
    for number in range(1, 30):
        text = f"text {number}"
        assert index.ask(A, text, "one", "two", f"new {number}", is_revisit=True) == [NEW, KNOWN, KNOWN, NEW]
        index.learn(A, text, "one", "two", f"new {number}", is_revisit=True)
    assert index.ask(B, "other", "one", "new 7") == [NEW, KNOWN, KNOWN]


def test_what_was_new_on_a_page_that_counts_as_unchanged_is_not_known() -> None:
    """It was not written; when more of it has come together the page has changed."""
    index = Index()
    index.learn(A, "text", "one", "two")
    index.ask(A, "text 2", "one", "three", is_revisit=True)
    index.learn(A, "text 2", "one", "three", is_kept=False, is_revisit=True)
    assert index.ask(A, "text 3", "one", "three", is_revisit=True) == [NEW, KNOWN, NEW]


def test_a_page_is_compared_with_its_own_text_also_where_others_have_it() -> None:
    """A paragraph on two pages of a small site is furniture to a third page, not to these two."""
    index = Index()
    index.met_on("a.example", "shared", pages=2, filler=5)
    assert index.ask("http://a.example/9", "another", "shared") == [NEW, FURNITURE]
    assert index.ask("http://a.example/0", "again", "shared", is_revisit=True) == [NEW, KNOWN]


def test_a_notice_on_every_page_of_a_site_says_nothing_of_a_change_either() -> None:
    """The weakness to beat (INC-5): what is short may change under a long notice."""
    index = Index()
    index.met_on("a.example", "notice", pages=30)
    assert index.ask("http://a.example/3", "news", "notice", is_revisit=True) == [NEW, FURNITURE]


def forget(index: Index, *targets: str) -> None:
    """Remove from the index what is covered, as a shard does that has no corpus."""
    texts, batch = ForgottenTexts(map(read_wish, targets)), Writes()
    for key, row in index.store.scan(Table.PARAGRAPH):
        if texts.has(key, row):
            batch.delete(Table.PARAGRAPH, key)
    index.store.write(batch)
    index.paragraphs.forget()


def test_a_host_that_is_forgotten_leaves_what_other_sites_have() -> None:
    index = Index()
    index.learn("http://a.example/1", "whole a", "own", "shared")
    index.learn("http://b.example/1", "whole b", "shared", "other")
    forget(index, "a.example")
    assert index.ask("http://c.example/1", "whole a", "own", "shared", "other") == [NEW, NEW, KNOWN, KNOWN]
    assert index.ask("http://c.example/2", "whole b", "x")[0] == KNOWN


def test_of_pages_and_domains_the_index_forgets_what_bears_their_addresses() -> None:
    """The hashes of their paragraphs say nothing; the member that has the text names them."""
    index = Index()
    for number in (1, 2):
        index.learn(f"http://www.a.example/{number}", f"whole {number}", f"own {number}")
    index.learn("http://b.example/1", "whole b")
    forget(index, "http://www.a.example/1")
    asked = [index.ask(f"http://c.example/{number}", f"whole {number}")[0] for number in (1, 2)]
    assert asked == [NEW, KNOWN]
    forget(index, "*.a.example")
    assert index.ask("http://c.example/3", "whole 2") == [NEW]
    assert index.ask("http://c.example/4", "whole b")[0] == KNOWN
    assert not [row for _, row in index.store.scan(Table.PARAGRAPH) if b"a.example" in row]
