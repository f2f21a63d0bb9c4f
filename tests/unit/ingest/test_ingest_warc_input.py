"""Can an archive of any maker be read, from any record on, whatever is wrong with it?"""

import gzip
import io
import random
from collections.abc import Callable
from itertools import pairwise

import pytest
from made_sources import make_record, packed

from tiptoe.ingest import plain_bytes
from tiptoe.ingest.file_position import BEGINNING, FilePosition
from tiptoe.ingest.warc_input import InputRecord, RecordFault, first_record, read_records

RECORDS = [make_record("response", b"%d " % size * size) for size in (10, 70_000, 5)]
RECORDS += [make_record("metadata", b"a: b"), make_record("response", b"last")]
FORMS = {
    "packed by record": packed(RECORDS),
    "packed as a whole": gzip.compress(b"".join(RECORDS)),
    "not packed": b"".join(RECORDS),
}


def read(data: bytes, start: FilePosition = BEGINNING, *, most: int = 1 << 20) -> list[InputRecord]:
    return list(read_records(io.BytesIO(data), start, block_bytes_max=most))


def faults(data: bytes) -> list[str]:
    return [str(record.fault or record.kind) for record in read(data)]


@pytest.mark.parametrize("form", FORMS)
def test_all_records_are_read_however_they_are_packed(form: str) -> None:
    found = read(FORMS[form])
    assert [record.kind for record in found] == ["response"] * 3 + ["metadata", "response"]
    assert [record.block for record in found][-1] == b"last"
    assert found[-1].end == FilePosition(len(FORMS[form]))


@pytest.mark.parametrize("form", FORMS)
def test_reading_can_begin_behind_any_record(form: str) -> None:
    """That is how a run goes on after a kill."""
    found = read(FORMS[form])
    for place, record in enumerate(found, 1):
        assert read(FORMS[form], record.end) == found[place:]


@pytest.mark.parametrize("form", FORMS)
def test_a_block_that_is_too_long_is_cut_and_passed_over(form: str) -> None:
    found = read(FORMS[form], most=1000)
    assert [len(record.block) for record in found] == [30, 1000, 10, 4, 4]
    assert [record.is_cut for record in found] == [False, True, False, False, False]


@pytest.mark.parametrize("form", ["packed by record", "not packed"])
def test_a_part_begins_with_the_first_record_that_stands_for_itself(form: str) -> None:
    """A metadata record belongs to the answer before it, which is in another part."""
    data, found = FORMS[form], read(FORMS[form])
    starts = [record.start.offset for record in found]
    for cut in (1, starts[1], starts[2] + 1, starts[3]):
        first = first_record(io.BytesIO(data), cut, len(data), block_bytes_max=1 << 20)
        wanted = min(start for place, start in enumerate(starts) if start >= cut and place != 3)
        assert first == FilePosition(wanted)
    assert first_record(io.BytesIO(data), starts[-1] + 1, len(data), block_bytes_max=1) is None


def test_a_damaged_member_costs_itself() -> None:
    members = [gzip.compress(record) for record in RECORDS[:3]]
    for damaged in (members[1][:-9], members[1][:50] + b"\0\0\0" + members[1][53:], b"junk" * 100):
        found = faults(members[0] + damaged + members[2])
        assert (found[0], found[-1]) == ("response", "response")
        assert RecordFault.BROKEN in found


def test_a_file_that_was_cut_off_ends_with_a_fault() -> None:
    assert faults(FORMS["packed by record"][:-5]) == ["response"] * 3 + ["metadata", RecordFault.BROKEN]
    assert faults(FORMS["not packed"][:-7]) == ["response"] * 3 + ["metadata", RecordFault.CUT_OFF]


def test_an_absurd_length_costs_its_record() -> None:
    """A number in a head is no reason to lose what stands behind it."""
    for length in ("999999999999999", "-1", "many", "9" * 30):
        bad = make_record("response", b"abc").replace(b"Length: 3", f"Length: {length}".encode())
        assert faults(RECORDS[0] + bad + RECORDS[2])[0::2] == ["response", "response"]
        assert faults(packed([RECORDS[0], bad, RECORDS[2]]))[0::2] == ["response", "response"]
        assert faults(gzip.compress(RECORDS[0] + bad + RECORDS[2]))[0::2] == ["response", "response"]


class CountedFile(io.BytesIO):
    """A file that counts how much is read of it."""

    taken = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self.taken += len(data)
        return data


@pytest.mark.parametrize("length", ["", "Content-Length: 100000000\r\n"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_any_number_of_bad_records_is_passed_over_in_one_go(
    length: str, pack: Callable[[bytes], bytes]
) -> None:
    """Were the file taken up anew for each, a small one could keep a reader busy for days."""
    noise = random.Random(1).randbytes(1000)
    bad = f"WARC/1.1\r\nWARC-Type: response\r\n{length}\r\n".encode() + noise
    file = CountedFile(pack((bad + b"\r\n\r\n") * 2000))
    found = list(read_records(file, BEGINNING, block_bytes_max=1 << 20))
    assert all(record.fault is not None for record in found)
    assert found[-1].end.offset == len(file.getvalue())
    assert file.taken < 300 * len(file.getvalue())


def test_reading_goes_on_far_into_a_file_that_is_packed_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read before a kill may be more than may be passed over for one record."""
    monkeypatch.setattr(plain_bytes, "SKIP_BYTES_MAX", 1000)
    data = gzip.compress(make_record("response", b"x" * 900) * 5)
    found = read(data)
    assert [read(data, record.end) for record in found] == [found[place:] for place in range(1, 6)]


def test_a_head_without_an_end_is_told_as_such() -> None:
    assert faults(b"WARC/1.1\r\n" + b"a: b\r\n" * 50_000) == [RecordFault.ENDLESS]
    assert faults(b"") == []
    assert faults(gzip.compress(b"")) == []
    assert faults(b"no archive at all") == [RecordFault.BROKEN]


def test_bytes_that_look_like_a_record_within_one_are_not_read_as_such() -> None:
    """An archive may hold an archive; read in order, nobody looks into it."""
    inner = make_record("response", b"x", WARC_Target_URI="https://inner.example/")
    found = read(packed([make_record("resource", packed([inner]) + inner)]))
    assert [record.kind for record in found] == ["resource"]


@pytest.mark.parametrize("form", FORMS)
def test_whatever_bytes_are_spoilt_reading_goes_forward_and_ends(form: str) -> None:
    """Nothing is read twice, nothing is raised, and what comes after the damage is mostly there."""
    chance = random.Random(7)
    for _ in range(60):
        data = bytearray(FORMS[form])
        for _ in range(chance.choice([1, 3, 30])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        found = read(bytes(data[: chance.choice([len(data), chance.randrange(len(data))])]))
        for before, after in pairwise(found):
            assert before.start < before.end <= after.start
