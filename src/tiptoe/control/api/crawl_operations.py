"""The API's operations on crawls."""

from typing import Annotated, Final

import msgspec

from tiptoe.control.api_operation import ApiCall, ApiOperation
from tiptoe.control.crawl_actions import ActionDone, CrawlActions
from tiptoe.control.crawl_facts import CrawlFacts, CrawlSummary, crawl_facts, crawl_summary
from tiptoe.control.crawl_logs import log_files, log_tail
from tiptoe.control.figure_history import FigureSample
from tiptoe.control.host_index import QueueRank
from tiptoe.control.left_out import LeftOut, read_left_out
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem

__all__ = ["OPERATIONS"]

BUILDING_SECONDS: Final = 5


class Since(msgspec.Struct):
    """Which samples to return."""

    since: float = 0.0  # seconds since 1970


class LogQuery(msgspec.Struct):
    """Which lines to return."""

    file: str = "keeper.log"
    words: str = ""


class SamplesQuery(msgspec.Struct):
    """How many examples of each reason to return."""

    samples: Annotated[int, msgspec.Meta(ge=0, le=20)] = 5


class DoneReply(msgspec.Struct, frozen=True):
    """What was done."""

    message: str


class HostBody(msgspec.Struct):
    """A host name or an IP address."""

    host: str


class SlowBody(msgspec.Struct):
    """A host or address, and the delay between requests to it; 0 = as configured."""

    host: str
    delay_seconds: float = 60.0


class CloneBody(msgspec.Struct):
    """The name of the copy."""

    name: str


class LiveBody(msgspec.Struct):
    """Live settings by full name, with values as written in a file."""

    settings: dict[str, str]


class SettingReply(msgspec.Struct, frozen=True):
    """What has changed: the previous value, and the new one."""

    changes: dict[str, tuple[str, str]]


class PathBody(msgspec.Struct):
    """The directory of a crawl on the machine of the server."""

    directory: str


def list_crawls(call: ApiCall) -> list[CrawlSummary]:
    return [crawl_summary(seen) for seen in call.parts.watch.list_all()]


def show_crawl(call: ApiCall) -> CrawlFacts:
    return crawl_facts(call.parts.watch.find(call.parts.crawls.get(call.path["crawl"])))


def list_samples(call: ApiCall) -> list[FigureSample]:
    crawl = call.parts.crawls.get(call.path["crawl"])
    return call.parts.watch.history(crawl.name).since(call.query.since)


def read_log(call: ApiCall) -> list[str]:
    crawl = call.parts.crawls.get(call.path["crawl"])
    lines = log_tail(crawl.directory, call.query.file, call.query.words)
    if lines is None:
        known = ", ".join(log_files(crawl.directory)) or "none"
        raise WebProblem(404, f"there is no such log; there are {known}")
    return lines


def show_left_out(call: ApiCall) -> LeftOut:
    return read_left_out(call.parts.crawls.get(call.path["crawl"]).directory, call.query.samples)


def show_queue(call: ApiCall) -> list[QueueRank]:
    crawl = call.parts.crawls.get(call.path["crawl"])
    found = call.parts.hosts.ranks(crawl) if call.parts.hosts.is_possible(crawl) else None
    if found is None:
        headers = {"Retry-After": str(BUILDING_SECONDS)}
        raise WebProblem(409, "the queue cannot be read yet; ask again in a moment", headers=headers)
    return found


def start(call: ApiCall) -> DoneReply:
    return _said(_actions(call).start())


def stop(call: ApiCall) -> DoneReply:
    return _said(_actions(call).stop())


def pause(call: ApiCall) -> DoneReply:
    return _said(_actions(call).pause())


def resume(call: ApiCall) -> DoneReply:
    return _said(_actions(call).resume())


def block(call: ApiCall) -> DoneReply:
    return _said(_actions(call).block(call.body.host))


def unblock(call: ApiCall) -> DoneReply:
    return _said(_actions(call).unblock(call.body.host))


def slow(call: ApiCall) -> DoneReply:
    return _said(_actions(call).slow(call.body.host, call.body.delay_seconds))


