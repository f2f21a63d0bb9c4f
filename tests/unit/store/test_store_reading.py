"""A database may be looked at without being owned."""

import os
from pathlib import Path

from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table


def test_what_a_killed_process_had_written_is_read(tmp_path: Path) -> None:
    """Its last writes stand in the log only; a reader that refuses logs would see nothing after a crash."""
    child = os.fork()
    if child == 0:
        store = RocksStore(tmp_path / "db")
        batch = store.batch()
        batch.put(Table.PAGE, b"key", b"value")
        store.write(batch)
        os._exit(0)  # without closing
    assert os.waitpid(child, 0)[1] == 0
    store = RocksStore(tmp_path / "db", is_read_only=True)
    assert store.get(Table.PAGE, b"key") == b"value"
    store.close()
