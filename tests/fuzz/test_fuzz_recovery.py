"""However files were torn or spoilt, what is left after a repair is whole, or the repair says it cannot."""

import json
from pathlib import Path

import pytest
from fuzz_settings import fuzz
from hypothesis import given
from hypothesis import strategies as st

from simulated.proofs import check_members, read_requests
from tiptoe.errors import CorruptFile
from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.write.archive import read_record
from tiptoe.write.cdxj import find, merge_cdxj, parse_line
from tiptoe.write.corpus import Document
from tiptoe.write.logentries import RequestEntry
from tiptoe.write.outputs import Outputs
from tiptoe.write.recovery import Finding, examine, mend
from tiptoe.write.warc import WarcInfo

PAGES = 4
INFO = WarcInfo(software="tiptoe", operator="someone")


def url_of(number: int) -> str:
    return f"https://a.example/{number}"


def write_page(outputs: Outputs, number: int) -> None:
    """Write one page as a harvester does, to every file."""
    url = url_of(number)
    outputs.requests.write_request(
        RequestEntry(
            started_at=float(number), ended_at=number + 0.5, host="a.example", address="192.0.2.1", url=url,
            purpose="page", robots="allowed", delay=1.0, visit="1", harvester="h1", status=200,
        )
    )  # fmt: skip
    answer = Answer(
        url=url,
        status=200,
        request_block=b"GET / HTTP/1.1\r\n\r\n",
        header_block=b"HTTP/1.1 200 OK\r\n\r\n",
        headers=Headers([]),
        body=bytes([number]) * 300,
    )
    place = outputs.warc.write_exchange(answer, metadata={})
    outputs.corpus.write_document(document_of(url, place.file, place.offset))
    outputs.flush()


def document_of(url: str, file: str, offset: int) -> Document:
    return Document(
        id="urn:uuid:1", url=url, title="", language="", charset="utf-8", fetched_at="", last_modified="",
        depth=0, digest="", warc_file=file, warc_offset=offset, paragraphs=["žluťoučký kůň"],
    )  # fmt: skip


def write_crawl(directory: Path, known: int) -> dict[str, int]:
    """Write all pages, of which the keeper knows the first few; return its marks."""
    outputs = Outputs(
        directory,
        "h1",
        info=INFO,
        warc_bytes_max=10**9,
        corpus_bytes_max=10**9,
        corpus_encoding="utf-8",
        compression_level=1,
    )
    marks: dict[str, int] = {}
    for number in range(PAGES):
        if number == known:
            marks = outputs.marks()
        write_page(outputs, number)
    return marks if known < PAGES else outputs.marks()


def open_files(directory: Path) -> list[Path]:
    return sorted([*(directory / "warc").glob("*.open"), *(directory / "corpus").glob("*.open")])


def check_whole(directory: Path) -> int:
    """State what holds after every repair; return how many pages are left."""
    assert open_files(directory) == []
    for archive in (directory / "warc").glob("*.warc.gz"):
        assert check_members(archive).is_sound
    if (directory / "warc").exists():
        merge_cdxj(directory)
    lines = [
        line for path in (directory / "corpus").glob("*.jsonl") for line in path.read_bytes().splitlines()
    ]
    documents = [json.loads(line) for line in lines]
    for document in documents:
        entries = {(entry.filename, entry.offset): entry for entry in find(directory, document["url"])}
        entry = entries.get((document["warc_file"], document["warc_offset"]))
        if entry is not None:
            assert read_record(directory, entry).startswith(b"HTTP/1.1 200")
    for path in (directory / "warc").glob("h1*.cdxj"):
        for line in path.read_bytes().splitlines(keepends=True):
            entry = parse_line(line)
            assert read_record(directory, entry).startswith(b"HTTP/1.1 200")
    return len(documents)


def recover(directory: Path, marks: dict[str, int]) -> list[Finding]:
    """Make the files whole, and note how they are then; return those that needed it."""
    findings = examine(directory, marks, finished=[name for name in marks if (directory / name).exists()])
    for finding in findings:
        size = mend(directory, finding, now=0.0)
        if size is None:
            marks.pop(finding.file, None)
        else:
            marks[finding.file] = size
    return [finding for finding in findings if finding.what != "finished"]


