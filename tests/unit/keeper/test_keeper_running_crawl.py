"""What does whoever speaks to a crawl hear when it is not listening?"""

import asyncio
import socket
from pathlib import Path

import pytest

from tiptoe.errors import CrawlerError
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.running_crawl import ask_running
from tiptoe.protocol.operator import ShowStatus, StatusReply


@pytest.mark.parametrize("is_left_behind", [False, True])
def test_a_crawl_that_starts_or_ends_is_not_told_by_its_socket(tmp_path: Path, is_left_behind: bool) -> None:
    """There is no socket yet, or one that nobody listens to any more."""
    path = CrawlDirectory(tmp_path).socket
    path.parent.mkdir()
    if is_left_behind:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    with pytest.raises(CrawlerError) as raised:
        asyncio.run(ask_running(tmp_path, ShowStatus(), StatusReply))
    assert str(raised.value) == f"{tmp_path}: the crawl is just starting or ending; try again in a moment"
