"""The API's operations on reports on crawls and hosts, and on notes about hosts."""

from typing import Annotated, Any, Final

import msgspec

from tiptoe.control.api_operation import ApiCall, ApiOperation
from tiptoe.control.crawl_actions import host_typed
from tiptoe.control.crawl_reports import ReportState
from tiptoe.control.host_notes import NOTE_CHARS_MAX, HostNote
from tiptoe.control.user_role import UserRole
from tiptoe.control.webmaster_report import webmaster_report

__all__ = ["OPERATIONS"]


class NoteBody(msgspec.Struct):
    """What others should know about a host; empty removes the note."""

    note: Annotated[str, msgspec.Meta(max_length=NOTE_CHARS_MAX)]


class HostReport(msgspec.Struct, frozen=True):
    """The report for a webmaster: one self-contained page."""

    host: str
    html: str


def list_reports(call: ApiCall) -> list[ReportState]:
    return call.parts.reports.list_of(call.parts.crawls.get(call.path["crawl"]))


def make_report(call: ApiCall) -> list[ReportState]:
    crawl = call.parts.crawls.get(call.path["crawl"])
    call.parts.reports.make(crawl, call.path["kind"])
    call.note("report.make", f"crawl/{crawl.name}", call.path["kind"])
    return call.parts.reports.list_of(crawl)


def read_report(call: ApiCall) -> msgspec.Raw:
    return call.parts.reports.figures(call.parts.crawls.get(call.path["crawl"]), call.path["kind"])


def report_host(call: ApiCall) -> HostReport:
    crawl, host = call.parts.crawls.get(call.path["crawl"]), host_typed(call.path["host"])
    page = webmaster_report(call.parts.processes, crawl, host)
    return HostReport(host, page.decode("utf-8", "replace"))


def read_note(call: ApiCall) -> HostNote:
    crawl = call.parts.crawls.get(call.path["crawl"])
    return call.parts.notes.read(crawl.name, host_typed(call.path["host"]))


def write_note(call: ApiCall) -> HostNote:
    crawl, host = call.parts.crawls.get(call.path["crawl"]), host_typed(call.path["host"])
    call.parts.notes.write(crawl.name, host, call.body.note.strip(), call.visitor.user, call.now)
    call.note("host.note", f"crawl/{crawl.name}/host/{host}", call.body.note)
    return call.parts.notes.read(crawl.name, host)


# fmt: off
OPERATIONS: Final = (
    ApiOperation("GET", "/crawls/{crawl}/reports", list_reports, reply=list[ReportState], tag="reports",
                 summary="List the reports on a crawl, and how each stands"),
    ApiOperation("POST", "/crawls/{crawl}/reports/{kind}", make_report, reply=list[ReportState],
                 tag="reports", summary="Begin to make a report; it is there a while later", status=202),
    ApiOperation("GET", "/crawls/{crawl}/reports/{kind}", read_report, reply=dict[str, Any], tag="reports",
                 summary="Read what a report says, as the command of its name prints it with --json"),
    ApiOperation("GET", "/crawls/{crawl}/hosts/{host}/report", report_host, reply=HostReport, tag="hosts",
                 summary="Make the report for the webmaster of a host"),
    ApiOperation("GET", "/crawls/{crawl}/hosts/{host}/note", read_note, reply=HostNote, tag="hosts",
                 summary="Read what people wrote down of a host"),
    ApiOperation("PUT", "/crawls/{crawl}/hosts/{host}/note", write_note, role=UserRole.OPERATOR,
                 body=NoteBody, reply=HostNote, tag="hosts",
                 summary="Write down what people should know of a host"),
)
