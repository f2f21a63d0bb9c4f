"""What can an operator ask of a running crawl, and what comes back?

The contract is docs/protocols/operator.md. Each command is a tagged struct with a reply of its own; what
cannot be done is answered with a `Refusal`.
"""

import msgspec

from tiptoe.protocol.status import Status
from tiptoe.protocol.work import Question

__all__ = [
    "BlockHost", "Command", "CompareTexts", "DescribeHost", "DocumentLists", "Done", "HostCommand",
    "LinksTaken", "ListDocuments", "OperatorReply", "PauseCrawl", "ReadingCommand", "Reconfigure",
    "Reconfigured", "ResumeCrawl", "ShowStatus", "SlowHost", "StatusReply", "StopCrawl", "TakeLinks",
    "UnblockHost",
]  # fmt: skip


class ShowStatus(msgspec.Struct, tag="status", array_like=True):
    """How does the crawl stand? Answered with `StatusReply`."""


class PauseCrawl(msgspec.Struct, tag="pause", array_like=True):
    """Make no further request until `ResumeCrawl`. Answered with `Done`."""


class ResumeCrawl(msgspec.Struct, tag="resume", array_like=True):
    """Go on after `PauseCrawl`. Answered with `Done`."""


class StopCrawl(msgspec.Struct, tag="stop", array_like=True):
    """Finish the requests under way, then end the run. Answered with `Done`."""


class BlockHost(msgspec.Struct, tag="block", array_like=True):
    """Ask nothing more of a host or IP address. Answered with `Done`."""

    target: str


class UnblockHost(msgspec.Struct, tag="unblock", array_like=True):
    """Let a blocked host or IP address be asked again. Answered with `Done`."""

    target: str


class SlowHost(msgspec.Struct, tag="slow", array_like=True):
    """Ask a host or IP address at most this often; 0 = as configured. Answered with `Done`."""

    target: str
    delay: float  # seconds


class Reconfigure(msgspec.Struct, tag="reconfigure", array_like=True):
    """Change live settings, by full name, each as it stands after `--set`. Answered with `Reconfigured`."""

    settings: dict[str, str]


class DescribeHost(msgspec.Struct, tag="host", array_like=True):
    """What is known of a host? Answered with `Done`."""

    target: str


class ListDocuments(msgspec.Struct, tag="documents", array_like=True):
    """How much of each list of documents may be converted? Answered with `DocumentLists`."""


class TakeLinks(msgspec.Struct, tag="links", array_like=True):
    """Take in what conversions have left for the crawl. Answered with `LinksTaken`."""


class CompareTexts(msgspec.Struct, tag="compare", array_like=True):
    """Which paragraphs of these documents are known? Answered with `Known`."""

    questions: list[Question]


class Done(msgspec.Struct, tag="done", array_like=True):
    """It is done; what there is to say about it."""

    said: str


class Reconfigured(msgspec.Struct, tag="reconfigured", array_like=True):
    """What has changed, by full name: the value before, and the one that holds from now on."""

    changes: dict[str, tuple[str, str]]


class StatusReply(msgspec.Struct, tag="status_reply", array_like=True):
    """The figures of the crawl as they are now."""

    status: Status


class DocumentLists(msgspec.Struct, tag="document_lists", array_like=True):
    """Bytes of each list of documents that are committed, by its name; bytes beyond may be taken back."""

    lists: dict[str, int]


class LinksTaken(msgspec.Struct, tag="links_taken", array_like=True):
    """How many links are new, and how many files of links still wait."""

    taken: int
    left: int


HostCommand = BlockHost | UnblockHost | SlowHost
ReadingCommand = ShowStatus | DescribeHost
"""Their answers may tell of what is not stored yet."""

Command = (
    ShowStatus | PauseCrawl | ResumeCrawl | StopCrawl | HostCommand | Reconfigure | DescribeHost
    | ListDocuments | TakeLinks | CompareTexts
)  # fmt: skip
OperatorReply = Done | Reconfigured | StatusReply | DocumentLists | LinksTaken
"""Beside `Known`, which harvesters get as well."""
