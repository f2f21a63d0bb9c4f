"""Every request is in the log, whatever happens to us."""

from pathlib import Path

import pytest
from write_samples import SmallDisk, make_request

from tiptoe.errors import CorruptFile, DiskFull
from tiptoe.write.requestlog import RequestLog, read_requests


def test_a_request_is_on_disk_as_soon_as_it_is_logged(tmp_path: Path) -> None:
    """A killed harvester must not hide what it asked."""
    log = RequestLog(tmp_path, "h1-0003")
    log.write_request(make_request())

    (entry,) = read_requests(tmp_path / "log" / "requests-h1-0003.jsonl")
    assert entry == make_request()
    assert entry.seconds == 0.25
    log.sync()
    log.close()


def test_a_full_disk_delays_lines_but_loses_none(tmp_path: Path) -> None:
    """The request did happen; the next flush says that the disk is full."""
    disk = SmallDisk(room=0)
    log = RequestLog(tmp_path, "h1", write=disk.write)
    log.write_request(make_request())
    with pytest.raises(DiskFull):
        log.flush()

    disk.room = 10_000
    log.write_request(make_request("https://b.example/"))
    urls = [entry.url for entry in read_requests(tmp_path / "log" / "requests-h1.jsonl")]
    assert urls == ["https://www.example.com/a", "https://b.example/"]
    log.close()


def test_a_torn_last_line_is_passed_over_and_a_broken_one_is_named(tmp_path: Path) -> None:
    """A power cut may tear the end; anything else is a fault someone must hear of."""
    log = RequestLog(tmp_path, "h1")
    log.write_request(make_request())
    log.close()
    path = tmp_path / "log" / "requests-h1.jsonl"
    whole = path.read_bytes()

    path.write_bytes(whole + whole[:-9])
    assert list(read_requests(path)) == [make_request()]
    path.write_bytes(whole + b"{}\n" + whole)
    with pytest.raises(CorruptFile) as caught:
        list(read_requests(path))
    assert caught.value.offset == len(whole)
