"""The API's operations for planning crawls, and on their settings."""

from typing import Any, Final

import msgspec

from tiptoe.control.api_operation import ApiCall, ApiOperation
from tiptoe.control.crawl_facts import CrawlFacts, crawl_facts
from tiptoe.control.setting_actions import SettingActions, plan_crawl
from tiptoe.control.setting_fields import SettingField, form_sections, parse_toml, shown_toml
from tiptoe.control.setting_guard import setting_refusal
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem
from tiptoe.settings.layers import Settings

__all__ = ["OPERATIONS"]


class PlanBody(msgspec.Struct):
    """A new crawl. Settings are given by full name, as written in a file, or as the text of a file."""

    name: str
    seeds: list[str]
    settings: dict[str, str | list[str]] = {}
    toml: str = ""
    note: str = ""


class SettingsBody(msgspec.Struct):
    """The new settings by full name; all others that may be changed get their defaults."""

    settings: dict[str, str | list[str]]


class ChangesReply(msgspec.Struct, frozen=True):
    """What has changed, by full name."""

    changes: dict[str, Any]


class SettingsReply(msgspec.Struct, frozen=True):
    """All settings with their declarations, and a file with the same settings."""

    settings: list[SettingField]
    toml: str


def list_declarations(call: ApiCall) -> list[SettingField]:
    sections = form_sections(Settings(), lambda name: setting_refusal(name, call.visitor))
    return [field for section in sections for field in section.fields]


def plan(call: ApiCall) -> CrawlFacts:
    body: PlanBody = call.body
    from_file, problems = parse_toml(body.toml)
    if problems:
        raise WebProblem(422, "the file of settings cannot be read", errors={"toml": "; ".join(problems)})
    made = plan_crawl(
        call.parts, call.visitor, call.now,
        name=body.name, seeds="\n".join(body.seeds), settings={**from_file, **body.settings}, note=body.note,
    )  # fmt: skip
    return crawl_facts(call.parts.watch.find(made))


def show_settings(call: ApiCall) -> SettingsReply:
    actions = _actions(call)
    view = actions.view()
    sections = form_sections(view.settings, lambda name: actions.refusal(name, view))
    return SettingsReply(
        [field for section in sections for field in section.fields], shown_toml(view.settings)
    )


def replace_settings(call: ApiCall) -> ChangesReply:
    return ChangesReply(_actions(call).change(call.body.settings))


def _actions(call: ApiCall) -> SettingActions:
    return SettingActions(call.parts, call.visitor, call.now, call.path["crawl"])


# fmt: off
OPERATIONS: Final = (
    ApiOperation("GET", "/settings", list_declarations, reply=list[SettingField], tag="settings",
                 summary="List all settings, as they are declared"),
    ApiOperation("POST", "/crawls", plan, role=UserRole.OPERATOR, body=PlanBody, reply=CrawlFacts, status=201,
                 tag="settings", summary="Plan a crawl, to be started"),
    ApiOperation("GET", "/crawls/{crawl}/settings", show_settings, reply=SettingsReply, tag="settings",
                 summary="Show the settings of a crawl"),
    ApiOperation("PUT", "/crawls/{crawl}/settings", replace_settings, role=UserRole.OPERATOR,
                 body=SettingsBody, reply=ChangesReply, tag="settings",
                 summary="Replace settings: at once those that are live, else from the next start on"),
)
