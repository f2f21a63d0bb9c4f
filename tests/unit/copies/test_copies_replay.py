"""What is written can be replayed by pywb, with our own indexes."""

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from copy_samples import Sent, write_archive

from tiptoe.forget.archive_files import exchanges_meant, fill_out, put_lines
from tiptoe.url.wish import read_wish
from tiptoe.write.cdxj import merge_cdxj

TOOLS = os.environ.get("TIPTOE_ARCHIVE_TOOLS", "")
START_SECONDS = 60.0

pytestmark = pytest.mark.skipif(
    not TOOLS, reason="TIPTOE_ARCHIVE_TOOLS names no folder with the program wayback (package pywb)"
)


@contextmanager
def replayed(folder: Path) -> Iterator[str]:
    """Let the real pywb serve the archive in a folder; yield where."""
    (folder / "config.yaml").write_text(
        "collections:\n  t:\n    index_paths: ./warc/index.cdxj\n    archive_paths: ./warc/\n"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [f"{TOOLS}/wayback", "-b", "127.0.0.1", "-p", str(port)]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
                break
            except OSError:
                assert server.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < until, "pywb does not start"
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/t/2026id_/"
    finally:
        server.terminate()
        server.wait(10.0)


def read(url: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(url, timeout=30.0) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_pywb_replays_pages_and_what_they_need_but_nothing_forgotten(tmp_path: Path) -> None:
    write_archive(
        tmp_path,
        [
            Sent("https://a.example/", "<p>home</p><img src=p.png>"),
            Sent("https://a.example/private", "<p>secret</p>"),
            Sent("https://a.example/p.png", b"\x89PNG\r\n", "image/png"),
        ],
    )
    (archive,) = (tmp_path / "warc").glob("*.warc.gz")
    index = merge_cdxj(tmp_path)
    wish = read_wish("https://a.example/private")
    fill_out(archive, exchanges_meant(archive, wish), at=1_790_000_000.0)
    put_lines(index, wish)

    with replayed(tmp_path) as place:
        home = read(f"{place}https://a.example/")
        image = read(f"{place}https://a.example/p.png")
        secret = read(f"{place}https://a.example/private")

    assert home == (200, b"<p>home</p><img src=p.png>")
    assert image == (200, b"\x89PNG\r\n")
    assert secret[0] == 404
    assert b"secret" not in secret[1]
