"""How is an operator told what state a crawl is in, what it waits for, and why it brought nothing?

One place for the live display, `tiptoe status`, the log and the summary.
"""

import shlex
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tiptoe.frontier.counters import Gauges
from tiptoe.frontier.patience import Trouble
from tiptoe.observe.amounts import counted, human_count, human_seconds, human_share, was
from tiptoe.observe.meanings import in_plain_words
from tiptoe.observe.outcomes import status_text
from tiptoe.protocol.status import Cause, Status, Waiting, WaitReason
from tiptoe.url.dropped import Dropped

__all__ = [
    "blocked_text",
    "copies_text",
    "day_text",
    "failure_text",
    "given_up_text",
    "hindrance_text",
    "logins_text",
    "moment_text",
    "next_text",
    "reason_texts",
    "trouble_text",
    "waiting_text",
]

DATE_FROM_SECONDS: Final = 12 * 3600.0
"""A moment farther away than this is given with its date."""

SOON_SECONDS: Final = 2.0
"""Minimum distance of a moment that is mentioned; nearer ones are not."""

GIVEN_UP_SHOWN: Final = 5

TROUBLES: Final[Mapping[str, str]] = {
    Trouble.OVERLOADED.value: "429 or 503",
    Trouble.SERVER_ERROR.value: "server error",
    Trouble.ROBOTS_UNREACHABLE.value: "robots.txt could not be fetched",
    Trouble.NO_SUCH_HOST.value: "name not found",
    Trouble.DNS_FAILED.value: "name could not be looked up",
    Trouble.PRIVATE_ADDRESS.value: "address in a private network",
    Trouble.REFUSED.value: "connection refused",
    Trouble.UNREACHABLE.value: "no route to the address",
    Trouble.TIMED_OUT.value: "no answer in time",
    Trouble.TOO_SLOW.value: "answer too slow",
    Trouble.RESET.value: "connection broken",
    Trouble.TLS_FAILED.value: "no secure connection",
    Trouble.BAD_ANSWER.value: "answer that is not HTTP",
    Trouble.HEADERS_TOO_BIG.value: "headers too big",
    Trouble.BAD_URL.value: "address that cannot be requested",
    Trouble.HARVESTER_LOST.value: "one of our processes died while handling it",
    Trouble.CHALLENGE.value: "check for browsers or people",
    Trouble.BROKEN_OFF.value: "page that ends too early",
    Trouble.LOGIN_FAILED.value: "the login did not work",
}

REMEDIES: Final[Mapping[str, str]] = {
    Trouble.NO_SUCH_HOST.value: "check the spelling, and fetch.nameservers",
    Trouble.DNS_FAILED.value: "check the name server, see fetch.nameservers",
    Trouble.PRIVATE_ADDRESS.value: "if it is your own, allow it, as in --set "
    "fetch.allow_networks=10.0.0.0/8; 127.0.0.0/8 is this machine",
    Trouble.REFUSED.value: "check the port, and fetch.proxy",
    Trouble.UNREACHABLE.value: "check our own connection, and fetch.proxy",
    Trouble.TIMED_OUT.value: "fetch.connect_timeout and fetch.total_timeout say how long we wait",
    Trouble.TOO_SLOW.value: "fetch.total_timeout says how long we wait",
    Trouble.HEADERS_TOO_BIG.value: "fetch.header_max says how much we take",
    Trouble.TLS_FAILED.value: "try http:// in place of https://",
    Trouble.ROBOTS_UNREACHABLE.value: "as long as robots.txt cannot be read, nothing may be requested",
    Trouble.OVERLOADED.value: "go on later: the same command tries again",
    Trouble.SERVER_ERROR.value: "go on later: the same command tries again",
    Trouble.CHALLENGE.value: "the site wants no robots, or does not know this one",
    Trouble.LOGIN_FAILED.value: "check the rules and secrets of fetch.access; the next start tries again",
    Dropped.CRAWL_DELAY: "the pauses that its robots.txt asks for leave no room for a page",
    Dropped.MIRROR: "a crawl that begins with frontier.leave_mirrors = false keeps both",
    Dropped.DOWNLIST: "see crawl.downlist",
    "http_401": "fetch.access has rules for a login",
    "http_403": "only its owner can change that; crawl.name and crawl.contact say who asks",
    "http_404": "check the spelling of the seeds",
    "disallowed": "`tiptoe why URL DIR` shows the line that does",
    Dropped.OUT_OF_SCOPE: "`tiptoe scope explain` names the setting",
    Dropped.LINK_FILTERED: "`tiptoe filters explain` names the line",
    "filtered": "`tiptoe filters explain` names the line",
    "no_text": "pages that only scripts fill have none; an archive keeps them all the same",
    "no_main_text": "see text.extraction",
    "duplicate": "see text.duplicity and text.duplicity_max",
    "not_html": "see documents.convert for pdf, doc and the like",
    "noindex": "only their owners can change that; the archive has them",
    "other_language": "see text.languages",
    "too_short": "see text.min_chars",
    "tdm_reserved": "see text.respect_tdm",
    Dropped.FORGOTTEN: "`tiptoe forget --list DIR` tells what and why",
}
"""What can be done about a trouble or a discard, if anything."""


