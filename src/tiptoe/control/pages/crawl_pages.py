"""Pages of one crawl: its state, the actions on it, its logs."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from tiptoe.control.crawl_actions import ActionDone, CrawlActions
from tiptoe.control.crawl_bounds import crawl_bounds
from tiptoe.control.crawl_facts import waits_text
from tiptoe.control.crawl_logs import log_files, log_tail
from tiptoe.control.crawl_watch import WatchedCrawl
from tiptoe.control.disk_use import disk_use
from tiptoe.control.left_out import read_left_out
from tiptoe.control.page_route import Elsewhere, PageReply, PageRoute, PageVisit, ShownPage
from tiptoe.control.pages.login_pages import local_path
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem
from tiptoe.settings.units import parse_duration

__all__ = ["ROUTES", "actions_of", "crawl_values", "done", "typed_delay"]

SAMPLES: Final = 5


def show_crawl(visit: PageVisit) -> PageReply:
    """Show the state of a crawl, live."""
    values = crawl_values(visit, "live")
    seen: WatchedCrawl = values["seen"]
    status = seen.status
    values |= {
        "status": status,
        "limits": crawl_bounds(seen.crawl),
        "waits": waits_text(seen),
        "outcomes": _ranked(status.outcomes if status else {}),
        "discards": _ranked(status.discards if status else {}),
        "gone_hosts": _ranked(status.gone_hosts if status else {}),
        "languages": [(one.name, one.count) for one in visit.parts.reports.languages(seen.crawl)],
        "disk": disk_use(seen.crawl.directory),
    }
    return ShownPage("crawl_body.html" if visit.is_partial else "crawl.html", values)


def show_left_out(visit: PageVisit) -> PageReply:
    """Show what was left out and why, by run, with samples."""
    values = crawl_values(visit, "live")
    values["left_out"] = read_left_out(values["seen"].crawl.directory, SAMPLES)
    return ShownPage("left_out.html", values)


def show_log(visit: PageVisit) -> PageReply:
    """Show the end of a log."""
    values = crawl_values(visit, "log")
    directory = values["seen"].crawl.directory
    files = log_files(directory)
    name, words = visit.query.get("file", ""), visit.query.get("q", "")[:200]
    chosen = name or (files[0] if files else "")
    lines = log_tail(directory, chosen, words) if chosen else []
    if lines is None:
        raise WebProblem(404, f"this crawl has no log {chosen!r}")
    values |= {"files": files, "chosen": chosen, "lines": lines, "words": words}
    return ShownPage("crawl_log_lines.html" if visit.is_partial else "crawl_log.html", values)


def start(visit: PageVisit) -> PageReply:
    return done(visit, actions_of(visit).start())


def stop(visit: PageVisit) -> PageReply:
    return done(visit, actions_of(visit).stop())


def pause(visit: PageVisit) -> PageReply:
    return done(visit, actions_of(visit).pause())


def resume(visit: PageVisit) -> PageReply:
    return done(visit, actions_of(visit).resume())


def block(visit: PageVisit) -> PageReply:
    return done(visit, actions_of(visit).block(visit.field("host")))


def unblock(visit: PageVisit) -> PageReply:
    return done(visit, actions_of(visit).unblock(visit.field("host")))


def slow(visit: PageVisit) -> PageReply:
    return done(visit, actions_of(visit).slow(visit.field("host"), typed_delay(visit.field("delay"))))


def set_note(visit: PageVisit) -> PageReply:
    return done(visit, actions_of(visit).set_note(visit.field("note").strip()))


def clone(visit: PageVisit) -> PageReply:
    """Plan a crawl like this one, and redirect to its settings."""
    made = actions_of(visit).clone(visit.field("name").strip())
    text = f"{made.name} was planned with the seeds and settings of {visit.path['crawl']}"
    return Elsewhere(url=f"/crawls/{made.name}/settings", message=text)


def forget(visit: PageVisit) -> PageReply:
    return Elsewhere(url="/", message=actions_of(visit).forget().message)


def show_opening(visit: PageVisit) -> PageReply:
    """Show the form for opening an existing crawl."""
    return ShownPage(
        "open_crawl.html", {"here": "crawls", "roots": visit.parts.crawls.roots, "typed": "", "fault": ""}
    )


def open_crawl(visit: PageVisit) -> PageReply:
    """Add an existing crawl to this server."""
    typed = visit.field("directory").strip()
    try:
        made = visit.parts.crawls.open_asked(typed, visit.now)
    except WebProblem as problem:
        values = {
            "here": "crawls",
            "roots": visit.parts.crawls.roots,
            "typed": typed,
            "fault": problem.detail,
        }
        return ShownPage("open_crawl.html", values, status=problem.status)
    visit.note("crawl.open", f"crawl/{made.name}", str(made.directory))
    return Elsewhere(url=f"/crawls/{made.name}", message=f"{made.name} is looked after here from now on")


# -- shared with other pages of a crawl ----------------------------


def crawl_values(visit: PageVisit, tab: str) -> dict[str, Any]:
    """Return the values for the head of every page of a crawl."""
    seen = visit.parts.watch.find(visit.parts.crawls.get(visit.path["crawl"]))
    return {"here": "crawls", "tab": tab, "seen": seen, "can_make": visit.parts.crawls.can_make}


def actions_of(visit: PageVisit) -> CrawlActions:
    """Return the visitor's actions on the crawl named in the path."""
    return CrawlActions(visit.parts, visit.who, visit.now, visit.path["crawl"])


def done(visit: PageVisit, action: ActionDone) -> PageReply:
    """Redirect to the page with the form, and show what was done."""
    back, undo = local_path(visit.field("back")), action.undo
    if back == "/":
        return Elsewhere(url=f"/crawls/{visit.path['crawl']}", message=action.message, undo=undo)
    if undo is not None:  # it returns to the same page
        undo = msgspec.structs.replace(undo, fields={**undo.fields, "back": back})
    return Elsewhere(url=back, message=action.message, undo=undo)


def typed_delay(typed: str) -> float:
    """Return the seconds of a duration that a user typed."""
    try:
        return parse_duration(typed)
    except ValueError as error:
        text = "expected a duration such as 30s or 5m"
        raise WebProblem(422, f"delay {typed!r}: {text}", errors={"delay": text}) from error


def _ranked(counts: "dict[str, int] | dict[str, float]") -> list[tuple[str, float]]:
    return sorted(counts.items(), key=lambda pair: -pair[1])


def _actions(*pages: Callable[[PageVisit], PageReply]) -> tuple[PageRoute, ...]:
    return tuple(
        PageRoute(f"/crawls/{{crawl}}/{page.__name__}", page, role=UserRole.OPERATOR, method="POST")
        for page in pages
    )


ROUTES: Final = (
    PageRoute("/open-crawl", show_opening, role=UserRole.ADMINISTRATOR),
    PageRoute("/open-crawl", open_crawl, role=UserRole.ADMINISTRATOR, method="POST"),
    PageRoute("/crawls/{crawl}", show_crawl),
    PageRoute("/crawls/{crawl}/left-out", show_left_out),
    PageRoute("/crawls/{crawl}/log", show_log),
    *_actions(start, stop, pause, resume, block, unblock, slow, clone),
    PageRoute("/crawls/{crawl}/note", set_note, role=UserRole.OPERATOR, method="POST"),
    PageRoute("/crawls/{crawl}/forget", forget, role=UserRole.ADMINISTRATOR, method="POST"),
)
