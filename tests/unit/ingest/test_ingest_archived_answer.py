"""Is an answer what its server said, however an archive has stored it?"""

import gzip
import io

import pytest
from made_sources import make_record, make_response

from tiptoe.fetch.outcome import Answer
from tiptoe.ingest.archived_answer import ArchiveNote, answer_of, dechunked, note_of
from tiptoe.ingest.file_position import BEGINNING
from tiptoe.ingest.warc_input import InputRecord, read_records


def only(data: bytes) -> InputRecord:
    (record,) = read_records(io.BytesIO(data), BEGINNING, block_bytes_max=1 << 20)
    return record


def answer(data: bytes) -> Answer:
    found = answer_of(only(data))
    assert found is not None
    return found


def test_chunks_that_were_stored_are_undone() -> None:
    """Some archives keep the bytes of the line."""
    body = b"5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n"
    assert answer(make_response(1, body, head="Transfer-Encoding: chunked\r\n")).body == b"hello world"
    plain = make_response(1, b"<p>no chunks", head="Transfer-Encoding: chunked\r\n")
    assert answer(plain).body == b"<p>no chunks"


@pytest.mark.parametrize("body", [b"5\r\nhello\r\nffffffff\r\nrest", b"5\r\nhello\r\nzz", b"5\nhello\n0\n"])
def test_chunks_that_break_off_give_what_there_is(body: bytes) -> None:
    assert dechunked(body).startswith(b"hello")


def test_a_content_coding_stays_for_whoever_reads_it() -> None:
    found = answer(make_response(1, gzip.compress(b"<p>x"), head="Content-Encoding: gzip\r\n"))
    assert found.headers["content-encoding"] == "gzip"
    assert gzip.decompress(found.body) == b"<p>x"


def test_interim_answers_are_passed_over() -> None:
    block = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\nnothing here"
    found = answer(make_record("response", block))
    assert (found.status, found.body) == (404, b"nothing here")


def test_what_is_no_http_is_no_answer() -> None:
    assert answer_of(only(make_record("response", b"220 ftp ready"))) is None
    assert answer_of(only(make_record("request", b"GET / HTTP/1.1\r\n\r\n"))) is None


def test_types_of_blocks_are_known_in_any_case() -> None:
    block = b"HTTP/1.1 200 OK\r\n\r\nhello"
    assert answer(make_record("response", block, Content_Type="Application/HTTP")).body == b"hello"


def test_converted_and_plain_resources_are_answers() -> None:
    """Common Crawl has its extracted texts as conversion records."""
    found = answer(make_record("conversion", b"text", Content_Type="text/plain", WARC_Truncated="length"))
    assert (found.status, found.headers["content-type"], found.truncated) == (200, "text/plain", "length")


def test_what_a_crawl_noted_is_read_and_nonsense_is_not_believed() -> None:
    said = b"hopsFromSeed: 3\r\nversion: 2\r\ntextHash: 00ff\r\nusability: 0.25\r\n"
    said += b"duplicity: 0.5\r\nrepeated: 1 7"
    assert note_of([only(make_record("metadata", said))]) == ArchiveNote(
        depth=3, version=2, text_hash=b"\0\xff", usability=0.25, is_compared=True, duplicity=0.5,
        repeated=[1, 7],
    )  # fmt: skip
    bad = b"hopsFromSeed: x\r\nversion: -1\r\ntextHash: zz\r\nusability: nan\r\nno colon\r\n\xff: \xff"
    assert note_of([only(make_record("metadata", bad))]) == ArchiveNote()