def trouble_text(trouble: str) -> str:
    """Return a description of a trouble in a few words."""
    return TROUBLES.get(trouble) or status_text(trouble) or trouble.replace("_", " ")


def moment_text(at: float, now: float, zone: tzinfo | None = None) -> str:
    """Return a moment as the time of day, here or in another zone, with its date if it is far away."""
    moment = _moment_in(at, zone)
    form = "%H:%M:%S" if abs(at - now) < DATE_FROM_SECONDS else "%Y-%m-%d %H:%M"
    return moment.strftime(form) + ("Z" if zone is UTC else "")


def day_text(at: float, zone: tzinfo | None = None) -> str:
    """Return the day of a moment, here or in another zone."""
    return _moment_in(at, zone).strftime("%Y-%m-%d")


def waiting_text(
    waiting: Waiting, now: float, *, reasons_max: int | None = None, zone: tzinfo | None = None
) -> str:
    """Return in one line what the crawl waits for; empty if nothing."""
    said = reason_texts(waiting, now, zone)
    parts = said if reasons_max is None else said[:reasons_max]
    if len(parts) < len(said):
        parts = [*parts, f"{counted(len(said) - len(parts), 'more reason')} (tiptoe status)"]
    if not parts:
        return ""
    return "; ".join([*parts, *filter(None, [next_text(waiting, now, zone)])])


def reason_texts(waiting: Waiting, now: float, zone: tzinfo | None = None) -> list[str]:
    """Return each reason in words."""
    lines = [WORDS[reason.cause](reason, now, zone) for reason in waiting.reasons]
    if waiting.more_hosts:
        lines.append(f"{counted(waiting.more_hosts, 'more host')} on disk behind them")
    return lines


def next_text(waiting: Waiting, now: float, zone: tzinfo | None = None) -> str:
    """Return when the crawl goes on, unless that is soon; as a span if a single reason gives the moment."""
    at = waiting.next_at
    if at is None or at - now < SOON_SECONDS or any(reason.cause in PAUSES for reason in waiting.reasons):
        return ""
    if len(waiting.reasons) == 1 and waiting.reasons[0].next_at == at:
        is_told = _is_peace(waiting.reasons[0])
        return "" if is_told else f"continues in {human_seconds(at - now)}"
    return f"next at {moment_text(at, now, zone)}, in {human_seconds(at - now)}"


def failure_text(
    outcomes: Mapping[str, int], gone: Mapping[str, int], discards: Mapping[str, int] = MappingProxyType({}),
    *, waiting: int = 0,
) -> list[str]:  # fmt: skip
    """Return why a crawl has brought nothing: a line for each trouble, with what can be done about it.

    `outcomes`: requests by outcome; `gone`: hosts that were given up, by reason; `discards`: what was
    rejected, of which only what the operator can change is named; `waiting`: what has not been requested yet.
    """
    lines = []
    for name, count in sorted(gone.items(), key=lambda pair: -pair[1]):
        lines.append(_with_remedy(f"{counted(count, 'host')} given up: {trouble_text(name)}", name))
    changeable = {name: count for name, count in discards.items() if name in REMEDIES}
    for name, count in sorted({**changeable, **outcomes}.items(), key=lambda pair: -pair[1]):
        is_told = name in gone or (gone and name == Trouble.ROBOTS_UNREACHABLE.value)
        if not is_told and name not in FINE:
            lines.append(_with_remedy(f"{counted(count, 'time')}: {trouble_text(name)}", name))
    if waiting and not lines:
        lines.append(f"{counted(waiting, 'address', 'addresses')} {was(waiting)} not requested yet")
    return lines or ["there was nothing to request"]


