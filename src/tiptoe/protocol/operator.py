"""What can an operator ask of a running crawl, and what comes back?

The contract is docs/protocols/operator.md. Each command is a tagged struct with a reply of its own; what
cannot be done is answered with a `Refusal`.
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


class Locate(msgspec.Struct, tag="why", array_like=True):
    """Where is a host, and maybe one of its pages, by canonical names? Answered with `Located`."""

    host: str
    url: str = ""


class ListDocuments(msgspec.Struct, tag="documents", array_like=True):
    """How much of each list of documents may be converted? Answered with `DocumentLists`."""


class ListOutputs(msgspec.Struct, tag="outputs", array_like=True):
    """How much of each file that is being written is committed? Answered with `OutputSizes`."""


class TakeLinks(msgspec.Struct, tag="links", array_like=True):
    """Take in what conversions have left for the crawl. Answered with `LinksTaken`."""


class CompareTexts(msgspec.Struct, tag="compare", array_like=True):
    """Which paragraphs of these documents are known? Answered with `Known`."""

    questions: list[Question]


class AddSeeds(msgspec.Struct, tag="seeds", array_like=True):
    """Ask for these, too, if they are new. Answered with `SeedsAdded`."""

    urls: list[str]


class TakeDownlist(msgspec.Struct, tag="others_have", array_like=True):
    """Others have these: never ask for them, unless they are under way. Answered with `DownlistTaken`."""

    urls: list[str]


class OpenExchange(msgspec.Struct, tag="exchange", array_like=True):
    """Begin an exchange of lists: what is met from now on waits for the next one. See `ExchangeOpened`."""


class CloseExchange(msgspec.Struct, tag="exchanged", array_like=True):
    """The lists of an exchange were taken: what was met before it may be asked for. Answered with `Done`."""

    number: int


class Done(msgspec.Struct, tag="done", array_like=True):
    """It is done; what there is to say about it."""

    said: str


class Reconfigured(msgspec.Struct, tag="reconfigured", array_like=True):
    """What has changed, by full name: the value before, and the one that holds from now on."""

    changes: dict[str, tuple[str, str]]


class StatusReply(msgspec.Struct, tag="status_reply", array_like=True):
    """The figures of the crawl as they are now."""

    status: Status


class Located(msgspec.Struct, tag="located", array_like=True):
    """What is known of a host, and of one of its pages."""

    whereabouts: Whereabouts


class DocumentLists(msgspec.Struct, tag="document_lists", array_like=True):
    """Bytes of each list of documents that are committed, by its name; bytes beyond may be taken back."""

    lists: dict[str, int]


class OutputSizes(msgspec.Struct, tag="output_sizes", array_like=True):
    """Committed bytes of each output file that is still open, by name; bytes beyond may be taken back."""

    sizes: dict[str, int]


class LinksTaken(msgspec.Struct, tag="links_taken", array_like=True):
    """How many links are new, and how many files of links still wait."""

    taken: int
    left: int


class SeedsAdded(msgspec.Struct, tag="seeds_added", array_like=True):
    """How many addresses were new, and within the bounds of the crawl."""

    new: int


class DownlistTaken(msgspec.Struct, tag="downlist_taken", array_like=True):
    """How many addresses were not known as downloaded before."""

    taken: int


class ExchangeOpened(msgspec.Struct, tag="exchange_opened", array_like=True):
    """The number of the exchange, counted from 1; 0 = this crawl waits for none (`crawl.claims`)."""

    number: int
    now: float  # by the keeper's clock


HostCommand = BlockHost | UnblockHost | SlowHost
ReadingCommand = ShowStatus | DescribeHost | Locate
"""Their answers may tell of what is not stored yet."""

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
"""Beside `Known`, which harvesters get as well."""
