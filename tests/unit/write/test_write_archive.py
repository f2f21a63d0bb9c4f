"""Damage in an archive is found and named."""

import gzip
from pathlib import Path

import pytest
from write_samples import INFO, make_answer

from simulated.proofs import check_members
from tiptoe.errors import CorruptFile
from tiptoe.write.archive import read_record
from tiptoe.write.record import member, sha1_label
from tiptoe.write.warc import Place, WarcWriter


@pytest.fixture
def archive(tmp_path: Path) -> tuple[Path, Place]:
    """A small WARC file and the place of its second answer."""
    writer = WarcWriter(tmp_path, "h1", info=INFO, size_max=10**9, compression_level=1)
    places = [writer.write_exchange(make_answer(f"https://a.example/{n}"), metadata={}) for n in range(3)]
    for files in writer.files:
        files.flush()
        files.close()
    return tmp_path / "warc" / "h1-00001.warc.gz.open", places[1]


def test_every_flipped_byte_is_noticed(archive: tuple[Path, Place]) -> None:
    """A checksum that is never compared protects nothing."""
    path, place = archive
    whole = path.read_bytes()
    # The ten bytes of a gzip head hold a time and flags that nothing protects.
    for position in range(place.offset + 10, place.offset + place.length):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
        report = check_members(path)
        assert [fault.offset for fault in report.faults] == [place.offset]


def test_a_torn_end_is_noticed(archive: tuple[Path, Place]) -> None:
    """Half a member is what a crash without recovery leaves."""
    path, place = archive
    whole = path.read_bytes()
    path.write_bytes(whole[: place.offset + 20])

    (fault,) = check_members(path).faults
    assert fault.offset == place.offset
    assert "cut off" in fault.found


def test_two_records_in_one_member_are_a_fault(tmp_path: Path) -> None:
    """Such a file is refused by replay tools, because no record can be read alone."""
    head = f"WARC-Type: metadata\r\nWARC-Block-Digest: {sha1_label(b'x')}\r\n"
    record = gzip.decompress(member(head, b"x", 1))
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(record) + gzip.compress(record + record) + gzip.compress(b"hello"))

    report = check_members(path)
    assert report.members == 3
    assert [fault.found.partition(" with")[0] for fault in report.faults] == [
        f"block of {len(record) + 1} bytes",
        "no WARC record but b'hello'",
    ]


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    """A few bytes that become gigabytes must not fill the memory."""
    path = tmp_path / "warc" / "a.warc.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(bytes(5_000_000)))

    assert "more than 1000000 bytes" in check_members(path, bytes_max=1_000_000).faults[0].found
    with pytest.raises(CorruptFile):
        read_record(tmp_path, ("a.warc.gz", 0, path.stat().st_size), bytes_max=1_000_000)


@pytest.mark.parametrize(("shift", "stretch"), [(1, 0), (-1, 0), (0, -1), (0, 1), (0, 200), (10_000, 0)])
def test_a_wrong_place_is_not_mistaken_for_a_record(
    archive: tuple[Path, Place], tmp_path: Path, shift: int, stretch: int
) -> None:
    """An index that belongs to another file must not give wrong pages."""
    _, place = archive
    with pytest.raises(CorruptFile):
        read_record(tmp_path, (place.file, place.offset + shift, place.length + stretch))