def blocked_text(gauges: Gauges, directory: Path) -> str:
    """Return what is left on blocked hosts when a crawl has nothing else to do; empty if nothing is."""
    left = gauges.queued - gauges.unproductive
    if left <= 0 or not (gauges.barred_hosts or gauges.blocked_hosts):
        return ""
    return (
        f"What is left, {counted(left, 'address', 'addresses')}, is on hosts or at IP addresses that are "
        f"blocked; `tiptoe unblock HOST {shlex.quote(str(directory))}` allows requests to them again"
    )


def given_up_text(hosts: Mapping[str, str], gone: Mapping[str, int]) -> str:
    """Return which hosts were given up: the names of some, and the total number.

    `hosts`: those of this run, with the reason; `gone`: how many by reason, earlier runs included.
    """
    if not hosts and gone:
        total = sum(gone.values())
        reasons = [
            trouble_text(reason) if count == total else f"{trouble_text(reason)}: {human_count(count)}"
            for reason, count in gone.items()
            if count
        ]
        return f"{counted(total, 'host')} in earlier runs ({', '.join(reasons)})" if reasons else ""
    named = [f"{host} ({trouble_text(reason)})" for host, reason in list(hosts.items())[:GIVEN_UP_SHOWN]]
    more = sum(gone.values()) - len(named)
    return ", ".join([*named, *([f"{counted(more, 'more host')}"] if more > 0 else [])])


def logins_text(faults: Mapping[str, str]) -> str:
    """Return which hosts did not let us in, and why: the names of some, and how many more there are."""
    named = [f"{host}: the login did not work: {why}" for host, why in list(faults.items())[:GIVEN_UP_SHOWN]]
    more = len(faults) - len(named)
    return "; ".join([*named, *([counted(more, "more host")] if more > 0 else [])])


def copies_text(status: Status) -> str:
    """Return how fresh our copies of pages are between visits; empty if that is unknown."""
    if not status.watched_seconds:
        return ""
    fresh = human_share(status.fresh_seconds, status.watched_seconds)
    return f"{fresh} up to date, {human_seconds(status.aged_seconds / status.watched_seconds)} behind, mean"


def hindrance_text(status: Status) -> str:
    """Return what requests led to while no page has come: a mistyped name, a broken line."""
    if status.pages:
        return ""
    met = [(count, name) for name, count in status.outcomes.items() if name not in ON_THE_WAY]
    if Trouble.PRIVATE_ADDRESS.value not in status.gone_hosts:  # allowed since then, so no cause now
        met = [(count, name) for count, name in met if name != Trouble.PRIVATE_ADDRESS.value]
    for follows in (Dropped.HOST_GONE, Trouble.ROBOTS_UNREACHABLE.value):
        if len(met) > 1:  # its cause is among the others
            met = [(count, name) for count, name in met if name != follows]
    return ", ".join(
        f"{in_plain_words(name) or name}: {human_count(count)}" for count, name in sorted(met)[:-3:-1]
    )


ON_THE_WAY: Final = frozenset({"ok", "redirect", "robots_rules", "robots_moved"})
"""Outcomes that are normal before the first page has come."""

FINE: Final = ON_THE_WAY | {Dropped.HOST_GONE}
"""Outcomes that do not explain why a crawl has brought nothing."""


def _moment_in(at: float, zone: tzinfo | None) -> datetime:
    moment = datetime.fromtimestamp(at, zone or UTC)
    return moment.astimezone() if zone is None else moment


def _with_remedy(line: str, name: str) -> str:
    remedy = REMEDIES.get(name, "")
    return f"{line} ({remedy})" if remedy else line


# -- one reason -----------------------------------------------------------

Say = Callable[[WaitReason, float, tzinfo | None], str]


def _plain(text: str, moment: str = "next at") -> Say:
    """Return a function that words a reason without a count."""
    return lambda reason, now, zone: text + _when(reason, now, zone, moment)


def _counted(one: str, singular: str, plural: str, moment: str = "next at") -> Say:
    """Return a function that words a reason as how many things wait, and when the first one goes on."""

    def say(reason: WaitReason, now: float, zone: tzinfo | None) -> str:
        verb = singular if reason.count == 1 else plural
        return f"{counted(reason.count, one)} {verb}{_when(reason, now, zone, moment)}"

    return say