@fuzz
@given(known=st.integers(0, PAGES))
def test_what_the_keeper_knows_is_there_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, known: int
) -> None:
    directory = tmp_path_factory.mktemp("crawl")
    marks = write_crawl(directory, known)
    recover(directory, marks)
    assert check_whole(directory) == known
    assert recover(directory, marks) == []


@fuzz
@given(known=st.integers(1, PAGES), shares=st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_files_that_a_power_cut_tore_keep_their_whole_records(
    tmp_path_factory: pytest.TempPathFactory, known: int, shares: list[float]
) -> None:
    """Archive, index and corpus are torn at different places; a second repair finds nothing to do."""
    directory = tmp_path_factory.mktemp("crawl")
    marks = write_crawl(directory, known)
    for path, share in zip(open_files(directory), shares, strict=True):
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * share)])
    recover(directory, marks)
    assert check_whole(directory) <= known
    before = {path.name: path.read_bytes() for path in (directory / "warc").iterdir()}
    assert recover(directory, marks) == []
    assert before == {path.name: path.read_bytes() for path in (directory / "warc").iterdir()}


@fuzz
@given(known=st.integers(1, PAGES), which=st.integers(0, 2), share=st.floats(0, 0.999), bit=st.integers(0, 7))
def test_a_flipped_bit_is_survived_or_named(
    tmp_path_factory: pytest.TempPathFactory, known: int, which: int, share: float, bit: int
) -> None:
    """A disk that lies must not bring the keeper down with anything but its own words."""
    directory = tmp_path_factory.mktemp("crawl")
    marks = write_crawl(directory, known)
    path = open_files(directory)[which]
    content = bytearray(path.read_bytes())
    content[int(len(content) * share)] ^= 1 << bit
    path.write_bytes(content)
    try:
        recover(directory, marks)
        if (directory / "warc").exists():
            merge_cdxj(directory)
        for number in range(PAGES):
            for entry in find(directory, url_of(number)):
                read_record(directory, entry, bytes_max=10_000)
    except CorruptFile:
        return
    assert open_files(directory) == []


@fuzz
@given(share=st.floats(0, 1), bit=st.integers(0, 7), at=st.floats(0, 0.999))
def test_a_spoilt_request_log_is_read_up_to_the_fault(
    tmp_path_factory: pytest.TempPathFactory, share: float, bit: int, at: float
) -> None:
    """A torn last line is passed over; a spoilt one is named."""
    directory = tmp_path_factory.mktemp("crawl")
    write_crawl(directory, 0)
    (log,) = (directory / "log").glob("requests-*.jsonl")
    content = log.read_bytes()
    log.write_bytes(content[: int(len(content) * share)])
    whole = list(read_requests(log))
    assert [entry.url for entry in whole] == [url_of(number) for number in range(len(whole))]
    assert len(whole) == log.read_bytes().count(b"\n")

    spoilt = bytearray(content)
    spoilt[int(len(content) * at)] ^= 1 << bit
    log.write_bytes(spoilt)
    try:
        assert len(list(read_requests(log))) <= PAGES + 1
    except CorruptFile as error:
        where = error.offset
    else:
        where = 0
    assert 0 <= where < len(content)


@fuzz
@given(offset=st.integers(-10, 10**12), length=st.integers(-10, 10**6))
def test_a_place_that_is_none_is_named(
    tmp_path_factory: pytest.TempPathFactory, offset: int, length: int
) -> None:
    """Slots come from index files, which others may have written."""
    directory = tmp_path_factory.mktemp("crawl")
    write_crawl(directory, 0)
    (archive,) = (directory / "warc").glob("*.warc.gz.open")
    name = archive.name.removesuffix(".open")
    for file in (name, f"../warc/{name}"):
        with pytest.raises(CorruptFile):
            read_record(directory, (file, offset, length))
