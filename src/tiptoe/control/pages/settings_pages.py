"""Pages for the settings of a crawl: the form of all settings, for new and existing crawls."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.datastructures import UploadFile

from tiptoe.control.page_route import Elsewhere, PageReply, PageRoute, PageVisit, RawPage, ShownPage
from tiptoe.control.pages.crawl_pages import crawl_values
from tiptoe.control.setting_actions import SettingActions, plan_crawl
from tiptoe.control.setting_fields import form_sections, parse_toml, shown_toml, typed_settings
from tiptoe.control.setting_guard import setting_refusal
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.settings.layers import Settings
from tiptoe.settings.schema import SETTINGS

__all__ = ["ROUTES"]

CHANGES_SHOWN: Final = 30
SEEDS_SHOWN: Final = 200


def show_new(visit: PageVisit) -> PageReply:
    """Show the form for a new crawl."""
    return ShownPage("new_crawl.html", _new_values(visit, {}, {}))


def plan(visit: PageVisit) -> PageReply:
    """Plan a new crawl, and start it if requested."""
    typed = _typed(visit)
    from_file, problems = parse_toml(_text(visit, "toml"))
    given = {**from_file, **typed_settings(typed, SETTINGS)}
    seeds = "\n".join(filter(None, [_text(visit, "seeds"), _text(visit, "seeds_file")]))
    try:
        if problems:
            raise WebProblem(422, "the file of settings cannot be read", errors={"toml": "; ".join(problems)})
        made = plan_crawl(
            visit.parts, visit.who, visit.now,
            name=visit.field("name").strip(), seeds=seeds, settings=given, note=visit.field("note").strip(),
        )  # fmt: skip
    except WebProblem as problem:
        return ShownPage(
            "new_crawl.html", _new_values(visit, typed, problem.errors, problem.detail), status=422
        )
    text = f"{made.name} was planned; look it over, and start it"
    return Elsewhere(url=f"/crawls/{made.name}", message=text)


def show_settings(visit: PageVisit) -> PageReply:
    """Show the settings of a crawl."""
    return ShownPage("crawl_settings.html", _values(visit))


def change(visit: PageVisit) -> PageReply:
    """Change settings of a crawl: at once if it runs, otherwise from its next start on."""
    typed = _typed(visit)
    actions = _actions(visit)
    try:
        view = actions.view()
        # A field that is missing, because the page was only half loaded, was not emptied by the user.
        names = [name for name in typed if not actions.refusal(name, view)]
        changes = actions.change_some(typed_settings(typed, names), names)
    except WebProblem as problem:
        values = _values(visit, typed, problem.errors) | {"fault": problem.detail}
        return ShownPage("crawl_settings.html", values, status=problem.status)
    when = "from now on" if view.is_running else "from its next start on"
    text = f"changed {when}: {', '.join(changes)}" if changes else "nothing has changed: so it was before"
    return Elsewhere(url=f"/crawls/{visit.path['crawl']}/settings", message=text)


def show_file(visit: PageVisit) -> PageReply:
    """Show the settings as a file: a separate part, because it takes as long as all the rest."""
    return ShownPage("settings_file.html", {"toml": shown_toml(_actions(visit).view().settings)})


def download(visit: PageVisit) -> PageReply:
    """Return the settings as a file for `tiptoe crawl --config`."""
    text = shown_toml(_actions(visit).view().settings)
    return RawPage(
        content=text.encode(),
        media_type="application/toml; charset=utf-8",
        download=f"{visit.path['crawl']}.toml",
    )


def _values(
    visit: PageVisit, typed: Mapping[str, str] | None = None, errors: Mapping[str, str] | None = None
) -> dict[str, Any]:
    actions = _actions(visit)
    view = actions.view()
    values = crawl_values(visit, "settings")
    crawl = visit.parts.crawls.get(visit.path["crawl"])
    seeds = CrawlDirectory(crawl.directory).known_seeds() or crawl.seeds.split()
    trail = visit.parts.trail.read(target=f"crawl/{crawl.name}", count=CHANGES_SHOWN)
    return values | {
        "view": view,
        "sections": form_sections(
            view.settings, lambda name: actions.refusal(name, view), typed=typed, errors=errors
        ),
        "errors": errors or {},
        "fault": "",
        "seeds": seeds[:SEEDS_SHOWN],
        "seeds_more": max(0, len(seeds) - SEEDS_SHOWN),
        "trail": trail,
    }


def _new_values(
    visit: PageVisit, typed: Mapping[str, str], errors: Mapping[str, str], fault: str = ""
) -> dict[str, Any]:
    sections = form_sections(
        Settings(), lambda name: setting_refusal(name, visit.who), typed=typed, errors=errors, common=True
    )
    return {
        "here": "crawls",
        "sections": sections,
        "errors": errors,
        "fault": fault,
        "name": visit.field("name"),
        "note": visit.field("note"),
        "seeds": visit.field("seeds"),
        "toml": visit.field("toml"),
    }


def _typed(visit: PageVisit) -> dict[str, str]:
    return {name: value for name, value in visit.form.items() if isinstance(value, str) and name in SETTINGS}


def _text(visit: PageVisit, name: str) -> str:
    """Return pasted text, or the content of an uploaded file."""
    value = visit.form.get(name)
    if isinstance(value, UploadFile):
        return value.file.read().decode("utf-8", "replace").replace("\0", "")
    return value or ""


def _actions(visit: PageVisit) -> SettingActions:
    return SettingActions(visit.parts, visit.who, visit.now, visit.path["crawl"])


ROUTES: Final = (
    PageRoute("/new-crawl", show_new, role=UserRole.OPERATOR),
    PageRoute("/new-crawl", plan, role=UserRole.OPERATOR, method="POST"),
    PageRoute("/crawls/{crawl}/settings", show_settings),
    PageRoute("/crawls/{crawl}/settings", change, role=UserRole.OPERATOR, method="POST"),
    PageRoute("/crawls/{crawl}/settings/file", show_file),
    PageRoute("/crawls/{crawl}/settings.toml", download),
)
