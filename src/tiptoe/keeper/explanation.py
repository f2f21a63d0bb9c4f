"""How is an operator told what became of a host or a page?

Facts in, plain sentences out. A sentence ends with what would change the matter, if anything would.
"""

import shlex
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Final

from tiptoe.frontier.host import HostState
from tiptoe.frontier.page_record import WAITING
from tiptoe.frontier.patience import Trouble
from tiptoe.frontier.priority import CLASSES
from tiptoe.frontier.reconsidering import DEPENDS_ON
from tiptoe.keeper.phrases import REMEDIES, day_text, moment_text, trouble_text
from tiptoe.keeper.unfollowed_links import may_be_unfollowed
from tiptoe.observe.amounts import counted, human_seconds
from tiptoe.observe.meanings import in_plain_words
from tiptoe.observe.outcomes import status_text
from tiptoe.protocol.whereabouts import HostWhereabouts, PageWhereabouts, Whereabouts
from tiptoe.url.dropped import Dropped

__all__ = ["explanation_of"]

SHUT_CRAWL: Final = {
    "operator": "The whole crawl is paused by the operator; `tiptoe resume` lets it go on.",
    "disk": "The whole crawl is paused because the disk is full (write.disk_free_min).",
    "schedule": "The whole crawl is paused outside the hours of crawl.schedule.",
}

NOT_FOUND: Final = frozenset({"http_404", "http_410"})

DOCUMENTS: Final = {
    "application/pdf": "a PDF document",
    "application/msword": "a Word document",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "a Word document",
    "application/vnd.oasis.opendocument.text": "an OpenDocument text",
    "application/rtf": "an RTF document",
    "application/epub+zip": "an EPUB book",
    "text/plain": "plain text",
}

TROUBLES: Final = frozenset(trouble.value for trouble in Trouble)

SAME_COMMAND: Final = frozenset({Trouble.OVERLOADED.value, Trouble.SERVER_ERROR.value})
"""Troubles whose remedy says that the same command tries again: that makes no sense in a story."""


def explanation_of(found: Whereabouts, host: str, directory: Path, zone: tzinfo | None = None) -> list[str]:
    """Return what became of a host, and of one of its pages, in sentences; the page comes first."""
    teller = _Explanation(found.now, zone, shlex.quote(str(directory)))
    if found.forgotten_as:
        return [teller.forgotten(found, host)]
    lines: list[str] = []
    if found.page is not None:
        lines += teller.page(found.page, found.host)
    if found.host is None:
        lines.append(
            f"{host} is not known here: no seed is on it, and no link that was followed leads there."
        )
    else:
        lines += teller.host(found.host)
    if found.is_never_met and (unfollowed := may_be_unfollowed(found.unfollowed)):
        lines.insert(1, unfollowed)  # after the sentence that it was never met
    if not found.is_running and found.host is not None:
        lines.append("The crawl is not running. When it continues, it does what has become due.")
    return lines + [SHUT_CRAWL.get(hold, f"The whole crawl is held: {hold}.") for hold in found.holds]