def change_settings(call: ApiCall) -> SettingReply:
    return SettingReply(_actions(call).reconfigure(call.body.settings))


def clone(call: ApiCall) -> CrawlFacts:
    made = _actions(call).clone(call.body.name)
    return crawl_facts(call.parts.watch.find(made))


def open_crawl(call: ApiCall) -> CrawlFacts:
    made = call.parts.crawls.open_asked(call.body.directory, call.now)
    call.note("crawl.open", f"crawl/{made.name}", str(made.directory))
    return crawl_facts(call.parts.watch.find(made))


def forget(call: ApiCall) -> DoneReply:
    return _said(_actions(call).forget())


def _actions(call: ApiCall) -> CrawlActions:
    return CrawlActions(call.parts, call.visitor, call.now, call.path["crawl"])


def _said(done: ActionDone) -> DoneReply:
    return DoneReply(done.message)


OPERATOR: Final = UserRole.OPERATOR
ADMINISTRATOR: Final = UserRole.ADMINISTRATOR

# fmt: off
OPERATIONS: Final = (
    ApiOperation("GET", "/crawls", list_crawls, reply=list[CrawlSummary], summary="List all crawls"),
    ApiOperation("GET", "/crawls/{crawl}", show_crawl, reply=CrawlFacts, summary="Show how a crawl stands"),
    ApiOperation("GET", "/crawls/{crawl}/samples", list_samples, query=Since, reply=list[FigureSample],
                 summary="List how its figures moved, as plots show it"),
    ApiOperation("GET", "/crawls/{crawl}/log", read_log, query=LogQuery, reply=list[str],
                 summary="Read the end of one of its logs"),
    ApiOperation("GET", "/crawls/{crawl}/left-out", show_left_out, query=SamplesQuery, reply=LeftOut,
                 summary="Show what was left out, by reason and run, with samples"),
    ApiOperation("GET", "/crawls/{crawl}/queue", show_queue, reply=list[QueueRank],
                 summary="Show how many hosts wait in each rank of the queue"),
    ApiOperation("POST", "/crawls/{crawl}/start", start, role=OPERATOR, reply=DoneReply,
                 summary="Start or continue a crawl"),
    ApiOperation("POST", "/crawls/{crawl}/stop", stop, role=OPERATOR, reply=DoneReply,
                 summary="Finish the requests under way, then stop"),
    ApiOperation("POST", "/crawls/{crawl}/pause", pause, role=OPERATOR, reply=DoneReply,
                 summary="Make no further request until it is resumed"),
    ApiOperation("POST", "/crawls/{crawl}/resume", resume, role=OPERATOR, reply=DoneReply,
                 summary="Go on after a pause"),
    ApiOperation("POST", "/crawls/{crawl}/block", block, role=OPERATOR, body=HostBody, reply=DoneReply,
                 summary="Ask nothing more of a host or address"),
    ApiOperation("POST", "/crawls/{crawl}/unblock", unblock, role=OPERATOR, body=HostBody, reply=DoneReply,
                 summary="Let a blocked host or address be asked again"),
    ApiOperation("POST", "/crawls/{crawl}/slow", slow, role=OPERATOR, body=SlowBody, reply=DoneReply,
                 summary="Ask a host or address more rarely"),
    ApiOperation("PATCH", "/crawls/{crawl}/settings", change_settings, role=OPERATOR, body=LiveBody,
                 reply=SettingReply, summary="Change live settings of a running crawl"),
    ApiOperation("POST", "/crawls/{crawl}/clone", clone, role=OPERATOR, body=CloneBody, reply=CrawlFacts,
                 summary="Plan a crawl with the same seeds and settings", status=201),
    ApiOperation("DELETE", "/crawls/{crawl}", forget, role=ADMINISTRATOR, reply=DoneReply,
                 summary="Look after a crawl no longer; its directory stays"),
    ApiOperation("POST", "/crawls/open", open_crawl, role=ADMINISTRATOR, body=PathBody, reply=CrawlFacts,
                 summary="Look after a crawl that is there already", status=201),
)
