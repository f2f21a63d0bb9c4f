"""What have the pages of a shard to add to the index of texts?"""

from tiptoe.cluster.shard_labels import ShardLabels
from tiptoe.frontier.counters import Ids
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.text_outbox import (
    HAS_WHOLE,
    IS_KEPT,
    IS_ONCE,
    ROW_TEXTS_MAX,
    TextOutbox,
    text_block,
    text_blocks,
)
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes

TEXT = bytes(range(24))
URL = "http://a.example/"


def written(outbox: TextOutbox, store: MemoryStore) -> None:
    batch = Writes()
    outbox.write(batch)
    store.write(batch)


def test_every_hash_of_a_text_has_its_block() -> None:
    assert text_blocks(TEXT, 7) == [text_block(TEXT[at : at + 8], 7) for at in (0, 8, 16)]
    assert text_block(TEXT[:8] + b"site", 7) == text_block(TEXT[:8], 7), "its counts stand beside it"


def test_what_a_step_has_learned_is_one_row_until_it_is_dropped() -> None:
    store, ids = MemoryStore(), Ids()
    outbox = TextOutbox(store, ids)
    outbox.learn(Writes(), URL, TEXT, is_kept=True)
    outbox.learn_once(Writes(), URL, TEXT)
    written(outbox, store)
    written(outbox, store)  # a step that has learned nothing
    outbox.learn(Writes(), URL, TEXT, is_kept=False)
    written(outbox, store)
    again = TextOutbox(store, ids)
    for one in (outbox, again):
        rows = one.after(0, one.last)
        assert [(number, [text.flags for text in texts]) for number, texts in rows] == [
            (1, [HAS_WHOLE | IS_KEPT, HAS_WHOLE | IS_KEPT | IS_ONCE]),
            (2, [HAS_WHOLE]),
        ]
        one.check()
    again.drop([1])
    assert [number for number, _ in again.after(0, again.last)] == [2]
    assert (again.first, again.last, len(again)) == (2, 2, 1)
    again.drop([2])
    assert list(store.scan(Table.TEXT)) == []
    again.learn(Writes(), URL, TEXT, is_kept=True)
    written(again, store)
    assert again.last == 3, "numbers go on: whoever has passed one takes it never again"


def test_a_step_of_very_many_texts_has_several_rows() -> None:
    """Each of them has to fit into a message."""
    store = MemoryStore()
    outbox = TextOutbox(store, Ids())
    for _ in range(ROW_TEXTS_MAX + 1):
        outbox.learn(Writes(), URL, TEXT, is_kept=True)
    written(outbox, store)
    assert [len(texts) for _, texts in outbox.after(0, outbox.last)] == [ROW_TEXTS_MAX, 1]


def test_rows_that_no_longer_fit_into_memory_are_read_again() -> None:
    store = MemoryStore()
    outbox = TextOutbox(store, Ids())
    for _ in range(2100):
        outbox.learn(Writes(), URL, TEXT, is_kept=True)
        written(outbox, store)
    assert len(outbox.after(0, outbox.last)) == 2100


def test_a_page_and_its_text_are_written_in_one_step() -> None:
    """Whoever dies in between has stored both, or none; and the shard is not finished before it was told."""
    store = MemoryStore()
    policy = FrontierPolicy(politeness=Politeness(req_delay=1.0, general_pause=1.0), reads_tdmrep=False)
    frontier = Frontier(store, policy, plan=ShardLabels(1), shares_texts=True)
    frontier.add([Request(URL)], 0.0)
    frontier.resolved_all([(frontier.new_hosts(1)[0], "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    visit = frontier.visits(1, "h0-1-0001", 0.0)[0]
    rules = Result(
        Request(f"{URL}robots.txt", Purpose.ROBOTS), status=404, robots=RobotsNote(RobotsState.RULES)
    )
    page = Result(Request(URL), status=200, text_chars=100, fingerprint=TEXT)
    frontier.report([Report(visit.id, [rules, page], is_done=True)], {}, 1.0)
    outbox = frontier.text_outbox
    assert outbox is not None
    assert frontier.page(URL) is not None
    assert [text.url for _, texts in outbox.after(0, 9) for text in texts] == [URL]
    assert list(store.scan(Table.PARAGRAPH)) == []
    assert not frontier.is_finished()
    outbox.drop([1])
    assert frontier.is_finished()
    frontier.check()