class _Explanation:
    """Puts facts into words, as of a moment."""

    def __init__(self, now: float, zone: tzinfo | None, directory: str) -> None:
        self._now = now
        self._zone = zone
        self._directory = directory  # quoted for a shell

    def forgotten(self, found: Whereabouts, host: str) -> str:
        asked = found.page.url if found.page is not None else host
        wish = "" if found.forgotten_as == asked else f" with {found.forgotten_as}"
        day = day_text(found.forgotten_at, self._zone)
        more = f"`tiptoe forget --list {self._directory}` tells more"
        return f"{asked} was forgotten on {day}{wish}, and is never requested; {more}."

    # -- a page ------------------------------------------------------------

    def page(self, page: PageWhereabouts, host: HostWhereabouts | None) -> Iterator[str]:
        place = self._place(page, host)
        yield from place
        if page.outcome and page.outcome != WAITING:
            yield self._visit(page, host)
        elif not place and page.is_met:
            unsearched = "; its host has too many requests to look through" if page.is_unsearched else ""
            yield (
                f"{page.url} was found, but is not waiting now: it was dropped, or was found under another "
                f"spelling{unsearched}."
            )
        elif not place:
            yield f"{page.url} was never found: it is not a seed, and no link that was followed leads there."
        if page.robots_line:
            yield (
                f"The robots.txt of its origin says `{page.robots_line}`: as long as it does, the page is "
                "not requested."
            )

    def _place(self, page: PageWhereabouts, host: HostWhereabouts | None) -> list[str]:
        found = f", found on {page.via}" if page.via else ""
        if page.is_underway:
            return [f"{page.url} is being requested now{found}."]
        if page.deferred_until:
            again = f"{self._at(page.deferred_until)}{found}"
            return [
                f"{page.url} was tried {counted(page.tries, 'time')} without success, "
                f"and is tried again {again}."
            ]
        if page.is_aside:
            why = trouble_text(host.gone_because) if host is not None and host.gone_because else "see there"
            return [f"{page.url} was laid aside with its host ({why}){found}; it comes back with it."]
        if page.queued_in is not None:
            return [f"{page.url} waits in the queue of its host, {_class_text(page)}{found}."]
        if page.is_unread:
            return [f"A link to {page.url} waits unread until it is the turn of its host."]
        return []

    def _visit(self, page: PageWhereabouts, host: HostWhereabouts | None) -> str:
        meaning = in_plain_words(page.outcome) or page.outcome.replace("_", " ")
        if page.outcome == Dropped.DOWNLIST:
            return f"{page.url} is not requested: others have downloaded it (crawl.downlist)."
        if page.outcome == "disallowed":
            return f"{page.url} was not requested {self._past(page.last_visit_at)}: robots.txt forbids it."
        times = f", {counted(page.visits, 'visit')} so far" if page.visits > 1 else ""
        text = f"{page.url} was requested {self._past(page.last_visit_at)}{times}: "
        if page.outcome == "redirect":
            text += f"it redirects to {page.location or 'another address'}"
        elif page.outcome == "ok":
            text += "received and read" + ("; its text is in the corpus" if page.is_in_corpus else "")
        elif page.document_fate:
            text += self._document(page)
        else:
            text += f"{_status_text(page) or meaning} ({page.outcome})" + self._page_remedy(page, host)
        if page.next_visit_at:
            text += f". The next visit is due {self._at(page.next_visit_at)}"
        return text + "."

    def _document(self, page: PageWhereabouts) -> str:
        kind = DOCUMENTS.get(page.document_type) or f"a document ({page.document_type})"
        match page.document_fate:
            case "converted":
                return f"it is {kind}; it was converted, and its text stands in the corpus"
            case "textless":
                return f"it is {kind}; `tiptoe convert` has read it, and no text of it entered the corpus"
            case _:
                return f"it is {kind}, and waits for `tiptoe convert {self._directory}` ({page.outcome})"

    def _page_remedy(self, page: PageWhereabouts, host: HostWhereabouts | None) -> str:
        if page.outcome in NOT_FOUND and page.via:
            return f" - the link is on {page.via}"
        if page.outcome == "http_404":
            return " - check the spelling of the seed" if page.depth == 0 else ""
        if page.outcome in TROUBLES and not page.next_visit_at and host is not None and not host.gone_because:
            line = f"`tiptoe crawl {shlex.quote(page.url)} --add-seeds --out {self._directory}`"
            return f"{_remedy(page.outcome)}; it was given up, and {line} requests it once more"
        return _remedy(page.outcome)

    # -- a host ------------------------------------------------------------

    def host(self, host: HostWhereabouts) -> Iterator[str]:
        if host.is_blocked:
            yield (
                f"{host.host} is blocked by the operator (politeness.blocked_hosts, or `tiptoe block`); "
                f"`tiptoe unblock {host.host} {self._directory}` allows requests again."
            )
        if host.is_address_blocked:
            undo = f"`tiptoe unblock {host.address} {self._directory}`"
            yield f"Its address {host.address} is blocked by the operator; {undo} allows requests again."
        yield self._state(host)
        yield from self._queue(host)
        yield from self._rules(host)
        if host.requests:
            ended = f"; the last visit ended {self._past(host.left_at)}" if host.left_at else ""
            asked = f"It was sent {counted(host.requests, 'request')} and gave {counted(host.pages, 'page')}"
            yield f"{asked} so far{ended}."

    def _state(self, host: HostWhereabouts) -> str:
        if host.lookup_at:
            why = f": {trouble_text(host.trouble)}" if host.trouble else ""
            return f"The name {host.host} is looked up again {self._at(host.lookup_at)}{why}."
        match HostState(host.state):
            case HostState.NEW:
                return f"The name {host.host} is to be looked up."
            case HostState.PARKED:
                return f"{host.host} waits {self._wait(host)}."
            case HostState.VISITED:
                return f"{host.host} is being visited now, at {host.address}."
            case HostState.IDLE:
                if (host.is_blocked or host.is_address_blocked) and (any(host.queued) or host.unread):
                    return f"What is to be requested from {host.host} waits until it is unblocked."
                if any(host.queued):  # `tiptoe forget` has taken some of its pages out
                    return f"What is to be requested from {host.host} waits until the crawl continues."
                return self._idle(host)
            case HostState.UNPRODUCTIVE:
                again = (
                    f"it may be tried again from {self._moment(host.rested_at)} on, if a link leads there "
                    "(frontier.unproductive_rest)"
                    if host.rested_at
                    else "for good (frontier.unproductive_rest)"
                )
                return (
                    f"{host.host} gave next to no usable text and is left alone: {again}; "
                    "with frontier.min_yield = 0, no host is left alone for that."
                )
            case HostState.GONE:
                return self._gone(host)

    def _idle(self, host: HostWhereabouts) -> str:
        if not host.deferred:
            return f"Nothing is left to request from {host.host}."
        if host.trouble == Trouble.OVERLOADED.value and host.deferred_at > self._now:
            return f"{host.host} asked us to wait until {self._moment(host.deferred_at)}."
        return f"Nothing is left to request from {host.host} except what is to be repeated."

    def _gone(self, host: HostWhereabouts) -> str:
        since = f" {self._past(host.troubled_at)}" if host.troubled_at else ""
        twin = f" ({host.twin})" if host.gone_because == Dropped.MIRROR and host.twin else ""
        why = in_plain_words(host.gone_because) or trouble_text(host.gone_because)
        text = f"{host.host} was given up{since}: {why}{twin}"
        text += _remedy(host.gone_because)
        if host.chance_at:
            return f"{text}. It gets another chance {self._at(host.chance_at)}."
        if settings := _settings_behind(host.gone_because):
            return f"{text}. It is judged again when {settings} changes, or when it is named as a seed again."
        return f"{text}."

    def _wait(self, host: HostWhereabouts) -> str:
        if host.held_until > self._now:
            why = trouble_text(host.trouble) if host.trouble else "it asked us to wait"
            count = f", {host.troubles} in a row" if host.troubles > 1 else ""
            return f"until {self._moment(host.held_until)}: {why}{count}"
        if host.is_address_busy:
            return f"while its address {host.address} is being visited"
        if host.free_at > self._now:
            return f"until {self._moment(host.free_at)}, while its address {host.address} rests after a visit"
        if host.next_at > self._now:
            return f"until {self._moment(host.next_at)}, the pause before its next request"
        return "for its turn, and may be visited now"

    def _queue(self, host: HostWhereabouts) -> Iterator[str]:
        new, again = sum(host.queued[:CLASSES]), sum(host.queued[CLASSES:])
        parts = [f"{counted(new, 'request')} in its queue"] if new else []
        parts += [f"{counted(again, 'page')} to be visited again"] if again else []
        parts += [self._repeated(host)] if host.deferred else []
        parts += [f"{counted(host.aside, 'request')} laid aside"] if host.aside else []
        parts += [f"{counted(host.unread, 'group')} of links not yet looked at"] if host.unread else []
        if parts:
            yield f"It has {', '.join(parts)}."

    def _repeated(self, host: HostWhereabouts) -> str:
        repeated = f"{counted(host.deferred, 'request')} to be repeated"
        if host.deferred_at <= self._now:
            return f"{repeated} later"
        return f"{repeated}{', the first' if host.deferred > 1 else ''} {self._at(host.deferred_at)}"

    def _rules(self, host: HostWhereabouts) -> Iterator[str]:
        for origin in host.origins:
            if origin.shut_until > self._now:
                until = self._moment(origin.shut_until)
                yield (
                    f"robots.txt of {origin.origin} cannot be fetched; nothing is requested there before "
                    f"{until}."
                )
            elif origin.fetched_at:
                read = f"robots.txt of {origin.origin}, read {self._past(origin.fetched_at)}"
                rules = counted(origin.rules, "rule") if origin.rules else "no rule"
                yield f"{read}, has {rules} for us."
        if host.crawl_delay:
            yield f"Its robots.txt asks for {human_seconds(host.crawl_delay)} between two requests."
        if host.slowed_to:
            yield f"The operator has slowed it: {human_seconds(host.slowed_to)} between two requests."

    def _moment(self, at: float) -> str:
        return moment_text(at, self._now, self._zone)

    def _at(self, at: float) -> str:
        return f"at {self._moment(at)}"

    def _past(self, at: float) -> str:
        """Return a past moment with its date, as in the logs: a story may be read much later, beside them."""
        return datetime.fromtimestamp(at, UTC).strftime("on %Y-%m-%d at %H:%M:%S UTC")


def _class_text(page: PageWhereabouts) -> str:
    if page.queued_in == CLASSES:
        return f"among the pages that are visited again, behind {counted(page.queued_before, 'other')}"
    behind = f"behind {counted(page.queued_before, 'other')} of it" if page.queued_before else "next of it"
    return f"in class {page.queued_in} (0 comes first, {CLASSES - 1} last), {behind}"


def _remedy(name: str) -> str:
    return f" - {REMEDIES[name]}" if name in REMEDIES and name not in SAME_COMMAND else ""


def _status_text(page: PageWhereabouts) -> str:
    """Return the HTTP status of an answer that is counted as a trouble."""
    if page.outcome not in TROUBLES or not page.status:
        return ""
    return f"{page.status} {status_text(f'http_{page.status}')}"


def _settings_behind(reason: str) -> str:
    settings = sorted(DEPENDS_ON[Trouble(reason)]) if reason in TROUBLES else []
    *others, last = settings or [""]
    return f"{', '.join(others)} or {last}" if others else last
