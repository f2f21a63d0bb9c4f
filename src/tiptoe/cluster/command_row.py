"""Which commands has the operator given to the whole crawl?

Pure. Each is a key of the engine, `command.<number>`; a new command takes the next number, which no other can
have. All agents carry them out in this order, and an agent that joins later reads them first. Commands set
a state, so of those that concern the same thing only the last counts: earlier ones are kept for a while, to
be shown and for agents that were cut off, and then deleted. The last command is never deleted, because its
number would be used again.
"""

from collections.abc import Collection, Iterable
from typing import Final

import msgspec

from tiptoe.errors import ProtocolError
from tiptoe.frontier.standing_orders import StandingOrder
from tiptoe.frontier.wishes import NotedWish, NumberedWish
from tiptoe.keeper.host_commands import host_named, names_address
from tiptoe.protocol.operator import (
    BlockHost,
    PauseCrawl,
    Reconfigure,
    ResumeCrawl,
    SlowHost,
    StopCrawl,
    UnblockHost,
)
from tiptoe.url.wish import read_wish

__all__ = [
    "COMMANDS", "LAST_KEY", "ClusterCommand", "CommandRow", "ForgetTarget", "GivenCommand", "checked",
    "command_key", "encoded",
]  # fmt: skip

COMMANDS: Final = "command"
LAST_KEY: Final = "commands"
"""Number of the last command that agents were asked to confirm. An agent must know it before it takes a
shard, because its watch of the commands may lag behind its watch of the leases."""

SHOWN_MAX: Final = 200
"""Commands that are kept in any case; older ones may be deleted."""

SETTLED_SECONDS: Final = 86400.0
"""Age after which a command has reached every agent that may still live, and every host that was moving."""

TARGETS_MAX: Final = 20_000
WISHES_MAX: Final = 20_000
DELAY_SECONDS_MAX: Final = 86400.0


class ForgetTarget(msgspec.Struct, tag="forget", array_like=True):
    """Forget what an owner wants to be forgotten, wherever it is: see `url.wish`. It cannot be taken back."""

    target: str
    reason: str


ClusterCommand = (
    PauseCrawl | ResumeCrawl | StopCrawl | BlockHost | UnblockHost | SlowHost | Reconfigure | ForgetTarget
)
"""The commands that can be given to a whole crawl; all but the last are those of `protocol.operator`."""


class GivenCommand(msgspec.Struct, frozen=True, array_like=True):
    """A command with its place in the row."""

    number: int
    command: ClusterCommand
    given_by: str = ""
    given_at: float = 0.0  # by the wall clock of its giver
    token: str = ""  # by which its giver recognises it


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(GivenCommand).decode


def command_key(number: int) -> str:
    """Return the key of a command."""
    return f"{COMMANDS}.{number}"


def checked(command: ClusterCommand) -> ClusterCommand:
    """Return a command with its target in the frontier's form; raise ProtocolError when it makes no sense."""
    if isinstance(command, SlowHost):
        if not 0 <= command.delay <= DELAY_SECONDS_MAX:
            raise ProtocolError(
                f"a delay of {command.delay:g} s: it has to be from 0 to {DELAY_SECONDS_MAX:g}"
            )
        return SlowHost(host_named(command.target), command.delay)
    if isinstance(command, BlockHost | UnblockHost):
        return type(command)(host_named(command.target))
    if isinstance(command, ForgetTarget):
        try:
            return ForgetTarget(read_wish(command.target).target, command.reason)
        except ValueError as problem:
            raise ProtocolError(f"{command.target!r} is nothing that can be forgotten; {problem}") from None
    if isinstance(command, Reconfigure) and not command.settings:
        raise ProtocolError("no setting is named that is to be changed")
    return command


