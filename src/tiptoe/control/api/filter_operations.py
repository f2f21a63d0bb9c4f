"""The API's operations on the filters and the schedule of a crawl."""

from typing import Any, Final

import msgspec

from tiptoe.control.api_operation import ApiCall, ApiOperation
from tiptoe.control.end_command_output import EndCommandOutput, read_end_command
from tiptoe.control.filter_actions import FilterActions, FiltersView, KeptFilters
from tiptoe.control.filter_files import FilterCheck
from tiptoe.control.filter_simulator import SimulatedPage, Simulation
from tiptoe.control.schedule_actions import ScheduleActions
from tiptoe.control.schedule_week import ScheduleWeek
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem

__all__ = ["OPERATIONS"]


class FilesBody(msgspec.Struct):
    """Files by name: process.conf, filter.conf, filterrules.conf, mime.types."""

    files: dict[str, str]


class ExplainBody(msgspec.Struct):
    """A URL, its server's hypothetical answer, and the filters to use: the kept `files`, or `crawl`.

    With `fetch` (for operators) the page is fetched once, in the name of the crawl and by its rules.
    """

    url: str
    depth: int = 0
    type: str = ""
    html: str = ""
    by: str = ""
    fetch: bool = False


class ScheduleBody(msgspec.Struct):
    """When requests are made, and what follows when nothing is left; omitted fields get their defaults."""

    schedule: list[str] = []
    time_zone: str = ""
    on_end: str = ""


class ScheduleChanges(msgspec.Struct, frozen=True):
    """What has changed, by full name, and the week as it is now."""

    changes: dict[str, Any]
    week: ScheduleWeek


def show_filters(call: ApiCall) -> FiltersView:
    return _filters(call).view()


def keep(call: ApiCall) -> KeptFilters:
    return _filters(call).keep(call.body.files)


def check(call: ApiCall) -> FilterCheck:
    return _filters(call).check(call.body.files)


def explain(call: ApiCall) -> Simulation:
    body: ExplainBody = call.body
    asked = SimulatedPage(url=body.url, depth=body.depth, type=body.type, html=body.html, fetch=body.fetch)
    return _filters(call).simulate(asked, body.by)


def show_schedule(call: ApiCall) -> ScheduleWeek:
    return _schedule(call).week()


def show_end_command(call: ApiCall) -> EndCommandOutput:
    crawl = call.parts.crawls.get(call.path["crawl"])
    found = read_end_command(crawl.directory)
    if found is None:
        raise WebProblem(404, f"no command has run at the end of {crawl.name}, or too long ago")
    return found


def change_schedule(call: ApiCall) -> ScheduleChanges:
    body: ScheduleBody = call.body
    given = {
        "crawl.schedule": body.schedule, "crawl.time_zone": body.time_zone, "crawl.on_end": body.on_end,
    }  # fmt: skip
    actions = _schedule(call)
    changes = actions.change({name: value for name, value in given.items() if value})
    return ScheduleChanges(changes, _schedule(call).week())


def _filters(call: ApiCall) -> FilterActions:
    return FilterActions(call.parts, call.visitor, call.now, call.path["crawl"])


def _schedule(call: ApiCall) -> ScheduleActions:
    return ScheduleActions(call.parts, call.visitor, call.now, call.path["crawl"])


# fmt: off
OPERATIONS: Final = (
    ApiOperation("GET", "/crawls/{crawl}/filters", show_filters, reply=FiltersView, tag="filters",
                 summary="Show the filters in force, the files that are kept, and what is wrong in them"),
    ApiOperation("PUT", "/crawls/{crawl}/filters", keep, role=UserRole.OPERATOR, body=FilesBody,
                 reply=KeptFilters, tag="filters",
                 summary="Replace the files of the filters, from the next start on; refused if in error"),
    ApiOperation("POST", "/crawls/{crawl}/filters/check", check, body=FilesBody, reply=FilterCheck,
                 tag="filters", summary="Say what is wrong in files, by line; nothing is kept"),
    ApiOperation("POST", "/crawls/{crawl}/filters/explain", explain, body=ExplainBody, reply=Simulation,
                 tag="filters", summary="Say which line decides about an address; fetch it on request"),
    ApiOperation("GET", "/crawls/{crawl}/schedule", show_schedule, reply=ScheduleWeek, tag="schedule",
                 summary="Show at which hours of the next seven days requests are made"),
    ApiOperation("PUT", "/crawls/{crawl}/schedule", change_schedule, role=UserRole.OPERATOR,
                 body=ScheduleBody, reply=ScheduleChanges, tag="schedule",
                 summary="Change schedule, time zone and what follows at the end: at once if it runs"),
    ApiOperation("GET", "/crawls/{crawl}/end-command", show_end_command, reply=EndCommandOutput,
                 tag="schedule", summary="Show what the command at the end of the crawl has said"),
)
