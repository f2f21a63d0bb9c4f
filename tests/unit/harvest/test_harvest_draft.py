"""Answers that were digested and are not written yet."""

import gzip
import json
import os
from pathlib import Path

import pytest
from harvest_samples import HTML, PAGE, around, make_answer, make_failure, make_tools

from simulated.proofs import check_members
from tiptoe.errors import DiskFull
from tiptoe.harvest import draft as drafts
from tiptoe.harvest.journey import digest, read, write_batch
from tiptoe.harvest.tools import Tools
from tiptoe.keeper.directory import take_busy_note
from tiptoe.protocol.work import Request, Result
from tiptoe.write import appendfile


def lay_down(number: int, tools: Tools) -> Result:
    """Digest one page of a few."""
    url, body = f"http://a.example/{number}", PAGE.replace(b"Prvni", b"%d." % number)
    return digest(read(Request(url), make_answer(url, body), around(), tools), tools)


def urls_in_corpus(directory: Path) -> list[str]:
    lines = (line for path in sorted(directory.glob("corpus/*")) for line in path.read_bytes().splitlines())
    return [json.loads(line)["url"] for line in lines]


def test_a_pile_is_put_away_in_the_order_of_reading(tmp_path: Path) -> None:
    """Until then nothing of it is written; from then on its results say where everything lies."""
    tools = make_tools(tmp_path)
    results = [lay_down(number, tools) for number in range(3)]
    tools.outputs.flush()
    assert urls_in_corpus(tmp_path) == []
    write_batch(tools)
    tools.outputs.flush()
    assert urls_in_corpus(tmp_path) == [f"http://a.example/{number}" for number in range(3)]
    assert all(result.payload_digest and result.stored_at for result in results)
    assert [link.urls for link in results[0].links] == [["http://a.example/x"]]
    assert list(tools.batch) == []


def test_what_was_put_away_is_not_written_again(tmp_path: Path) -> None:
    """It is called whenever anything goes to the kernel."""
    tools = make_tools(tmp_path)
    lay_down(1, tools)
    for _ in range(2):
        write_batch(tools)
        tools.outputs.flush()
    assert urls_in_corpus(tmp_path) == ["http://a.example/1"]


def test_a_request_without_an_answer_leaves_nothing_to_write(tmp_path: Path) -> None:
    """There is no exchange to keep."""
    tools = make_tools(tmp_path)
    url = "http://a.example/"
    digest(read(Request(url), make_failure(url), around(), tools), tools)
    assert list(tools.batch) == []


@pytest.mark.parametrize(
    "page",
    [
        b"<p>x</p><!--" + b"x" * 5_000,
        gzip.compress(b"<p>" + b"x" * 5_000),
        gzip.compress(b"<p>x</p>" + b"".join(b"<a href=%d>" % number for number in range(50))),
    ],
    ids=["body", "text", "links"],
)
def test_a_pile_of_long_pages_is_put_away_before_it_is_high(
    page: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages may have megabytes, also where little was sent, and memory is not for piling them up."""
    monkeypatch.setattr(drafts, "BATCH_BYTES_MAX", 9_000)
    tools = make_tools(tmp_path)
    coding = [("Content-Encoding", "gzip")] if page.startswith(b"\x1f\x8b") else []
    heights = []
    for number in range(4):
        url = f"http://a.example/{number}"
        answer = make_answer(url, page, fields=[*HTML, *coding])
        digest(read(Request(url), answer, around(), tools), tools)
        heights.append(len(list(tools.batch)))
    assert heights == [1, 0, 1, 0]


def test_a_disk_that_fills_in_the_middle_of_a_pile_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of its pages are archived, some not even that: each goes on from where it was."""
    has_room = True

    def write(descriptor: int, data: memoryview) -> int:
        if not has_room:
            raise OSError(28, "No space left on device")
        return os.write(descriptor, data)

    tools = make_tools(tmp_path, write=write)
    lay_down(0, tools)
    write_batch(tools)
    for number in range(1, 4):
        lay_down(number, tools)
    monkeypatch.setattr(appendfile, "BUFFER_BYTES_MAX", 2_500)  # some records, and then it has to be flushed
    has_room = False
    for _ in range(2):
        with pytest.raises(DiskFull):
            write_batch(tools)
    assert take_busy_note(tmp_path, "h1-0001") == []  # no page is to blame
    assert {draft.steps_done for draft in tools.batch} > {1}
    has_room = True
    write_batch(tools)
    tools.outputs.flush()
    assert urls_in_corpus(tmp_path) == [f"http://a.example/{number}" for number in range(4)]
    (warc,) = tmp_path.glob("warc/*.warc.gz.open")
    report = check_members(warc)
    assert report.is_sound
    assert report.kinds == {"warcinfo": 1, "response": 4, "request": 4, "metadata": 4}
