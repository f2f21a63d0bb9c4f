"""Files and directories of this machine."""

import asyncio
import os
from pathlib import Path

from fetch_servers import asking

from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.outcome import Answer, Failed, Failure


def fetch(url: str, limits: FetchLimits | None = None) -> Answer | Failed:
    async def scenario() -> Answer | Failed:
        async with asking(limits, files=True) as client:
            return await client.fetch(url, address=None)

    return asyncio.run(scenario())


def test_a_file_is_read_as_if_it_were_served(tmp_path: Path) -> None:
    """TXT-12: text from elsewhere enters the same pipeline."""
    file = tmp_path / "č a.html"
    file.write_bytes(b"<p>x")
    os.utime(file, (0, 0))
    answer = fetch(file.as_uri())
    assert isinstance(answer, Answer)
    assert (answer.status, answer.body, answer.protocol) == (200, b"<p>x", "file")
    assert answer.header_block == (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n"
        b"Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n"
    )


def test_the_type_of_a_file_is_left_open_where_its_name_says_nothing(tmp_path: Path) -> None:
    """Its first bytes have to tell: a mirror of a site is full of `index.php?id=3`."""
    (tmp_path / "index.php").write_bytes(b"<p>x")
    answer = fetch((tmp_path / "index.php").as_uri())
    assert isinstance(answer, Answer)
    assert "content-type" not in answer.headers


def test_a_directory_lists_its_entries(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a.txt").touch()
    answer = fetch(f"{tmp_path.as_uri()}/")
    assert isinstance(answer, Answer)
    assert answer.body.index(b'href="a.txt"') < answer.body.index(b'href="b/"')


def test_a_directory_without_its_slash_is_a_redirect(tmp_path: Path) -> None:
    """Relative links of the listing would lead one level too high."""
    answer = fetch(tmp_path.as_uri())
    assert isinstance(answer, Answer)
    assert (answer.status, answer.headers["location"]) == (301, f"{tmp_path.as_uri()}/")


def test_a_big_file_is_cut_at_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100)
    answer = fetch((tmp_path / "a").as_uri(), FetchLimits(body_bytes_max=10))
    assert isinstance(answer, Answer)
    assert (answer.body, answer.truncated) == (b"x" * 10, "length")


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    answer = fetch((tmp_path / "missing").as_uri())
    assert isinstance(answer, Answer)
    assert answer.status == 404


def test_a_pipe_is_not_opened_for_reading(tmp_path: Path) -> None:
    """Reading it would never end."""
    os.mkfifo(tmp_path / "pipe")
    outcome = fetch((tmp_path / "pipe").as_uri())
    assert isinstance(outcome, Failed)
    assert outcome.failure == Failure.BAD_URL
