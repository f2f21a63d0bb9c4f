"""Pages for the hosts of a crawl: find one, see its requests, block it, slow it, report to its webmaster."""

from typing import Final

from tiptoe.control.crawl_actions import host_typed
from tiptoe.control.host_facts import read_host, read_requests, stored_robots
from tiptoe.control.host_index import SORTS, STATES
from tiptoe.control.host_notes import NOTE_CHARS_MAX
from tiptoe.control.host_timeline import host_timeline
from tiptoe.control.notices import Undo
from tiptoe.control.page_route import Elsewhere, PageReply, PageRoute, PageVisit, RawPage, ShownPage
from tiptoe.control.pages.crawl_pages import crawl_values
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem
from tiptoe.control.webmaster_report import webmaster_report

__all__ = ["ROUTES"]

PAGE_ROWS: Final = 50


def list_hosts(visit: PageVisit) -> PageReply:
    """Show a page of the list of hosts."""
    values = crawl_values(visit, "hosts")
    crawl = values["seen"].crawl
    indexes = visit.parts.hosts
    query = visit.query
    sort = query.get("sort", "pages")
    state = query.get("state", "")
    listing = {
        "sort": sort if sort in SORTS else "pages",
        "is_rising": query.get("order") == "asc" if "order" in query else sort == "host",
        "words": query.get("q", "").strip()[:100],
        "state": state if state in STATES else "",
        "page": _number(query.get("page", "1")),
    }
    is_possible = indexes.is_possible(crawl)
    rows = indexes.look(crawl, **listing, size=PAGE_ROWS) if is_possible else None  # type: ignore[arg-type]
    values |= {
        "listing": listing,
        "rows": rows,
        "is_possible": is_possible,
        "is_building": indexes.is_building(crawl),
        "fault": indexes.fault(crawl),
        "ranks": indexes.ranks(crawl) if is_possible else None,
        "states": STATES,
        "sorts": SORTS,
    }
    return ShownPage("host_rows.html" if visit.is_partial else "hosts.html", values)


def find_host(visit: PageVisit) -> PageReply:
    """Redirect to the typed host if the crawl knows it, otherwise to a search for these words."""
    typed = visit.query.get("q", "").strip()
    crawl = visit.parts.crawls.get(visit.path["crawl"])
    try:
        host = host_typed(typed)
    except WebProblem:
        host = ""
    if host and read_host(crawl.directory, host) is not None:
        return Elsewhere(url=f"/crawls/{crawl.name}/hosts/{host}")
    return list_hosts(visit)


def show_host(visit: PageVisit) -> PageReply:
    """Show what is known about one host."""
    values = crawl_values(visit, "hosts")
    crawl = values["seen"].crawl
    host = host_typed(visit.path["host"])
    facts = read_host(crawl.directory, host)
    if facts is None:
        raise WebProblem(404, f"{crawl.name} has never heard of {host}")
    target = f"crawl/{crawl.name}/host/{host}"
    values |= {
        "facts": facts,
        "note": visit.parts.notes.read(crawl.name, host),
        "trail": visit.parts.trail.read(target=target, count=20),
    }
    return ShownPage("host.html", values)


def show_evidence(visit: PageVisit) -> PageReply:
    """Show the requests to a host and its robots.txt: the part of its page that takes longer to read."""
    crawl = visit.parts.crawls.get(visit.path["crawl"])
    host = host_typed(visit.path["host"])
    found = read_requests(crawl.directory, host)
    values = {
        "found": found,
        "robots": stored_robots(crawl.directory, host),
        "timeline": host_timeline([entry.started_at for entry in found.requests]),
        "host": host,
    }
    return ShownPage("host_evidence.html", values)


def report(visit: PageVisit) -> PageReply:
    """Make the report for a webmaster: every request, checked against every rule."""
    crawl = visit.parts.crawls.get(visit.path["crawl"])
    host = host_typed(visit.path["host"])
    page = webmaster_report(visit.parts.processes, crawl, host)
    download = f"report-{host}.html" if visit.query.get("save") == "yes" else ""
    return RawPage(content=page, download=download)


def set_host_note(visit: PageVisit) -> PageReply:
    """Set the note about a host."""
    crawl, host = visit.parts.crawls.get(visit.path["crawl"]), host_typed(visit.path["host"])
    note, before = visit.field("note").strip()[:NOTE_CHARS_MAX], visit.parts.notes.read(crawl.name, host).note
    visit.parts.notes.write(crawl.name, host, note, visit.who.user, visit.now)
    visit.note("host.note", f"crawl/{crawl.name}/host/{host}", note)
    own = f"/crawls/{crawl.name}/hosts/{host}"
    undo = Undo(f"{own}/note", {"note": before}) if note != before else None
    return Elsewhere(url=own, message="the note was saved", undo=undo)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 1


ROUTES: Final = (
    PageRoute("/crawls/{crawl}/hosts", list_hosts),
    PageRoute("/crawls/{crawl}/find-host", find_host),
    PageRoute("/crawls/{crawl}/hosts/{host}", show_host),
    PageRoute("/crawls/{crawl}/hosts/{host}/evidence", show_evidence),
    PageRoute("/crawls/{crawl}/hosts/{host}/report", report),
    PageRoute("/crawls/{crawl}/hosts/{host}/note", set_host_note, role=UserRole.OPERATOR, method="POST"),
)
