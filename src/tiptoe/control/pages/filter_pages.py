"""Pages for the filters of a crawl: those in force, their files with findings by line, and a simulator."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from starlette.datastructures import UploadFile

from tiptoe.control.filter_actions import FilterActions, FiltersView
from tiptoe.control.filter_files import FILE_CHARS_MAX, KEPT_FILES, FilterCheck
from tiptoe.control.filter_simulator import SimulatedPage
from tiptoe.control.page_route import Elsewhere, PageReply, PageRoute, PageVisit, RawPage, ShownPage
from tiptoe.control.pages.crawl_pages import crawl_values
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem
from tiptoe.filters.default_set import default_files
from tiptoe.filters.definition import ENUMERATION, GENERATION

__all__ = ["ROUTES"]

LINES_SHOWN: Final = 2000
CHAINS: Final = {
    ENUMERATION: "which pages are read for links",
    GENERATION: "which pages enter the corpus, and how they are described",
}


def show_filters(visit: PageVisit) -> PageReply:
    """Show the filters in force, and the files for the next start."""
    view = _actions(visit).view()
    if visit.query.get("new") and not view.files:
        files = {name: text for name, text in default_files().items() if name in KEPT_FILES}
        message = "These are filters to start from; nothing is kept yet."
        return ShownPage("filters.html", _values(visit, view, files=files, message=message))
    return ShownPage("filters.html", _values(visit, view))


def check(visit: PageVisit) -> PageReply:
    """Show what is wrong in the typed files, without keeping them."""
    files = _typed(visit)
    actions = _actions(visit)
    found = actions.check(files)
    message = _counted(found) + "; nothing is kept yet"
    return ShownPage(
        "filters.html", _values(visit, actions.view(), files=files, check=found, message=message)
    )


def keep(visit: PageVisit) -> PageReply:
    """Keep the typed files."""
    files = _typed(visit)
    actions = _actions(visit)
    try:
        done = actions.keep(files)
    except WebProblem as problem:
        if problem.status != 422:
            raise
        return _refused(visit, problem, files)
    return Elsewhere(url=_url(visit), message=done.message)


def upload(visit: PageVisit) -> PageReply:
    """Keep uploaded files in addition to those already kept."""
    actions = _actions(visit)
    files: dict[str, str] = {}
    for sent in visit.form.getlist("files"):
        if isinstance(sent, UploadFile) and sent.filename:
            files[sent.filename] = _text_of(sent)
    if not files:
        raise WebProblem(422, "no file was chosen", errors={"files": "choose one or more"})
    try:
        done = actions.add(files)
    except WebProblem as problem:
        if problem.status != 422 or files.keys() - set(KEPT_FILES):
            raise
        return _refused(visit, problem, {**actions.view().files, **files})
    return Elsewhere(url=_url(visit), message=done.message)


def download(visit: PageVisit) -> PageReply:
    """Return one file as a download."""
    name = visit.path["file"]
    text = _actions(visit).download(name)
    return RawPage(content=text.encode(), media_type="text/plain; charset=utf-8", download=name)


def show_simulator(visit: PageVisit) -> PageReply:
    """Show how the filters judge the URL in the query."""
    form = {name: visit.query.get(name, "") for name in ("url", "depth", "type", "by")}
    return _simulated(visit, form, "")


def run_simulator(visit: PageVisit) -> PageReply:
    """Show the result for a pasted or fetched page; without one, redirect to a URL that can be linked to."""
    form = {name: visit.field(name).strip() for name in ("url", "depth", "type", "by")}
    html = visit.field("html")
    is_fetched = visit.field("fetch") == "on"
    if html.strip() or is_fetched:
        return _simulated(visit, form, html, is_fetched=is_fetched)
    query = urlencode({name: value for name, value in form.items() if value})
    return Elsewhere(url=f"{_url(visit)}/simulator?{query}")


def _simulated(
    visit: PageVisit, form: Mapping[str, str], html: str, *, is_fetched: bool = False
) -> PageReply:
    actions = _actions(visit)
    values = crawl_values(visit, "filters") | {
        "view": actions.view(), "form": form, "html": html, "told": None, "fault": "", "errors": {},
        "chains": CHAINS, "is_fetched": is_fetched,
    }  # fmt: skip
    if not form["url"]:
        return ShownPage("filter_simulator.html", values)
    try:
        depth = int(form["depth"][:9] or 0)
    except ValueError:
        depth = -1
    try:
        asked = SimulatedPage(
            url=form["url"], depth=depth, type=form["type"], html=html.strip() and html, fetch=is_fetched
        )
        told = values["told"] = actions.simulate(asked, form["by"])
        if told.fetched is not None and told.fetched.markup:
            # So that other filters can be tried without fetching the page again.
            values |= {"html": told.fetched.markup, "is_fetched": False}
    except WebProblem as problem:
        values |= {"fault": problem.detail, "errors": problem.errors}
        return ShownPage("filter_simulator.html", values, status=problem.status)
    return ShownPage("filter_simulator.html", values)


def _refused(visit: PageVisit, problem: WebProblem, files: Mapping[str, str]) -> PageReply:
    actions = _actions(visit)
    try:
        found = actions.check(files)
    except WebProblem:  # too long to be shown again
        raise problem from None
    values = _values(visit, actions.view(), files=files, check=found, message=_counted(found))
    return ShownPage("filters.html", values | {"fault": problem.detail}, status=problem.status)


def _values(
    visit: PageVisit, view: FiltersView, *, files: Mapping[str, str] | None = None,
    check: FilterCheck | None = None, message: str = "",
) -> dict[str, Any]:  # fmt: skip
    """Return the values of the page; `files` and `check` come from a form that was not kept."""
    shown = view.files if files is None else files
    found = view.check if check is None else check
    if files is not None and check is None:
        found = _actions(visit).check(files)
    listings = [
        {
            "name": name,
            "text": shown.get(name, ""),
            "lines": shown.get(name, "").splitlines()[:LINES_SHOWN],
            "more": max(0, len(shown.get(name, "").splitlines()) - LINES_SHOWN),
            "found": found.of(name),
        }
        for name in KEPT_FILES
    ]
    return crawl_values(visit, "filters") | {
        "view": view, "chains": CHAINS, "listings": listings, "check": found, "is_draft": files is not None,
        "message": message, "fault": "", "form": {"url": "", "depth": "", "type": "", "by": ""}, "errors": {},
    }  # fmt: skip


def _counted(found: FilterCheck) -> str:
    parts = [(len(found.errors), "error"), (len(found.warnings), "warning")]
    message = ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in parts)
    return f"{message}, {found.directives} directive{'' if found.directives == 1 else 's'}"


def _typed(visit: PageVisit) -> dict[str, str]:
    return {name: visit.field(f"file/{name}") for name in KEPT_FILES}


def _text_of(sent: UploadFile) -> str:
    """Return the text of an uploaded file, up to just above the permitted size."""
    content = sent.file.read(4 * FILE_CHARS_MAX + 1)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("iso-8859-1")


def _url(visit: PageVisit) -> str:
    return f"/crawls/{visit.path['crawl']}/filters"


def _actions(visit: PageVisit) -> FilterActions:
    return FilterActions(visit.parts, visit.who, visit.now, visit.path["crawl"])


ROUTES: Final = (
    PageRoute("/crawls/{crawl}/filters", show_filters),
    PageRoute("/crawls/{crawl}/filters", keep, role=UserRole.OPERATOR, method="POST"),
    PageRoute("/crawls/{crawl}/filters/check", check, method="POST"),
    PageRoute("/crawls/{crawl}/filters/upload", upload, role=UserRole.OPERATOR, method="POST"),
    PageRoute("/crawls/{crawl}/filters/files/{file}", download),
    PageRoute("/crawls/{crawl}/filters/simulator", show_simulator),
    PageRoute("/crawls/{crawl}/filters/simulator", run_simulator, method="POST"),
)
