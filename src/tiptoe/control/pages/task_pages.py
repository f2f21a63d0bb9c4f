"""Pages for the long tasks of a crawl: building its catalog, rehearsing its start."""

from typing import Final

from tiptoe.control.page_route import Elsewhere, PageReply, PageRoute, PageVisit, ShownPage
from tiptoe.control.pages.crawl_pages import crawl_values
from tiptoe.control.user_role import UserRole

__all__ = ["ROUTES"]

TABS: Final = {"catalog": "search", "rehearsal": "settings"}


def show_task(visit: PageVisit) -> PageReply:
    """Show the progress and the output of a task."""
    kind = visit.path["kind"]
    values = crawl_values(visit, TABS.get(kind, "live"))
    values["task"] = visit.parts.tasks.state(values["seen"].crawl, kind)
    return ShownPage("task_body.html" if visit.is_partial else "task.html", values)


def start_task(visit: PageVisit) -> PageReply:
    """Begin a task."""
    crawl, kind = visit.parts.crawls.get(visit.path["crawl"]), visit.path["kind"]
    visit.parts.tasks.start(crawl, kind)
    visit.note("task.start", f"crawl/{crawl.name}", kind)
    return Elsewhere(url=f"/crawls/{crawl.name}/tasks/{kind}")


def cancel_task(visit: PageVisit) -> PageReply:
    """Cancel a task."""
    crawl, kind = visit.parts.crawls.get(visit.path["crawl"]), visit.path["kind"]
    visit.parts.tasks.cancel(crawl, kind)
    visit.note("task.cancel", f"crawl/{crawl.name}", kind)
    return Elsewhere(url=f"/crawls/{crawl.name}/tasks/{kind}", message="it is being ended")


ROUTES: Final = (
    PageRoute("/crawls/{crawl}/tasks/{kind}", show_task),
    PageRoute("/crawls/{crawl}/tasks/{kind}", start_task, role=UserRole.OPERATOR, method="POST"),
    PageRoute("/crawls/{crawl}/tasks/{kind}/cancel", cancel_task, role=UserRole.OPERATOR, method="POST"),
)
