"""What commands can an operator send to a running crawl, and what are the replies?

The contract is docs/protocols/operator.md. Each command is a tagged struct with its own reply; a command that
cannot be carried out is answered with a `Refusal`.
"""

import msgspec

from tiptoe.protocol.status import Status
from tiptoe.protocol.whereabouts import Whereabouts
from tiptoe.protocol.work import Question

__all__ = [
    "AddSeeds", "BlockHost", "CloseExchange", "Command", "CompareTexts", "DescribeHost", "DocumentLists",
    "Done", "DownlistTaken", "ExchangeOpened", "HostCommand", "LinksTaken", "ListDocuments", "ListOutputs",
    "Locate", "Located",
    "OpenExchange", "OperatorReply", "OutputSizes", "PauseCrawl", "ReadingCommand", "Reconfigure",
    "Reconfigured", "ResumeCrawl", "SeedsAdded", "ShowStatus", "SlowHost", "StatusReply", "StopCrawl",
    "TakeDownlist", "TakeLinks", "UnblockHost",
]  # fmt: skip


class ShowStatus(msgspec.Struct, tag="status", array_like=True):
    """What is the state of the crawl? Answered with `StatusReply`."""


class PauseCrawl(msgspec.Struct, tag="pause", array_like=True):
    """Make no more requests until `ResumeCrawl`. Answered with `Done`."""


class ResumeCrawl(msgspec.Struct, tag="resume", array_like=True):
    """Continue after `PauseCrawl`. Answered with `Done`."""


class StopCrawl(msgspec.Struct, tag="stop", array_like=True):
    """Finish the requests under way, then end the run. Answered with `Done`."""


class BlockHost(msgspec.Struct, tag="block", array_like=True):
    """Make no more requests to a host or IP address. Answered with `Done`."""

    target: str


class UnblockHost(msgspec.Struct, tag="unblock", array_like=True):
    """Allow requests to a blocked host or IP address again. Answered with `Done`."""

    target: str


class SlowHost(msgspec.Struct, tag="slow", array_like=True):
    """Set a minimum delay for a host or IP address; 0 = as configured. Answered with `Done`."""

    target: str
    delay: float  # seconds


class Reconfigure(msgspec.Struct, tag="reconfigure", array_like=True):
    """Change live settings, by full name, with values as for `--set`. Answered with `Reconfigured`."""

    settings: dict[str, str]


class DescribeHost(msgspec.Struct, tag="host", array_like=True):
    """What is known about a host? Answered with `Done`."""

    target: str


class Locate(msgspec.Struct, tag="why", array_like=True):
    """What is the state of a host and, optionally, of one of its pages? Answered with `Located`."""

    host: str
    url: str = ""


class ListDocuments(msgspec.Struct, tag="documents", array_like=True):
    """How much of each list of documents may be converted? Answered with `DocumentLists`."""


class ListOutputs(msgspec.Struct, tag="outputs", array_like=True):
    """How much of each file that is being written is committed? Answered with `OutputSizes`."""


class TakeLinks(msgspec.Struct, tag="links", array_like=True):
    """Queue the links that conversions have left for the crawl. Answered with `LinksTaken`."""


class CompareTexts(msgspec.Struct, tag="compare", array_like=True):
    """Which paragraphs of these documents are known? Answered with `Known`."""

    questions: list[Question]


class AddSeeds(msgspec.Struct, tag="seeds", array_like=True):
    """Queue these seeds too, if they are new. Answered with `SeedsAdded`."""

    urls: list[str]


class TakeDownlist(msgspec.Struct, tag="others_have", array_like=True):
    """Others have downloaded these: never request them, unless under way. Answered with `DownlistTaken`."""

    urls: list[str]


class OpenExchange(msgspec.Struct, tag="exchange", array_like=True):
    """Open an exchange of lists: URLs found from now on wait for the next one. See `ExchangeOpened`."""


class CloseExchange(msgspec.Struct, tag="exchanged", array_like=True):
    """All have read the lists of an exchange: URLs found before it may be requested. Answered with `Done`."""

    number: int


class Done(msgspec.Struct, tag="done", array_like=True):
    """The command was carried out; `message` says with what result."""

    message: str


class Reconfigured(msgspec.Struct, tag="reconfigured", array_like=True):
    """What has changed, by full name: the old value and the new one."""

    changes: dict[str, tuple[str, str]]


class StatusReply(msgspec.Struct, tag="status_reply", array_like=True):
    """The current figures of the crawl."""

    status: Status


class Located(msgspec.Struct, tag="located", array_like=True):
    """What is known about a host, and about one of its pages."""

    whereabouts: Whereabouts


class DocumentLists(msgspec.Struct, tag="document_lists", array_like=True):
    """Committed bytes of each list of documents, by name; bytes after these may be cut off again."""

    lists: dict[str, int]


class OutputSizes(msgspec.Struct, tag="output_sizes", array_like=True):
    """Committed bytes of each output file still open, by name; bytes after these may be cut off again."""

    sizes: dict[str, int]


class LinksTaken(msgspec.Struct, tag="links_taken", array_like=True):
    """How many links were new, and how many files of links are still waiting."""

    taken: int
    left: int


class SeedsAdded(msgspec.Struct, tag="seeds_added", array_like=True):
    """How many seeds were new and within the bounds of the crawl."""

    new: int


class DownlistTaken(msgspec.Struct, tag="downlist_taken", array_like=True):
    """How many URLs were not marked as downloaded before."""

    taken: int


class ExchangeOpened(msgspec.Struct, tag="exchange_opened", array_like=True):
    """The number of the exchange, counted from 1; 0 = this crawl waits for none (`crawl.claims`)."""

    number: int
    now: float  # by the keeper's clock


HostCommand = BlockHost | UnblockHost | SlowHost
ReadingCommand = ShowStatus | DescribeHost | Locate
"""Commands whose answers may contain changes that are not stored yet."""

Command = (
    ShowStatus | PauseCrawl | ResumeCrawl | StopCrawl | HostCommand | Reconfigure | DescribeHost
    | Locate
    | ListDocuments | ListOutputs | TakeLinks | CompareTexts | AddSeeds | TakeDownlist | OpenExchange
    | CloseExchange
)  # fmt: skip
OperatorReply = (
    Done | Reconfigured | StatusReply | Located | DocumentLists | OutputSizes | LinksTaken | SeedsAdded
    | DownlistTaken | ExchangeOpened
)  # fmt: skip
"""Besides `Known`, which harvesters get as well."""
