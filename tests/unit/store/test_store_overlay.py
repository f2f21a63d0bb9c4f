"""Do writes over a store show, and leave it alone?"""

from tiptoe.store.memory import MemoryStore
from tiptoe.store.overlay import Overlay
from tiptoe.store.tables import Store, Table, Writes


def write(store: Store, **rows: str) -> None:
    batch = Writes()
    for key, value in rows.items():
        batch.put(Table.PARAGRAPH, key.encode(), value.encode())
    store.write(batch)


def test_what_is_written_lies_over_what_is_stored() -> None:
    base = MemoryStore()
    write(base, a="old", b="old")
    over = Overlay(base)
    write(over, b="new", c="new")
    keys = [b"c", b"a", b"b", b"d", b"a"]
    assert over.get_many(Table.PARAGRAPH, keys) == [b"new", b"old", b"new", None, b"old"]
    assert over.get(Table.PARAGRAPH, b"b") == b"new"
    assert over.get(Table.HOST, b"b") is None
    assert base.get_many(Table.PARAGRAPH, [b"b", b"c"]) == [b"old", None]


def test_an_overlay_knows_what_it_holds() -> None:
    over = Overlay(MemoryStore())
    write(over, b="1", c="2")
    write(over, b="3")
    assert len(over) == 2
    assert set(over.rows()) == {(Table.PARAGRAPH, b"b", b"3"), (Table.PARAGRAPH, b"c", b"2")}