class CommandRow:
    """The existing commands, by number."""

    def __init__(self, commands: Iterable[GivenCommand] = ()) -> None:
        self._given = {command.number: command for command in commands}

    def __len__(self) -> int:
        return len(self._given)

    @property
    def last(self) -> int:
        """The number of the last command; 0 when there is none."""
        return max(self._given, default=0)

    def add(self, value: bytes) -> int:
        """Read a command that was stored; return its number."""
        try:
            given = _decode(value)
        except msgspec.DecodeError as error:
            raise ProtocolError(
                f"a command cannot be read ({error}); are all agents of one version?"
            ) from error
        self._given[given.number] = given
        return given.number

    def keep(self, numbers: Collection[int]) -> None:
        """Forget all commands but these."""
        self._given = {number: given for number, given in self._given.items() if number in numbers}

    def remove(self, key: str) -> None:
        """Forget a command that was deleted."""
        self._given.pop(int(key.rpartition(".")[2]), None)

    def get(self, number: int) -> GivenCommand | None:
        return self._given.get(number)

    def after(self, number: int) -> list[GivenCommand]:
        """Return the commands after a number, in order."""
        return [self._given[one] for one in sorted(self._given) if one > number]

    def next(self, command: ClusterCommand, given_by: str, given_at: float, token: str) -> GivenCommand:
        """Return a command with the next number; raise ProtocolError when too many targets have orders."""
        if isinstance(command, ForgetTarget):
            if len(self.wishes()) >= WISHES_MAX:
                raise ProtocolError(f"{WISHES_MAX:,} hosts and addresses are forgotten by command already")
            return GivenCommand(self.last + 1, command, given_by, given_at, token)
        target = getattr(command, "target", None)
        targets = {order.target for order in self.standing_orders()}
        if target is not None and target not in targets and len(targets) >= TARGETS_MAX:
            raise ProtocolError(
                f"{len(targets)} hosts and addresses are blocked or slowed by command already; "
                "let the settings of the crawl name them"
            )
        return GivenCommand(self.last + 1, command, given_by, given_at, token)

    @property
    def is_paused(self) -> bool:
        """Whether the crawl is to make no requests: the last pause or resumption counts."""
        pausing = [
            given for given in self._given.values() if isinstance(given.command, PauseCrawl | ResumeCrawl)
        ]
        last = max(pausing, key=lambda given: given.number, default=None)
        return last is not None and isinstance(last.command, PauseCrawl)

    def standing_orders(self) -> list[StandingOrder]:
        """Return the orders about hosts and addresses, the last one about each."""
        last = {topic: given for given in self.after(0) if (topic := _topic(given.command)) is not None}
        orders = (_order(given) for given in last.values())
        return sorted((order for order in orders if order is not None), key=lambda order: order.number)

    def wishes(self) -> list[NumberedWish]:
        """Return what owners want to be forgotten, the last wish about each target, by number."""
        last = {
            given.command.target: NumberedWish(
                given.number, NotedWish(given.command.target, given.command.reason, given.given_at)
            )
            for given in self.after(0)
            if isinstance(given.command, ForgetTarget)
        }
        return sorted(last.values())

    def outdated(self, now: float, *, obeyed: int) -> list[int]:
        """Return the commands that are not needed once all shards have carried out those up to `obeyed`.

        A command that was taken back is dropped too, when it is certain that every agent knows.
        """
        given = self.after(0)
        last = {topic: one.number for one in given if (topic := _topic(one.command)) is not None}
        outdated = []
        for one in given[:-SHOWN_MAX]:
            is_last = last.get(_topic(one.command)) == one.number
            is_settled = one.number <= obeyed and one.given_at < now - SETTLED_SECONDS
            if not is_last or (_is_neutral(one.command) and is_settled):
                outdated.append(one.number)
        return outdated


def encoded(given: GivenCommand) -> bytes:
    """Return the stored form of a command."""
    return _encode(given)


def _topic(command: ClusterCommand) -> tuple[str, ...]:
    """Return what a command is about; only the last one about it counts."""
    match command:
        case PauseCrawl() | ResumeCrawl():
            return ("pause",)
        case StopCrawl():
            return ("stop",)
        case BlockHost(target) | UnblockHost(target):
            return ("block", target)
        case SlowHost(target):
            return ("slow", target)
        case Reconfigure(settings):
            return ("settings", *sorted(settings))
        case ForgetTarget(target):
            return ("forget", target)


def _is_neutral(command: ClusterCommand) -> bool:
    """Return whether a command leaves no state that agents that join later must know."""
    if isinstance(command, SlowHost):
        return command.delay == 0
    return isinstance(command, UnblockHost | ResumeCrawl | StopCrawl | Reconfigure)


def _order(given: GivenCommand) -> StandingOrder | None:
    match given.command:
        case BlockHost(target) | UnblockHost(target):
            is_blocked = isinstance(given.command, BlockHost)
            return StandingOrder(given.number, target, names_address(target), is_blocked=is_blocked)
        case SlowHost(target, delay):
            return StandingOrder(given.number, target, names_address(target), slowed_to=delay)
        case _:
            return None
