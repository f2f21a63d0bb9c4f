"""What does an operator want of a host or an address?

Blocked, slowed, or as before. A wish stands in the database, so it can be
uttered whether the crawl runs or not.
"""

import ipaddress
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tiptoe.errors import ProtocolError, SettingsError
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.keeper.database import DATABASE, claimed
from tiptoe.keeper.directory import MARKER
from tiptoe.protocol.messages import Command

__all__ = ["WISHES", "fulfil", "fulfil_stopped", "target_of"]


def fulfil(frontier: Frontier, command: Command, now: float) -> tuple[str, list[str]]:
    """Note a wish; return what there is to say, and the hosts whose visits have to end for it."""
    return WISHES[command.verb](frontier, target_of(command), command.value, now)


def fulfil_stopped(directory: Path, command: Command) -> str:
    """Note a wish in the database of a crawl that does not run."""
    if not (directory / MARKER).exists() or not (directory / DATABASE).exists():
        raise SettingsError(f"{directory}: no crawl lives there")
    with claimed(directory) as store:
        # The bounds of the crawl come with its next start; a wish asks for none of them.
        said, _ = fulfil(Frontier(store, FrontierPolicy()), command, time.time())
    return f"{said}, from the next start of the crawl on"


def target_of(command: Command) -> str:
    """Return the host or address that a command names."""
    target = command.argument.strip().lower().rstrip(".")
    if not target or "/" in target:
        raise ProtocolError(f"{command.argument!r} is no host name and no address")
    return target


def _block(frontier: Frontier, target: str, value: float, now: float) -> tuple[str, list[str]]:
    if _is_address(target):
        frontier.block_address(target)
        visited = frontier.visited_hosts(target)
    else:
        frontier.block(target, now)
        visited = [target]
    return f"{target} is not asked any more", visited


def _unblock(frontier: Frontier, target: str, value: float, now: float) -> tuple[str, list[str]]:
    if _is_address(target):
        frontier.block_address(target, is_blocked=False)
    else:
        record = frontier.host(target)
        if record is None or not record.is_blocked:
            return f"{target} was not blocked", []
        frontier.block(target, now, is_blocked=False)
    return f"{target} may be asked again", []


def _slow(frontier: Frontier, target: str, value: float, now: float) -> tuple[str, list[str]]:
    if value < 0:
        raise ProtocolError("a delay cannot be negative")
    if _is_address(target):
        frontier.slow_address(target, value)
        visited = frontier.visited_hosts(target)
    else:
        frontier.slow(target, value)
        visited = [target]
    # A visit under way ends; the next one has the new pace.
    return f"{target} is asked {_pace(value, frontier.policy.politeness.req_delay)}", visited


def _pace(wanted: float, usual: float) -> str:
    if wanted > usual:
        return f"at most every {wanted:g} s"
    # A wish makes a crawl slower, never faster.
    return "as often as the settings say" + (f", at most every {usual:g} s" if wanted else "")


def _is_address(target: str) -> bool:
    try:
        ipaddress.ip_address(target)
    except ValueError:
        return False
    return True


WISHES: Final[dict[str, Callable[[Frontier, str, float, float], tuple[str, list[str]]]]] = {
    "block": _block,
    "unblock": _unblock,
    "slow": _slow,
}
