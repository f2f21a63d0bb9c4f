"""How does a notebook send a command to a running crawl?

A notebook runs in an event loop, within which no other can run; so a thread sends the command.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from tiptoe.keeper.running_crawl import ask
from tiptoe.protocol.operator import Command

__all__ = ["ask_aside"]

Expected = TypeVar("Expected")


def ask_aside(directory: Path, command: Command, expected: type[Expected]) -> Expected:
    """Send one command to the crawl in a directory and return its reply, even inside an event loop."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(ask, directory, command, expected).result()
