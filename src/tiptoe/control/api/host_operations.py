"""The API's operations on the hosts of crawls."""

from typing import Annotated, Final, Literal

import msgspec

from tiptoe.control.api_operation import ApiCall, ApiOperation
from tiptoe.control.crawl_actions import host_typed
from tiptoe.control.host_facts import HostFacts, HostRequests, read_host, read_requests
from tiptoe.control.host_index import HostRow
from tiptoe.control.web_problem import WebProblem

__all__ = ["OPERATIONS"]

BUILDING_SECONDS: Final = 5


class HostsQuery(msgspec.Struct):
    """Which hosts to return, in which order."""

    words: Annotated[str, msgspec.Meta(max_length=100)] = ""  # in the name
    state: Literal["", "idle", "new", "parked", "visited", "gone", "unproductive", "blocked", "slowed"] = ""
    sort: Literal["pages", "requests", "queued", "text_chars", "troubles", "host"] = "pages"
    rising: bool = False
    page: Annotated[int, msgspec.Meta(ge=1, le=10_000_000)] = 1
    size: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 100


class HostsReply(msgspec.Struct, frozen=True):
    """A page of the list of hosts, and when the list was made."""

    hosts: list[HostRow]
    total: int
    page: int
    pages: int
    built_at: float


def list_hosts(call: ApiCall) -> HostsReply:
    query: HostsQuery = call.query
    crawl = call.parts.crawls.get(call.path["crawl"])
    if not call.parts.hosts.is_possible(crawl):
        raise WebProblem(409, f"{crawl.name} has no database of hosts that can be listed")
    found = call.parts.hosts.look(
        crawl, sort=query.sort, is_rising=query.rising, words=query.words, state=query.state, page=query.page,
        size=query.size,
    )  # fmt: skip
    if found is None:
        headers = {"Retry-After": str(BUILDING_SECONDS)}
        raise WebProblem(409, "the list of hosts is being made; ask again in a moment", headers=headers)
    return HostsReply(found.rows, found.total, found.page, found.pages, found.built_at)


def show_host(call: ApiCall) -> HostFacts:
    crawl = call.parts.crawls.get(call.path["crawl"])
    host = host_typed(call.path["host"])
    facts = read_host(crawl.directory, host)
    if facts is None:
        raise WebProblem(404, f"{crawl.name} has never heard of {host}")
    return facts


def list_requests(call: ApiCall) -> HostRequests:
    crawl = call.parts.crawls.get(call.path["crawl"])
    return read_requests(crawl.directory, host_typed(call.path["host"]))


# fmt: off
OPERATIONS: Final = (
    ApiOperation("GET", "/crawls/{crawl}/hosts", list_hosts, query=HostsQuery, reply=HostsReply, tag="hosts",
                 summary="List hosts of a crawl"),
    ApiOperation("GET", "/crawls/{crawl}/hosts/{host}", show_host, reply=HostFacts, tag="hosts",
                 summary="Show what is known of a host, and the rules in force"),
    ApiOperation("GET", "/crawls/{crawl}/hosts/{host}/requests", list_requests, reply=HostRequests,
                 tag="hosts", summary="List the last requests to a host"),
)
