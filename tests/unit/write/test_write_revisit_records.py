"""INC-7: a visit that brought nothing new costs no body, and others can follow what it says."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from write_samples import INFO, make_answer

from simulated.proofs import check_members
from tiptoe.fetch.outcome import Answer
from tiptoe.write.cdxj import find, merge_cdxj
from tiptoe.write.revisit_records import Earlier, Profile
from tiptoe.write.warc import Place, WarcWriter

BODY = b"<p>" + b"A long page about nothing in particular. " * 500
STANDARD = "http://netpreserve.org/warc/1.1/revisit/"


def write(directory: Path, again: Answer, profile: Profile, earlier: Earlier | None = None) -> Place:
    """Store a page, then a second visit of it, as a harvester does; return where the first lies."""
    writer = WarcWriter(
        directory, "h1-0001", info=INFO, clock=lambda: 1_790_000_000.0, size_max=10**9, compression_level=1
    )
    first = make_answer(again.url, BODY)
    place = writer.write_exchange(first, metadata={})
    known = Earlier(place.payload_digest, first.started_at) if earlier is None else earlier
    writer.write_revisit(again, profile, known, metadata={"hopsFromSeed": "3"})
    for files in writer.files:
        files.flush()
        files.acknowledge(files.marks())
        files.close()
    merge_cdxj(directory)
    return place


def records(directory: Path) -> Iterator[tuple[dict[str, str], bytes]]:
    """Yield heads and contents of the records, all digests checked by a reader that is not ours."""
    path = directory / "warc" / "h1-0001-00001.warc.gz"
    assert check_members(path).is_sound
    with path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            content = record.content_stream().read()
            assert record.digest_checker.passed is not False
            yield dict(record.rec_headers.headers), content


def the_revisit(directory: Path) -> dict[str, str]:
    (found,) = [head for head, _ in records(directory) if head["WARC-Type"] == "revisit"]
    return found


def not_modified() -> Answer:
    return make_answer("https://www.example.com/a", b"", status=304, fields=(("ETag", '"x"'),))


def same_bytes() -> Answer:
    return make_answer("https://www.example.com/a", BODY)


@pytest.mark.parametrize(
    ("answer", "profile", "uri"),
    [
        (not_modified(), Profile.NOT_MODIFIED, f"{STANDARD}server-not-modified"),
        (same_bytes(), Profile.SAME_PAYLOAD, f"{STANDARD}identical-payload-digest"),
        (same_bytes(), Profile.UNCHANGED_TEXT, "urn:x-tiptoe:warc-revisit:unchanged-text"),
    ],
)
def test_a_revisit_says_which_body_still_stands(
    tmp_path: Path, answer: Answer, profile: Profile, uri: str
) -> None:
    """Date, address and digest of the earlier record: replay tools go by these."""
    place = write(tmp_path, answer, profile)
    heads = [head for head, _ in records(tmp_path)]
    assert [head["WARC-Type"] for head in heads] == [
        "warcinfo", "response", "request", "metadata", "revisit", "request", "metadata",
    ]  # fmt: skip
    first, again, request, metadata = heads[1], *heads[4:]
    assert again["WARC-Profile"] == uri
    assert again["WARC-Refers-To-Target-URI"] == first["WARC-Target-URI"] == "https://www.example.com/a"
    assert again["WARC-Refers-To-Date"] == first["WARC-Date"]
    assert again["WARC-Payload-Digest"] == first["WARC-Payload-Digest"] == place.payload_digest
    assert request["WARC-Concurrent-To"] == metadata["WARC-Concurrent-To"] == again["WARC-Record-ID"]


@pytest.mark.parametrize("profile", [Profile.SAME_PAYLOAD, Profile.UNCHANGED_TEXT])
def test_a_revisit_costs_no_body(tmp_path: Path, profile: Profile) -> None:
    """Most visits of an incremental crawl find nothing new."""
    write(tmp_path, same_bytes(), profile)
    assert int(the_revisit(tmp_path)["Content-Length"]) < 200 < len(BODY)
    (content,) = [content for head, content in records(tmp_path) if head["WARC-Type"] == "revisit"]
    assert content == b""


def test_the_head_of_an_answer_is_kept_unless_it_speaks_of_other_bytes(tmp_path: Path) -> None:
    """Replayed with the earlier body, a length or coding of another one would spoil it."""
    answer = same_bytes()
    write(tmp_path / "1", answer, Profile.SAME_PAYLOAD)
    assert int(the_revisit(tmp_path / "1")["Content-Length"]) == len(answer.header_block)
    write(tmp_path / "2", answer, Profile.UNCHANGED_TEXT)
    assert the_revisit(tmp_path / "2")["Content-Length"] == "0"


def test_replay_tools_find_revisits_in_the_index(tmp_path: Path) -> None:
    """By their type and the digest of the record that has the body."""
    place = write(tmp_path, not_modified(), Profile.NOT_MODIFIED)
    entries = list(find(tmp_path, "https://www.example.com/a"))
    assert sorted((entry.mime, entry.status) for entry in entries) == [
        ("text/html", "200"), ("warc/revisit", "304"),
    ]  # fmt: skip
    assert {entry.digest for entry in entries} == {place.payload_digest}


def test_what_nobody_knows_is_not_said(tmp_path: Path) -> None:
    """An archive that was not kept earlier has nothing to refer to."""
    write(tmp_path, not_modified(), Profile.NOT_MODIFIED, Earlier())
    head = the_revisit(tmp_path)
    assert head["WARC-Profile"].endswith("server-not-modified")
    assert not {"WARC-Refers-To-Date", "WARC-Refers-To-Target-URI", "WARC-Payload-Digest"} & head.keys()
    assert "-" in {entry.digest for entry in find(tmp_path, "https://www.example.com/a")}


def test_files_and_ftp_have_revisits_without_a_head(tmp_path: Path) -> None:
    """There was no HTTP, so there is no request either."""
    write(tmp_path, make_answer("ftp://ftp.example.com/a.txt", BODY), Profile.SAME_PAYLOAD)
    heads = [head for head, _ in records(tmp_path)]
    assert [head["WARC-Type"] for head in heads] == [
        "warcinfo", "resource", "metadata", "revisit", "metadata",
    ]  # fmt: skip
    assert heads[3]["Content-Length"] == "0"


def test_a_url_from_the_web_cannot_break_out_of_a_revisit(tmp_path: Path) -> None:
    """It stands in its head twice."""
    write(tmp_path, make_answer("https://a.example/\r\nWARC-Type: response", b""), Profile.UNCHANGED_TEXT)
    assert "\n" not in the_revisit(tmp_path)["WARC-Refers-To-Target-URI"]
