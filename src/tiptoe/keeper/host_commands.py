"""How is a host or an address blocked or slowed, and how is that undone?

The operator's decision is kept in the database, so the command works whether the crawl
is running or not.
"""

import ipaddress
import time
from dataclasses import dataclass, field
from pathlib import Path

from tiptoe.errors import ProtocolError
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.keeper.database import DATABASE, claimed
from tiptoe.observe.crawl_marker import MARKER, no_crawl
from tiptoe.protocol.operator import BlockHost, HostCommand, SlowHost
from tiptoe.url.hostnames import canonical_host

__all__ = ["CarriedOut", "carry_out", "carry_out_stopped", "host_named", "names_address"]


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """The reply to a command, and the hosts whose visits it ends."""

    message: str
    hosts: list[str] = field(default_factory=list)
    is_change: bool = True  # False: nothing was different before


def carry_out(frontier: CrawlFrontier, command: HostCommand, now: float) -> CarriedOut:
    """Carry out a command in the frontier; return the result."""
    target = host_named(command.target)
    is_address = names_address(target)
    if isinstance(command, SlowHost):
        if command.delay < 0:
            raise ProtocolError("a delay cannot be negative")
        if is_address:
            frontier.slow_address(target, command.delay)
        else:
            frontier.slow(target, command.delay)
        # A visit under way ends, so that the next one uses the new pace.
        text = f"{target} gets requests {_pace(command.delay, frontier.policy.politeness.req_delay)}"
    elif isinstance(command, BlockHost):
        if is_address:
            frontier.block_address(target)
        else:
            frontier.block(target, now)
        text = f"{target} gets no more requests"
    else:
        return _unblock(frontier, target, now, is_address=is_address)
    return CarriedOut(text, frontier.visited_hosts(target) if is_address else [target])


def carry_out_stopped(directory: Path, command: HostCommand, *, usual_delay: float = 0.0) -> str:
    """Carry out a command in the database of a crawl that is not running; `usual_delay` is its req-delay."""
    if not (directory / MARKER).exists() or not (directory / DATABASE).exists():
        raise no_crawl(directory)
    # The crawl's other settings are not known here, and a command needs none of them.
    policy = FrontierPolicy(politeness=Politeness(req_delay=usual_delay))
    with claimed(directory) as store:
        done = carry_out(Frontier(store, policy), command, time.time())
    return f"{done.message}, from the next start of the crawl on" if done.is_change else done.message


def host_named(target: str) -> str:
    """Return the host or address that a command names, in the form that the crawl uses."""
    try:
        return canonical_host(target)
    except ValueError as problem:
        raise ProtocolError(f"{target!r} is {problem}") from None


def _unblock(frontier: CrawlFrontier, target: str, now: float, *, is_address: bool) -> CarriedOut:
    if is_address:
        frontier.block_address(target, is_blocked=False)
    else:
        record = frontier.host(target)
        if record is None or not record.is_blocked:
            return CarriedOut(f"{target} was not blocked", is_change=False)
        frontier.block(target, now, is_blocked=False)
    return CarriedOut(f"{target} may be visited again")


def _pace(wanted: float, usual: float) -> str:
    if wanted > usual:
        return f"at most every {wanted:g} s"
    # An operator can make a crawl slower, never faster.
    return "as often as the settings say" + (f", at most every {usual:g} s" if wanted else "")


def names_address(target: str) -> bool:
    """Whether a command is about an IP address."""
    try:
        ipaddress.ip_address(target)
    except ValueError:
        return False
    return True
