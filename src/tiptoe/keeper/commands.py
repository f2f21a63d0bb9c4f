"""How is a command of an operator carried out?

Commands come over the keeper's socket, which only its owner can open. They take effect
at once, even for visits under way.
"""

import asyncio
from typing import Final, assert_never

from tiptoe.errors import ProtocolError
from tiptoe.frontier.frontier import Frontier
from tiptoe.keeper.document_links import take_links
from tiptoe.keeper.document_lists import document_lists, open_sizes
from tiptoe.keeper.document_texts import take_texts
from tiptoe.keeper.downlist_lists import take_downlist
from tiptoe.keeper.host_commands import carry_out, host_named
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.later_seeds import add_seeds
from tiptoe.keeper.locating import locate
from tiptoe.keeper.overview import status_of
from tiptoe.keeper.plan import CommandReply
from tiptoe.observe.stops import Stop
from tiptoe.protocol import operator
from tiptoe.protocol.messages import Known
from tiptoe.protocol.work import Question
from tiptoe.write.dropbox import waiting_links

__all__ = ["answer"]

FOR_ALL: Final = (
    operator.PauseCrawl, operator.ResumeCrawl, operator.BlockHost, operator.UnblockHost, operator.SlowHost,
)  # fmt: skip
"""Commands that concern a whole crawl, however many machines share it."""


def answer(keeper: Keeper, command: operator.Command) -> CommandReply:
    """Carry out a command and return the reply; ProtocolError if it makes no sense."""
    _expect_for_one(keeper, command)
    match command:
        case operator.ShowStatus():
            return operator.StatusReply(status_of(keeper))
        case operator.PauseCrawl():
            keeper.hold("operator")
            return operator.Done("no further request is made until `tiptoe resume`")
        case operator.ResumeCrawl():
            return operator.Done(_resume(keeper))
        case operator.StopCrawl():
            keeper.stop(Stop.OPERATOR)
            return operator.Done("requests under way are finished, then the crawl stops")
        case operator.BlockHost() | operator.UnblockHost() | operator.SlowHost():
            done = carry_out(keeper.frontier, command, keeper.clock.now())
            for host in done.hosts:
                keeper.cancel(host)
            return operator.Done(done.message)
        case operator.Reconfigure():
            return operator.Reconfigured(keeper.reconfigure(command.settings))
        case operator.DescribeHost():
            record = keeper.frontier.host(host_named(command.target))
            if record is None:
                raise ProtocolError(f"{command.target}: never heard of")
            return operator.Done(repr(record))
        case operator.Locate():
            return operator.Located(locate(keeper, command.host, command.url))
        case operator.ListDocuments():
            return operator.DocumentLists(document_lists(keeper.frontier.outputs.marks()))
        case operator.ListOutputs():
            return operator.OutputSizes(open_sizes(keeper.frontier.outputs.marks()))
        case operator.TakeLinks():
            return _take_links(keeper)
        case operator.CompareTexts():
            take_texts(keeper.frontier, keeper.plan.directory)
            return _compared(keeper, command.questions)
        case operator.AddSeeds():
            return operator.SeedsAdded(add_seeds(keeper, command.urls))
        case operator.TakeDownlist():
            return operator.DownlistTaken(take_downlist(_own(keeper), command.urls, keeper.clock.now()))
        case operator.OpenExchange():
            return operator.ExchangeOpened(_own(keeper).exchanges.open(), keeper.clock.now())
        case operator.CloseExchange():
            _own(keeper).exchanges.close(command.number)
            return operator.Done(f"what was met before exchange {command.number} may be asked for")
        case _:
            assert_never(command)


def _expect_for_one(keeper: Keeper, command: operator.Command) -> None:
    """Refuse a command that must reach all machines: the others would ignore it, and later undo it here."""
    if isinstance(keeper.frontier, Frontier):
        return
    changes = command.settings.keys() if isinstance(command, operator.Reconfigure) else ()
    if isinstance(command, FOR_ALL) or not keeper.plan.shared_settings.isdisjoint(changes):
        raise ProtocolError(
            "several machines share this crawl, and this one alone would do it; "
            "`tiptoe pause`, `resume`, `block`, `unblock`, `slow` and `set` tell all of them"
        )


def _own(keeper: Keeper) -> Frontier:
    """Return the frontier of a crawl that runs on this machine alone; ProtocolError if others share it."""
    if not isinstance(keeper.frontier, Frontier):
        raise ProtocolError(
            "several machines share this crawl, and divide the web among themselves; "
            "a list of what others have can be given to it when it is created (crawl.downlist)"
        )
    return keeper.frontier


def _compared(keeper: Keeper, questions: list[Question]) -> Known | asyncio.Future[Known]:
    at_once: list[Known] = []
    later: list[asyncio.Future[Known]] = []

    def answered(marks: dict[int, bytes]) -> None:
        if not later:
            at_once.append(Known(marks))
        elif not later[0].done():
            later[0].set_result(Known(marks))

    keeper.frontier.find_known_paragraphs(questions, answered)
    if at_once:
        return at_once[0]
    later.append(asyncio.get_running_loop().create_future())
    return later[0]


def _resume(keeper: Keeper) -> str:
    keeper.go_on("operator")
    keeper.outage_guard.overrule()
    left = f"; still held: {', '.join(sorted(keeper.holds))}" if keeper.holds else ""
    return f"the crawl goes on{left}"


def _take_links(keeper: Keeper) -> operator.LinksTaken:
    take_texts(keeper.frontier, keeper.plan.directory)
    taken = take_links(keeper.frontier, keeper.plan.directory, keeper.clock.now())
    return operator.LinksTaken(taken, len(waiting_links(keeper.plan.directory)))