def _when(reason: WaitReason, now: float, zone: tzinfo | None, word: str) -> str:
    if reason.next_at is None or reason.next_at <= now:
        return ""
    name = f"{reason.host} " if reason.host and reason.count != 1 else ""
    return f" ({name}{word} {moment_text(reason.next_at, now, zone)})"


def _peace(reason: WaitReason, now: float, zone: tzinfo | None) -> str:
    if reason.next_at is None:
        return f"{counted(reason.count, 'host')} asked us to wait"
    until = f"until {moment_text(reason.next_at, now, zone)}, {human_seconds(reason.next_at - now)} from now"
    if reason.count == 1:
        return f"{reason.host} asked us to wait {until}"
    return f"{counted(reason.count, 'host')} asked us to wait ({reason.host} {until})"


def _again(one: str, what: str) -> Say:
    """Return a function that words a reason as what is repeated, for how many, and after which trouble."""

    def say(reason: WaitReason, now: float, zone: tzinfo | None) -> str:
        who = reason.host if reason.count == 1 and reason.host else counted(reason.count, one)
        verb = "is" if reason.count == 1 else "are"
        why = f": {trouble_text(reason.trouble)}" if reason.trouble else ""
        return f"{who} {verb} {what}{why}{_when(reason, now, zone, 'at')}"

    return say


def _deferred(reason: WaitReason, now: float, zone: tzinfo | None) -> str:
    if _is_peace(reason):
        return _peace(reason, now, zone)
    if reason.count == 1 and reason.host:
        why = f": {trouble_text(reason.trouble)}" if reason.trouble else ""
        return f"a request to {reason.host} is to be repeated{why}{_when(reason, now, zone, 'at')}"
    verb = "is" if reason.count == 1 else "are"
    return f"{counted(reason.count, 'request')} {verb} to be repeated{_when(reason, now, zone, 'at')}"


def _is_peace(reason: WaitReason) -> bool:
    """Whether a single host has asked us to leave it alone, even if only for one request."""
    if reason.cause is Cause.DEFERRED:
        return reason.count == 1 and reason.trouble == Trouble.OVERLOADED.value and bool(reason.host)
    return reason.cause is Cause.PEACE


def _servers(reason: WaitReason, now: float, zone: tzinfo | None) -> str:
    heard = f" ({reason.trouble})" if reason.trouble else ""
    return f"the servers of the cluster do not confirm what this machine holds{heard}; it requests nothing"


PAUSES: Final = frozenset({Cause.OPERATOR, Cause.DISK, Cause.SCHEDULE, Cause.SERVERS})

WORDS: Final[Mapping[Cause, Say]] = {
    Cause.OPERATOR: _plain("paused by the operator, until `tiptoe resume`"),
    Cause.DISK: _plain("paused because the disk is full, until there is room (write.disk_free_min)"),
    Cause.SCHEDULE: _plain("paused outside the hours of crawl.schedule", "until"),
    Cause.LINE: _plain("nobody answers: our own connection seems to be down", "tried again at"),
    Cause.SERVERS: _servers,
    Cause.RESTART: _plain("every address rests once after a crash", "until"),
    Cause.NAMES: _plain("our name server does not answer (fetch.nameservers)", "tried again at"),
    Cause.HARVESTERS: _plain("no harvester has room for a visit"),
    Cause.EXCHANGE: _plain("addresses found since the last exchange wait for the next one (crawl.claims)"),
    Cause.LIMIT: _plain("a limit of the crawl is reached (crawl.max_pages, crawl.max_bytes)"),
    Cause.LOOKUP: _counted("name", "is being looked up", "are being looked up"),
    Cause.REST: _counted(
        "host", "waits while its address rests after a visit", "wait while their addresses rest after a visit"
    ),
    Cause.PEACE: _peace,
    Cause.TROUBLE: _again("host", "tried again later"),
    Cause.ROBOTS: _again("host", "asked for robots.txt again"),
    Cause.LOOKUP_AGAIN: _again("name", "looked up again"),
    Cause.DEFERRED: _deferred,
    Cause.BLOCKED: _counted("host", "is blocked by the operator", "are blocked by the operator"),
    Cause.REVISIT: _counted("page", "is visited again when due", "are visited again when due"),
    Cause.IDLE: _plain("nothing left to request: idle, until there are new seeds or `tiptoe stop`"),
    Cause.END_COMMAND: _plain("nothing left to request; crawl.on_end_command is at work"),
}
