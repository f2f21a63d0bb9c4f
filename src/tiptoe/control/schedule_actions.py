"""When does a crawl make requests, and what follows when nothing is left? Used by pages and API alike."""

from collections.abc import Mapping
from typing import Final

from tiptoe.control.control_parts import ControlParts
from tiptoe.control.schedule_week import ScheduleWeek, schedule_week
from tiptoe.control.setting_actions import CrawlSettingsView, SettingActions
from tiptoe.control.setting_fields import SettingField, form_sections
from tiptoe.control.visitor import Visitor
from tiptoe.settings.opening_hours import OpeningHours, zone_named

__all__ = ["SCHEDULE_SETTINGS", "ScheduleActions"]

SCHEDULE_SETTINGS: Final = ("crawl.schedule", "crawl.time_zone", "crawl.on_end")


class ScheduleActions:
    """The actions of one visitor on the schedule of a crawl."""

    def __init__(self, parts: ControlParts, visitor: Visitor, now: float, crawl: str) -> None:
        self._settings = SettingActions(parts, visitor, now, crawl)
        self._now = now

    def view(self) -> CrawlSettingsView:
        return self._settings.view()

    def week(self) -> ScheduleWeek:
        """Return the next seven days."""
        crawl = self.view().settings.crawl
        hours = OpeningHours.read(crawl.schedule, zone_named(crawl.time_zone))
        return schedule_week(hours, self._now, crawl.time_zone or "of this machine")

    def fields(
        self, typed: Mapping[str, str] | None = None, errors: Mapping[str, str] | None = None
    ) -> list[SettingField]:
        """Return the form."""
        view = self.view()
        sections = form_sections(
            view.settings, lambda name: self._settings.refusal(name, view), typed=typed, errors=errors
        )
        known = {field.name: field for section in sections for field in section.fields}
        return [known[name] for name in SCHEDULE_SETTINGS]

    def change(self, given: Mapping[str, object]) -> dict[str, object]:
        """Set the schedule and return what has changed; raise WebProblem with all errors, by field."""
        return self._settings.change_some(given, SCHEDULE_SETTINGS)
