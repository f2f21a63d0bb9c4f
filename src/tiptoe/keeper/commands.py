"""What can an operator ask of a running crawl?

One function per verb. Commands come over the keeper's socket, which only its
owner can open; they act at once, also on visits under way.
"""

import ipaddress
from collections.abc import Callable
from typing import Final

import psutil

from tiptoe.errors import ProtocolError
from tiptoe.keeper.document_links import take_links
from tiptoe.keeper.protocol import Command
from tiptoe.keeper.service import Keeper
from tiptoe.write.documents import DOCUMENTS_FOLDER
from tiptoe.write.foundlinks import waiting_links

__all__ = ["VERBS", "answer", "status"]


def answer(keeper: Keeper, command: Command) -> dict[str, object]:
    """Carry out a command and return what there is to say."""
    verb = VERBS.get(command.verb)
    if verb is None:
        raise ProtocolError(f"unknown command {command.verb!r}; known are {', '.join(sorted(VERBS))}")
    return verb(keeper, command)


def status(keeper: Keeper, command: Command | None = None) -> dict[str, object]:
    """Return the figures of the crawl as they are now."""
    counters = keeper.frontier.counters
    process = psutil.Process()
    return {
        "pages": counters.pages,
        "requests": counters.requests,
        "bytes": counters.body_bytes,
        "text_chars": counters.text_chars,
        "urls": counters.urls,
        "queued": counters.queued,
        "leased": counters.leased,
        "due": counters.due,
        "hosts": counters.hosts,
        "parked_hosts": counters.parked_hosts,
        "new_hosts": counters.new_hosts,
        "visits": counters.visits,
        "open_visits": sum(len(member.visits) for member in keeper.roster.members.values()),
        "harvesters": len(keeper.roster.members),
        "lost_harvesters": keeper.figures.lost_harvesters,
        "holds": sorted(keeper.holds),
        "troubles": sorted({member.trouble for member in keeper.roster.members.values() if member.trouble}),
        "outcomes": dict(counters.outcomes),
        "discards": dict(counters.discards),
        "activities": dict(keeper.figures.activities),
        "repaired": list(keeper.figures.repaired),
        "seconds": keeper.clock.now() - keeper.figures.started_at,
        "memory_bytes": process.memory_info().rss,
        "cpu_seconds": sum(process.cpu_times()[:2]),
        "stopped_because": keeper.figures.stopped_because,
    }


def _pause(keeper: Keeper, command: Command) -> dict[str, object]:
    keeper.hold("operator")
    return {"said": "no further request is made until `tiptoe resume`"}


def _resume(keeper: Keeper, command: Command) -> dict[str, object]:
    keeper.go_on("operator")
    left = f"; still held: {', '.join(sorted(keeper.holds))}" if keeper.holds else ""
    return {"said": f"the crawl goes on{left}"}


def _block(keeper: Keeper, command: Command) -> dict[str, object]:
    target = _target(command)
    if _is_address(target):
        keeper.frontier.block_address(target)
        for host in keeper.frontier.visited_hosts(target):
            keeper.cancel(host)
    else:
        keeper.frontier.block(target, keeper.clock.now())
        keeper.cancel(target)
    return {"said": f"{target} is not asked any more"}


def _unblock(keeper: Keeper, command: Command) -> dict[str, object]:
    target = _target(command)
    if _is_address(target):
        keeper.frontier.block_address(target, is_blocked=False)
    else:
        keeper.frontier.block(target, keeper.clock.now(), is_blocked=False)
    return {"said": f"{target} may be asked again"}


def _slow(keeper: Keeper, command: Command) -> dict[str, object]:
    target = _target(command)
    if command.value < 0:
        raise ProtocolError("a delay cannot be negative")
    if _is_address(target):
        keeper.frontier.slow_address(target, command.value)
        visited = keeper.frontier.visited_hosts(target)
    else:
        keeper.frontier.slow(target, command.value)
        visited = [target]
    for host in visited:  # a visit under way ends; the next one has the new pace
        keeper.cancel(host)
    return {"said": f"{target} is asked at most every {command.value:g} s"}


def _documents(keeper: Keeper, command: Command) -> dict[str, object]:
    marks = keeper.frontier.marks()
    return {"lists": {name: size for name, size in marks.items() if name.startswith(f"{DOCUMENTS_FOLDER}/")}}


def _links(keeper: Keeper, command: Command) -> dict[str, object]:
    taken = take_links(keeper.frontier, keeper.plan.directory, keeper.clock.now())
    return {"taken": taken, "left": len(waiting_links(keeper.plan.directory))}


def _host(keeper: Keeper, command: Command) -> dict[str, object]:
    record = keeper.frontier.host(_target(command))
    if record is None:
        raise ProtocolError(f"{command.argument}: never heard of")
    return {"said": repr(record)}


def _stop(keeper: Keeper, command: Command) -> dict[str, object]:
    keeper.stop("stopped by the operator")
    return {"said": "requests under way are finished, then the crawl stops"}


def _target(command: Command) -> str:
    target = command.argument.strip().lower().rstrip(".")
    if not target or "/" in target:
        raise ProtocolError(f"{command.argument!r} is no host name and no address")
    return target


def _is_address(target: str) -> bool:
    try:
        ipaddress.ip_address(target)
    except ValueError:
        return False
    return True


VERBS: Final[dict[str, Callable[[Keeper, Command], dict[str, object]]]] = {
    "status": status,
    "pause": _pause,
    "resume": _resume,
    "block": _block,
    "unblock": _unblock,
    "slow": _slow,
    "documents": _documents,
    "links": _links,
    "host": _host,
    "stop": _stop,
}
