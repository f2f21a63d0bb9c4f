"""The index finds every answer."""

from pathlib import Path

import pytest
from write_samples import INFO, make_answer

from tiptoe.errors import CorruptFile
from tiptoe.write import cdxj
from tiptoe.write.cdxj import IndexEntry, find, finish_index, index_line, merge_cdxj, parse_line
from tiptoe.write.warc import WarcWriter


def entry(url: str, *, timestamp: str = "20260921141320", offset: int = 7) -> IndexEntry:
    return IndexEntry(
        url=url,
        mime="text/html",
        status="200",
        digest="sha1:X",
        length=5,
        offset=offset,
        filename="a.warc.gz",
        timestamp=timestamp,
    )


def test_a_line_is_what_replay_tools_read() -> None:
    """Key, moment, and JSON whose values are all strings."""
    assert (
        index_line(entry("https://www.example.com/a?x=ž"))
        == (
            'com,example)/a?x=%c5%be 20260921141320 {"url":"https://www.example.com/a?x=ž","mime":"text/html",'
            '"status":"200","digest":"sha1:X","length":"5","offset":"7","filename":"a.warc.gz"}\n'
        ).encode()
    )


def test_a_line_is_read_as_it_was_written() -> None:
    """What we write we can use ourselves."""
    line = index_line(entry("https://www.example.com/a"))

    assert index_line(parse_line(line)) == line
    assert parse_line(line).key == "com,example)/a"


@pytest.mark.parametrize("line", [b"", b"\n", b"a b", b"a b {", b"a b {}", b"\xff 1 {}", b'a b {"url":1}'])
def test_what_is_no_line_is_a_value_error(line: bytes) -> None:
    """Readers turn it into CorruptFile with the place."""
    with pytest.raises(ValueError):  # noqa: PT011 - the message is the parser's
        parse_line(line)


def test_finishing_sorts_and_can_be_done_again_from_any_step(tmp_path: Path) -> None:
    """A crash between sorting and renaming leaves an open file with the same lines."""
    path = tmp_path / "a.cdxj.open"
    lines = [index_line(entry(f"https://{host}.example/")) for host in ("c", "a", "b")]
    path.write_bytes(b"".join(lines))
    (tmp_path / "a.cdxj.open.part").write_bytes(b"left by a crash")
    finish_index(path)
    path.write_bytes(b"".join(sorted(lines)))
    finish_index(path)

    assert [path.name for path in tmp_path.iterdir()] == ["a.cdxj"]
    assert (tmp_path / "a.cdxj").read_bytes() == b"".join(sorted(lines))


def test_any_number_of_indexes_is_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long crawl leaves more of them than files can be open."""
    monkeypatch.setattr(cdxj, "FAN_IN_MAX", 3)
    folder = tmp_path / "warc"
    folder.mkdir()
    lines = [index_line(entry(f"https://{number % 7}.example/{number}")) for number in range(100)]
    for number in range(10):
        (folder / f"h-{number:05d}.cdxj").write_bytes(b"".join(sorted(lines[number::10])))
    (folder / "h-00010.cdxj.open").write_bytes(b"not sorted yet")

    merge_cdxj(tmp_path)
    assert merge_cdxj(tmp_path).read_bytes() == b"".join(sorted(lines))
    assert len(list(folder.iterdir())) == 12


def test_every_url_is_found_and_no_other(tmp_path: Path) -> None:
    """First, last and neighbouring lines are where searching by halves goes wrong."""
    folder = tmp_path / "warc"
    folder.mkdir()
    urls = [f"https://{'x' * (number % 5)}a.example/{'p' * number}" for number in range(40)]
    lines = [
        index_line(entry(url, timestamp=moment)) for url in urls for moment in ("20260101000000", "2027")
    ]
    (folder / "h-00001.cdxj").write_bytes(b"".join(sorted(lines)))
    merge_cdxj(tmp_path)

    for url in urls:
        assert [(found.url, found.timestamp) for found in find(tmp_path, url)] == [
            (url, "20260101000000"),
            (url, "2027"),
        ]
        assert list(find(tmp_path, url + "-")) == []
    assert list(find(tmp_path, "https://a.aaa/")) == []
    assert list(find(tmp_path, "https://zzz.zzz/")) == []


def test_an_empty_crawl_has_an_empty_index(tmp_path: Path) -> None:
    """Nothing found is an answer, not a fault."""
    (tmp_path / "warc").mkdir()
    merge_cdxj(tmp_path)

    assert list(find(tmp_path, "https://a.example/")) == []


def test_a_broken_index_line_is_named(tmp_path: Path) -> None:
    """Silence would look like a page that was never fetched."""
    (tmp_path / "warc").mkdir()
    (tmp_path / "warc" / "index.cdxj").write_bytes(b"example,a)/ 2026 {broken\n")

    with pytest.raises(CorruptFile):
        list(find(tmp_path, "https://a.example/"))


def test_an_answer_without_type_is_indexed_as_unknown(tmp_path: Path) -> None:
    """Replay tools expect the field."""
    writer = WarcWriter(tmp_path, "h1", info=INFO, size_max=10**9, compression_level=1)
    writer.write_exchange(make_answer(fields=()), metadata={})
    for files in writer.files:
        files.flush()

    line = (tmp_path / "warc" / "h1-00001.cdxj.open").read_bytes()
    assert parse_line(line).mime == "unk"
    for files in writer.files:
        files.close()
