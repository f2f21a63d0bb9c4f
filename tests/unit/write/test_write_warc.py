"""What was received is kept byte for byte, and others can read it."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from write_samples import INFO, make_answer

from simulated.proofs import check_members
from tiptoe.fetch.outcome import Answer
from tiptoe.write import warc
from tiptoe.write.archive import read_record
from tiptoe.write.cdxj import find, merge_cdxj
from tiptoe.write.warc import Place, WarcWriter

ANSWERS = [
    make_answer(),
    make_answer("https://www.example.com/empty", b""),
    make_answer("https://www.example.com/same", b"", status=304, fields=(("ETag", '"x"'),)),
    make_answer("https://www.example.com/long", b"cut her", truncated="length"),
    make_answer(
        "https://www.example.com/chunks", b"abc", fields=(("X-Crawler-Transfer-Encoding", "chunked"),)
    ),
    make_answer("https://www.example.com/gz", b"\x1f\x8b\x08junk", fields=(("Content-Encoding", "gzip"),)),
    make_answer("https://www.example.com/big", bytes(range(256)) * 4000),
]


def write(directory: Path, answers: list[Answer], *, size_max: int = 1_000_000_000) -> list[Place]:
    """Write, flush and finish as a harvester does when all is acknowledged."""
    writer = WarcWriter(
        directory, "h1-0001", info=INFO, clock=lambda: 1_790_000_000.0, size_max=size_max, compression_level=1
    )
    places = [writer.write_exchange(answer, metadata={"hopsFromSeed": "3"}) for answer in answers]
    for files in writer.files:
        files.flush()
        files.acknowledge(files.marks())
        files.close()
    return places


def test_every_answer_is_read_back_byte_for_byte(tmp_path: Path) -> None:
    """The archive is the evidence: head and body exactly as the server sent them."""
    places = write(tmp_path, ANSWERS)
    merge_cdxj(tmp_path)

    for answer, place in zip(ANSWERS, places, strict=True):
        expected = answer.header_block + answer.body
        (entry,) = find(tmp_path, answer.url)
        assert read_record(tmp_path, entry) == expected
        assert read_record(tmp_path, (place.file, place.offset, place.length)) == expected
        assert (entry.status, entry.digest) == (str(answer.status), place.payload_digest)
        assert entry.timestamp == "20260921141320"


def test_an_independent_reader_finds_every_digest_right(tmp_path: Path) -> None:
    """warcio judges us, not only our own reader."""
    write(tmp_path, ANSWERS)
    path = tmp_path / "warc" / "h1-0001-00001.warc.gz"

    with path.open("rb") as file:
        kinds = []
        for record in ArchiveIterator(file, check_digests="raise"):
            record.content_stream().read()
            assert record.digest_checker.passed is not False
            kinds.append(record.rec_type)
    assert kinds == ["warcinfo"] + ["response", "request", "metadata"] * len(ANSWERS)
    report = check_members(path)
    assert (report.is_sound, report.members) == (True, len(kinds))
    assert report.bytes_read == path.stat().st_size


def test_the_records_of_an_exchange_refer_to_each_other(tmp_path: Path) -> None:
    """Who asks why a page was fetched must find the request beside it."""
    (place,) = write(tmp_path, [make_answer(truncated="time")])

    with (tmp_path / "warc" / place.file).open("rb") as file:
        info, response, request, metadata = [
            (dict(record.rec_headers.headers), record.raw_stream.read())
            for record in ArchiveIterator(file, no_record_parse=True)
        ]
    assert info[0]["WARC-Filename"] == "h1-0001-00001.warc.gz"
    assert b"operator: A. Person <https://bot.example/>\r\n" in info[1]
    assert response[0]["WARC-Record-ID"] == f"<{place.record_id}>"
    assert response[0]["WARC-Date"] == "2026-09-21T14:13:20.250000Z"
    assert response[0]["WARC-IP-Address"] == "192.0.2.1"
    assert response[0]["WARC-Truncated"] == "time"
    assert response[0]["Content-Type"] == "application/http; msgtype=response"
    assert request[0]["WARC-Concurrent-To"] == metadata[0]["WARC-Concurrent-To"] == f"<{place.record_id}>"
    assert metadata[1] == b"fetchTimeMs: 123\r\nhopsFromSeed: 3\r\n"


def test_ftp_and_file_answers_are_resources(tmp_path: Path) -> None:
    """They have no HTTP head that could be kept."""
    answer = make_answer("ftp://ftp.example.com/a.txt", b"text", fields=(("Content-Type", "text/plain"),))
    (place,) = write(tmp_path, [answer])

    report = check_members(tmp_path / "warc" / place.file)
    assert report.is_sound
    assert report.kinds == {"warcinfo": 1, "resource": 1, "metadata": 1}
    assert read_record(tmp_path, (place.file, place.offset, place.length)) == b"text"


def test_text_from_the_web_cannot_break_out_of_its_field(tmp_path: Path) -> None:
    """A charset or a link with a line break must not forge a header."""
    answer = make_answer(
        "https://www.example.com/a\r\nWARC-Type: warcinfo", fields=(("Content-Type", 'a"\n\x00b'),)
    )
    writer = WarcWriter(tmp_path, "h1", info=INFO, size_max=10**9, compression_level=1)
    place = writer.write_exchange(answer, metadata={"charset": "x\r\n\r\nWARC/1.1\udc80", "via": ""})
    for files in writer.files:
        files.flush()

    path = tmp_path / "warc" / f"{place.file}.open"
    report = check_members(path)
    assert report.is_sound
    assert report.kinds == {"warcinfo": 1, "response": 1, "request": 1, "metadata": 1}
    records = ArchiveIterator(BytesIO(path.read_bytes()), no_record_parse=True)
    *_, block = [record.raw_stream.read() for record in records]
    assert block == b"fetchTimeMs: 123\r\ncharset: x    WARC/1.1 \r\n"
    assert len(path.with_name("h1-00001.cdxj.open").read_bytes().splitlines()) == 1
    for files in writer.files:
        files.close()


def test_archive_and_index_turn_their_pages_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each index belongs to the archive of the same name; both by size and by length of the index."""
    answers = [make_answer(f"https://www.example.com/{number}", bytes(300)) for number in range(9)]
    by_size = write(tmp_path / "size", answers, size_max=3000)
    monkeypatch.setattr(warc, "INDEX_BYTES_MAX", 500)
    by_index = write(tmp_path / "index", answers)

    for directory, places in ((tmp_path / "size", by_size), (tmp_path / "index", by_index)):
        files = sorted({place.file for place in places})
        assert len(files) > 1
        for file in files:
            lines = (directory / "warc" / file.replace(".warc.gz", ".cdxj")).read_bytes().splitlines()
            assert len(lines) == sum(place.file == file for place in places)
            assert all(f'"filename":"{file}"'.encode() in line for line in lines)
            assert check_members(directory / "warc" / file).is_sound


def test_record_ids_are_random_uuids(tmp_path: Path) -> None:
    """Others index by them, so form and uniqueness count."""
    places = write(tmp_path, ANSWERS)

    assert len({place.record_id for place in places}) == len(ANSWERS)
    form = re.compile(r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
    assert all(form.fullmatch(place.record_id) for place in places)
