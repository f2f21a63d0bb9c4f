"""Page for the schedule of a crawl: a form, and the resulting week."""

from collections.abc import Mapping
from typing import Any, Final

from tiptoe.control.end_command_output import read_end_command
from tiptoe.control.page_route import Elsewhere, PageReply, PageRoute, PageVisit, ShownPage
from tiptoe.control.pages.crawl_pages import crawl_values
from tiptoe.control.schedule_actions import SCHEDULE_SETTINGS, ScheduleActions
from tiptoe.control.setting_fields import typed_settings
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem

__all__ = ["ROUTES"]


def show_schedule(visit: PageVisit) -> PageReply:
    """Show the hours of a crawl."""
    return ShownPage("schedule.html", _values(visit))


def change(visit: PageVisit) -> PageReply:
    """Change the hours: at once if the crawl runs, otherwise from its next start on."""
    typed = {name: visit.field(name) for name in SCHEDULE_SETTINGS}
    actions = _actions(visit)
    try:
        is_running = actions.view().is_running
        changes = actions.change(typed_settings(typed, SCHEDULE_SETTINGS))
    except WebProblem as problem:
        values = _values(visit, typed, problem.errors) | {"fault": problem.detail}
        return ShownPage("schedule.html", values, status=problem.status)
    when = "from now on" if is_running else "from its next start on"
    text = f"changed {when}: {', '.join(changes)}" if changes else "nothing has changed: so it was before"
    return Elsewhere(url=f"/crawls/{visit.path['crawl']}/schedule", message=text)


def _values(
    visit: PageVisit, typed: Mapping[str, str] | None = None, errors: Mapping[str, str] | None = None
) -> dict[str, Any]:
    actions = _actions(visit)
    return crawl_values(visit, "schedule") | {
        "view": actions.view(), "week": actions.week(), "fields": actions.fields(typed, errors), "fault": "",
        "ending": read_end_command(visit.parts.crawls.get(visit.path["crawl"]).directory),
    }  # fmt: skip


def _actions(visit: PageVisit) -> ScheduleActions:
    return ScheduleActions(visit.parts, visit.who, visit.now, visit.path["crawl"])


ROUTES: Final = (
    PageRoute("/crawls/{crawl}/schedule", show_schedule),
    PageRoute("/crawls/{crawl}/schedule", change, role=UserRole.OPERATOR, method="POST"),
)
