"""How is a command of an operator carried out?

Commands come over the keeper's socket, which only its owner can open; they act
at once, also on visits under way.
"""

from typing import assert_never

from tiptoe.errors import ProtocolError
from tiptoe.keeper.document_links import take_links
from tiptoe.keeper.document_lists import document_lists
from tiptoe.keeper.document_texts import take_texts
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.overview import status_of
from tiptoe.keeper.wishes import fulfil, host_named
from tiptoe.observe.stops import Stop
from tiptoe.protocol.messages import Known
from tiptoe.protocol.operator import (
    BlockHost,
    Command,
    CompareTexts,
    DescribeHost,
    DocumentLists,
    Done,
    LinksTaken,
    ListDocuments,
    OperatorReply,
    PauseCrawl,
    Reconfigure,
    Reconfigured,
    ResumeCrawl,
    ShowStatus,
    SlowHost,
    StatusReply,
    StopCrawl,
    TakeLinks,
    UnblockHost,
)
from tiptoe.write.foundlinks import waiting_links

__all__ = ["answer"]


def answer(keeper: Keeper, command: Command) -> OperatorReply | Known:
    """Carry out a command and return what there is to say; ProtocolError when it makes no sense."""
    match command:
        case ShowStatus():
            return StatusReply(status_of(keeper))
        case PauseCrawl():
            keeper.hold("operator")
            return Done("no further request is made until `tiptoe resume`")
        case ResumeCrawl():
            return Done(_resume(keeper))
        case StopCrawl():
            keeper.stop(Stop.OPERATOR)
            return Done("requests under way are finished, then the crawl stops")
        case BlockHost() | UnblockHost() | SlowHost():
            said, hosts = fulfil(keeper.frontier, command, keeper.clock.now())
            for host in hosts:
                keeper.cancel(host)
            return Done(said)
        case Reconfigure():
            return Reconfigured(keeper.reconfigure(command.settings))
        case DescribeHost():
            record = keeper.frontier.host(host_named(command.target))
            if record is None:
                raise ProtocolError(f"{command.target}: never heard of")
            return Done(repr(record))
        case ListDocuments():
            return DocumentLists(document_lists(keeper.frontier.outputs.marks()))
        case TakeLinks():
            return _take_links(keeper)
        case CompareTexts():
            take_texts(keeper.frontier, keeper.plan.directory)
            return Known(keeper.frontier.look(command.questions))
        case _:
            assert_never(command)


def _resume(keeper: Keeper) -> str:
    keeper.go_on("operator")
    keeper.outage_guard.overrule()
    left = f"; still held: {', '.join(sorted(keeper.holds))}" if keeper.holds else ""
    return f"the crawl goes on{left}"


def _take_links(keeper: Keeper) -> LinksTaken:
    take_texts(keeper.frontier, keeper.plan.directory)
    taken = take_links(keeper.frontier, keeper.plan.directory, keeper.clock.now())
    return LinksTaken(taken, len(waiting_links(keeper.plan.directory)))
