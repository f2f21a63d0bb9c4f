"""Answers that were digested and are not written yet."""

import gzip
import json
import os
from pathlib import Path

import pytest
from harvest_samples import HTML, PAGE, make_answer, make_context, make_tools

from simulated.proofs import check_members
from tiptoe.errors import DiskFull
from tiptoe.harvest import draft as drafts
from tiptoe.harvest.draft import Draft, WriteBatch
from tiptoe.harvest.journey import digest, read, report, write
from tiptoe.harvest.tools import Tools
from tiptoe.keeper.directory import take_busy_note
from tiptoe.protocol.work import Request
from tiptoe.write import appendfile


def digested(number: int, tools: Tools) -> Draft:
    """Digest one page of a few."""
    url, body = f"http://a.example/{number}", PAGE.replace(b"Prvni", b"%d." % number)
    draft = read(Request(url), make_answer(url, body), make_context(), tools)
    digest(draft, tools)
    return draft


def urls_in_corpus(directory: Path) -> list[str]:
    lines = (line for path in sorted(directory.glob("corpus/*")) for line in path.read_bytes().splitlines())
    return [json.loads(line)["url"] for line in lines]


def test_a_batch_is_written_in_the_order_of_reading(tmp_path: Path) -> None:
    """Until then nothing of it is written; from then on its results say where everything is."""
    tools = make_tools(tmp_path)
    drafts = [digested(number, tools) for number in range(3)]
    tools.outputs.flush()
    assert urls_in_corpus(tmp_path) == []
    write([(7, draft) for draft in drafts], tools)
    tools.outputs.flush()
    assert urls_in_corpus(tmp_path) == [f"http://a.example/{number}" for number in range(3)]
    results = [report(draft) for draft in drafts]
    assert all(result.payload_digest and result.stored_at and result.line_check for result in results)
    assert [link.urls for link in results[0].links] == [["http://a.example/x"]]


def test_what_was_told_stays_as_it_is(tmp_path: Path) -> None:
    """The keeper may be settling it already."""
    tools = make_tools(tmp_path)
    draft = digested(1, tools)
    write([(7, draft)], tools)
    with pytest.raises(AttributeError):
        report(draft).discard = "noindex"  # type: ignore[misc]


def test_what_was_written_is_not_written_again(tmp_path: Path) -> None:
    tools = make_tools(tmp_path)
    draft = digested(1, tools)
    for _ in range(2):
        write([(7, draft)], tools)
        tools.outputs.flush()
    assert urls_in_corpus(tmp_path) == ["http://a.example/1"]


@pytest.mark.parametrize(
    "page",
    [
        b"<p>x</p><!--" + b"x" * 5_000,
        gzip.compress(b"<p>" + b"x" * 5_000),
        gzip.compress(b"<p>x</p>" + b"".join(b"<a href=%d>" % number for number in range(50))),
    ],
    ids=["body", "text", "links"],
)
def test_a_batch_of_long_pages_is_full_before_it_is_big(
    page: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages may have megabytes, also where little was sent, and memory is not for gathering them."""
    monkeypatch.setattr(drafts, "BATCH_BYTES_MAX", 9_000)
    tools = make_tools(tmp_path)
    coding = [("Content-Encoding", "gzip")] if page.startswith(b"\x1f\x8b") else []
    batch = WriteBatch()
    fullness = []
    for number in range(4):
        url = f"http://a.example/{number}"
        answer = make_answer(url, page, fields=[*HTML, *coding])
        batch.add(7, read(Request(url), answer, make_context(), tools))
        fullness.append(batch.is_full)
        if batch.is_full:
            batch.clear()
    assert fullness == [False, True, False, True]


def test_a_disk_that_fills_in_the_middle_of_a_batch_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of its pages are archived, some not even that: each goes on from where it was."""
    has_room = True

    def to_disk(descriptor: int, data: memoryview) -> int:
        if not has_room:
            raise OSError(28, "No space left on device")
        return os.write(descriptor, data)

    tools = make_tools(tmp_path, write=to_disk)
    write([(7, digested(0, tools))], tools)
    batch = [digested(number, tools) for number in range(1, 4)]
    monkeypatch.setattr(appendfile, "BUFFER_BYTES_MAX", 2_500)  # some records, and then it has to be flushed
    has_room = False
    for _ in range(2):
        with pytest.raises(DiskFull):
            write([(7, draft) for draft in batch], tools)
    assert take_busy_note(tmp_path, "h1-0001") == []  # no page is to blame
    assert {draft.steps_done for draft in batch} > {2}
    has_room = True
    write([(7, draft) for draft in batch], tools)
    tools.outputs.flush()
    assert urls_in_corpus(tmp_path) == [f"http://a.example/{number}" for number in range(4)]
    (warc,) = tmp_path.glob("warc/*.warc.gz.open")
    report = check_members(warc)
    assert report.is_sound
    assert report.kinds == {"warcinfo": 1, "response": 4, "request": 4, "metadata": 4}
