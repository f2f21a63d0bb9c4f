"""Does a real database hold the log up to where it says, whenever its process is killed?"""

import subprocess
import sys
import time
from pathlib import Path

from dying_holder import open_part, read_log, read_on
from shard_grounds import content_of

from tiptoe.cluster.log_batch import BatchReader, LogPosition, position_of
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table

ROUNDS = 4
LOG_BYTES = 300_000


def size_of(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0


def replayed(log: Path, until: int) -> tuple[dict[tuple[Table, bytes], bytes], int]:
    """Return what the log holds up to a message, and its whole batches."""
    reader, store, batches = BatchReader("log.5", LogPosition()), MemoryStore(), 0
    for sequence, message in read_log(log):
        batch = reader.read(sequence, message)
        if batch is not None and sequence <= until:
            store.write(batch)
            batches += 1
    return content_of(store), batches


def test_a_killed_holder_leaves_a_database_from_which_its_heir_goes_on(tmp_path: Path) -> None:
    """No batch in part, none that the log does not have, and none forgotten."""
    database, log = tmp_path / "db", tmp_path / "log"
    script = Path(__file__).with_name("dying_holder.py")
    batches = 0
    for _ in range(ROUNDS):
        process = subprocess.Popen([sys.executable, str(script), str(database), str(log)])
        wanted, until = size_of(log) + LOG_BYTES, time.monotonic() + 60
        while size_of(log) < wanted and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        process.kill()
        assert process.wait() == -9
        store, part = open_part(database)
        place = position_of(part)
        assert place is not None
        assert content_of(part) == replayed(log, place.sequence)[0]
        end = read_on(part, log)
        content, batches = replayed(log, end.sequence)
        assert content_of(part) == content
        assert content[Table.META, b"count"] == b"%d" % batches
        store.close()
    assert batches > 10 * ROUNDS
