"""How is a single page obtained for an operator who tries filters?

From the archive of the crawl if possible; otherwise from its server, on behalf of the crawl and by its rules:
robots.txt, pauses, blocked hosts, permitted networks and hours. Every request is written to the request log,
`log/requests-apart-*.jsonl`, and the next run of the crawl lets the address rest. No request is made while a
keeper is running: only the keeper knows when each address was last visited.
"""

import asyncio
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from tiptoe.cli.archived_page import newest_answer
from tiptoe.cluster.member_file import read_member
from tiptoe.compose_harvester import build_resolver, lone_visit_tools
from tiptoe.errors import CrawlerError, CrawlInUse
from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.harvest.lone_visit import LoneVisit
from tiptoe.keeper.directory import APART, CrawlDirectory
from tiptoe.keeper.lone_requests import CrawlLeave, LoneRequest, Moment, leave_of, note_request
from tiptoe.keeper.overview import LINE
from tiptoe.observe.meanings import in_plain_words
from tiptoe.observe.run_figures import read_runs
from tiptoe.settings.layers import Settings
from tiptoe.settings.opening_hours import OpeningHours, zone_named
from tiptoe.url.address import host_of
from tiptoe.write.logclock import machine_boot, machine_count

__all__ = ["NotAsked", "page_on_request"]

PAGE_BYTES_MAX: Final = 5 << 20
VISIT_SECONDS_MAX: Final = 300.0
"""Longer than any visit takes; the address is left alone for this time if we are killed during the visit."""

FIRST_NUMBER: Final = 1 << 38
"""Lowest number of these visits, far above those of the keeper, which start at 1."""


class NotAsked(CrawlerError):
    """A page was not requested, or its server did not answer; the message says why."""


def page_on_request(directory: Path, settings: Settings, url: str) -> tuple[Answer, bool]:
    """Return the answer for a page (a canonical URL), and whether it is from the archive.

    Raise NotAsked if there is none.
    """
    if not url.startswith(("http://", "https://")):
        raise NotAsked(f"{url}: only pages of the web are fetched")
    if (answer := newest_answer(directory, url, bytes_max=PAGE_BYTES_MAX)) is not None:
        return answer, True
    if settings.cluster.servers or read_member(directory) is not None:
        raise NotAsked("the crawl runs on many machines, and only they know who was asked last")
    settings.user_agent("")  # raises if there is no contact: no requests without one
    crawl = CrawlDirectory(directory)
    try:
        crawl.take_lock()
    except CrawlInUse:
        raise NotAsked(
            "the crawl runs, and it alone knows who was asked last: only pages of its archive can be had, "
            "and this one is not there"
        ) from None
    try:
        _expect_time(directory, settings)
        return asyncio.run(_ask(directory, settings, url)), False
    finally:
        crawl.release()


def _expect_time(directory: Path, settings: Settings) -> None:
    """Raise NotAsked while the crawl must not make requests."""
    own = settings.crawl
    is_open, _ = OpeningHours.read(own.schedule, zone_named(own.time_zone)).at(time.time())
    if not is_open:
        raise NotAsked("nobody is asked at this hour (crawl.schedule)")
    last = read_runs(directory).last
    holds = set(last.holds) - {LINE} if last is not None else set()
    if holds:
        raise NotAsked(f"the crawl was held when it ended ({', '.join(sorted(holds))}); start it to go on")


async def _ask(directory: Path, settings: Settings, url: str) -> Answer:
    host, resolver = host_of(url), build_resolver(settings)
    try:
        found = await resolver.resolve(host)
    finally:
        await resolver.close()
    if found.address is None:
        why = in_plain_words(found.failure.value) if found.failure is not None else "its name is not known"
        raise NotAsked(f"{host}: {why}")
    leave = _leave(directory, settings, url, host, found.address)
    if leave.hindrance:
        raise NotAsked(leave.hindrance)
    (directory / "log").mkdir(parents=True, exist_ok=True)
    incarnation = f"{APART}{time.time_ns() // 1000:x}"
    with TemporaryDirectory(prefix="tiptoe-") as scratch:
        tools = lone_visit_tools(settings, directory, incarnation, Path(scratch))
        visit = LoneVisit(
            url, found.address, tools, number=FIRST_NUMBER + int(time.time() * 1000) % FIRST_NUMBER,
            slowed_to=leave.slowed_to, reads_tdmrep=settings.text.respect_tdm,
        )  # fmt: skip
        try:
            return await _visit(directory, LoneRequest(host, found.address, _now(), 0.0), visit, settings)
        finally:
            tools.outputs.close()
            tools.busy.close()
            tools.log.close()
            await tools.client.close()
            await tools.resolver.close()


async def _visit(directory: Path, asked: LoneRequest, visit: LoneVisit, settings: Settings) -> Answer:
    """Make a visit, recorded for the crawl before it begins and after it has ended."""
    most = VISIT_SECONDS_MAX + settings.politeness.general_pause
    note_request(directory, msgspec.structs.replace(asked, rest_seconds=most))
    page = await visit.make()
    note_request(directory, msgspec.structs.replace(asked, asked=_now(), rest_seconds=visit.rest_seconds))
    if isinstance(page.answer, Failed):
        raise NotAsked(f"{asked.host}: {in_plain_words(page.answer.failure.value)}")
    if page.answer is None:
        raise NotAsked(page.hindrance)
    return page.answer


def _leave(directory: Path, settings: Settings, url: str, host: str, address: str) -> CrawlLeave:
    own = settings.politeness
    if {host, address} & set(own.blocked_hosts):
        return CrawlLeave(hindrance=f"{host} is blocked (politeness.blocked_hosts)")
    leave = leave_of(
        directory, url, host, address, _now(),
        general_pause=own.general_pause, cdn_ranges=own.cdn_ranges,
    )  # fmt: skip
    slowed = [own.slowed_delays.get(name, 0.0) for name in (host, address)]
    return CrawlLeave(hindrance=leave.hindrance, slowed_to=max(leave.slowed_to, *slowed))


def _now() -> Moment:
    return Moment(time.time(), machine_count(), machine_boot())
