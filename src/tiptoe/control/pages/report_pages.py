"""Pages for the reports on a crawl: statistics, audit, freshness."""

from typing import Final

from tiptoe.control.page_route import Elsewhere, PageReply, PageRoute, PageVisit, RawPage, ShownPage
from tiptoe.control.pages.crawl_pages import crawl_values

__all__ = ["ROUTES"]


def list_reports(visit: PageVisit) -> PageReply:
    """Show the list of reports."""
    values = crawl_values(visit, "reports")
    reports = visit.parts.reports.list_of(values["seen"].crawl)
    values |= {"reports": reports, "is_building": any(one.is_building for one in reports)}
    return ShownPage("report_rows.html" if visit.is_partial else "reports.html", values)


def make_report(visit: PageVisit) -> PageReply:
    """Begin to make a report."""
    crawl = visit.parts.crawls.get(visit.path["crawl"])
    visit.parts.reports.make(crawl, visit.path["kind"])
    visit.note("report.make", f"crawl/{crawl.name}", visit.path["kind"])
    return Elsewhere(url=f"/crawls/{crawl.name}/reports", message="the report is being made; it appears here")


def show_report(visit: PageVisit) -> PageReply:
    """Show a report as it was made."""
    crawl = visit.parts.crawls.get(visit.path["crawl"])
    return RawPage(content=visit.parts.reports.read(crawl, visit.path["kind"]))


ROUTES: Final = (
    PageRoute("/crawls/{crawl}/reports", list_reports),
    PageRoute("/crawls/{crawl}/reports/{kind}", show_report),
    PageRoute("/crawls/{crawl}/reports/{kind}", make_report, method="POST"),
)
