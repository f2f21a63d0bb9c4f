"""Whatever lies in a file, reading it ends with a report, not with a crash."""

import gzip
from pathlib import Path

import pytest
from fuzz_settings import fuzz
from hypothesis import given
from hypothesis import strategies as st

from simulated.proofs import check_members
from tiptoe.errors import CorruptFile
from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.write.archive import read_record
from tiptoe.write.cdxj import find, merge_cdxj, parse_line
from tiptoe.write.outputs import Outputs
from tiptoe.write.surt import surt
from tiptoe.write.warc import WarcInfo, WarcWriter

BYTES_MAX = 100_000
INFO = WarcInfo(software="tiptoe", operator="someone")
RECORD_LIKE = st.builds(
    lambda kind, length, block: (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode() + block
    ),
    st.text(max_size=20),
    st.one_of(st.integers(), st.text(max_size=5)),
    st.binary(max_size=200),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The place of the archives in a crawl directory."""
    (tmp_path / "warc").mkdir()
    return tmp_path / "warc"


@fuzz
@given(
    garbage=st.one_of(
        st.binary(max_size=2000),
        st.binary(max_size=2000).map(gzip.compress),
        RECORD_LIKE.map(gzip.compress),
        st.lists(RECORD_LIKE.map(gzip.compress), max_size=4).map(b"".join),
    )
)
def test_garbage_is_reported(folder: Path, garbage: bytes) -> None:
    """A damaged disk or a foreign file must not bring the checker down."""
    path = folder / "a.warc.gz"
    path.write_bytes(garbage)

    report = check_members(path, bytes_max=BYTES_MAX)
    assert report.is_sound == (not garbage)
    with pytest.raises(CorruptFile):
        read_record(folder.parent, ("a.warc.gz", 0, len(garbage)), bytes_max=BYTES_MAX)


@fuzz
@given(
    url=st.text(max_size=60).map(lambda text: f"https://a.example/{text}"),
    body=st.binary(max_size=400),
    head=st.text(st.characters(blacklist_characters="\r\n", blacklist_categories=["Cs"]), max_size=60),
    metadata=st.dictionaries(st.sampled_from(["via", "charset", "outlinks"]), st.text(max_size=40)),
)
def test_whatever_the_web_says_is_kept_and_found(
    tmp_path_factory: pytest.TempPathFactory, url: str, body: bytes, head: str, metadata: dict[str, str]
) -> None:
    """Hostile addresses, heads and bodies come back byte for byte."""
    directory = tmp_path_factory.mktemp("crawl")
    answer = Answer(
        url=url,
        status=200,
        request_block=b"GET / HTTP/1.1\r\n\r\n",
        header_block=f"HTTP/1.1 200 OK\r\nX: {head}\r\n\r\n".encode(),
        headers=Headers([("Content-Type", head)]),
        body=body,
    )
    outputs = Outputs(
        directory,
        "h1",
        info=INFO,
        warc_bytes_max=10**9,
        corpus_bytes_max=10**9,
        corpus_encoding="utf-8",
        compression_level=1,
    )
    outputs.warc.write_exchange(answer, metadata=metadata)
    outputs.flush()
    outputs.acknowledge(outputs.marks())
    outputs.close()
    merge_cdxj(directory)

    assert check_members(directory / "warc" / "h1-00001.warc.gz").is_sound
    (line,) = (directory / "warc" / "index.cdxj").read_bytes().splitlines()
    entry = parse_line(line)
    assert read_record(directory, entry) == answer.header_block + body
    assert list(find(directory, entry.url)) == [entry]


@fuzz
@given(position=st.integers(0, 3000), damage=st.binary(min_size=1, max_size=30))
def test_damage_never_passes_for_another_page(folder: Path, position: int, damage: bytes) -> None:
    """What is read back is the page, or a fault."""
    writer = WarcWriter(folder.parent, "h1", info=INFO, size_max=10**9, compression_level=1)
    answer = Answer(
        url="https://a.example/",
        status=200,
        request_block=b"GET / HTTP/1.1\r\n\r\n",
        header_block=b"HTTP/1.1 200 OK\r\n\r\n",
        headers=Headers([]),
        body=bytes(range(256)) * 8,
    )
    place = writer.write_exchange(answer, metadata={})
    writer.files[0].flush()
    writer.files[0].close()
    path = folder / f"{place.file}.open"
    whole = path.read_bytes()
    path.write_bytes(whole[:position] + damage + whole[position + len(damage) :])

    try:
        block = read_record(folder.parent, (place.file, place.offset, place.length))
        assert block == answer.header_block + answer.body
    except CorruptFile:
        assert not check_members(path).is_sound
    finally:
        path.unlink()


@fuzz
@given(st.text(max_size=80))
def test_every_text_has_a_key_that_fits_on_an_index_line(text: str) -> None:
    """A space or a line break in a key would tear the index."""
    for url in (text, f"http://a.example/{text}", f"http://a.example/?{text}"):
        assert surt(url).isprintable()
        assert " " not in surt(url)
