"""A crawl whose database found the disk full still answers."""

import asyncio
from pathlib import Path

import pytest

from tiptoe.cli import control_commands as control
from tiptoe.errors import CrawlerError
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.fulldisk import wait_for_room
from tiptoe.observe.run_figures import write_figures
from tiptoe.protocol.status import Status


def test_while_the_disk_is_full_status_and_stop_are_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the last figures that could be written, and why nothing goes on."""
    directory = CrawlDirectory(tmp_path)
    directory.claim(["http://a.example/"])
    (tmp_path / "log").mkdir()
    write_figures(tmp_path, Status(started_at=1.0, now=2.0, pages=777))

    async def scenario() -> bool:
        waiting = asyncio.ensure_future(
            wait_for_room(directory, free_min=0, free_bytes=lambda path: 0, look_seconds=0.01)
        )
        while not directory.socket.exists():
            await asyncio.sleep(0.01)
        await asyncio.to_thread(control.status, tmp_path)
        with pytest.raises(CrawlerError, match="the disk is full"):
            await asyncio.to_thread(control.pause, tmp_path)
        waiting_for_end = asyncio.ensure_future(asyncio.to_thread(control.stop, tmp_path))
        has_room = await waiting
        directory.release()
        await waiting_for_end
        return has_room

    assert asyncio.run(scenario()) is False
    printed = capsys.readouterr().out
    assert printed.split()[:3] == ["PAUSED", "by", "disk"]
    assert "777" in printed
    assert "until there is room" in printed
