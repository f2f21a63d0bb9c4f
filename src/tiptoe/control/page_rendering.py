"""How does a template become a page?

Everything that a template prints goes through `shown_text.shown` and is then escaped, so no page can forget
to do it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from tiptoe.control import page_formats
from tiptoe.control.browser_name import browser_name
from tiptoe.control.marked_text import coded, marked
from tiptoe.control.navigation import NAVIGATION
from tiptoe.control.shown_text import shortened, shown
from tiptoe.control.user_role import UserRole

if TYPE_CHECKING:
    from tiptoe.control.page_route import PageVisit

__all__ = ["PageRenderer"]


class PageRenderer:
    """The templates of the control server."""

    def __init__(self, version: str, stamp: str = "") -> None:
        self._version = version
        self._env = jinja2.Environment(
            loader=jinja2.PackageLoader("tiptoe.control", "templates"),
            autoescape=True,
            finalize=_finalized,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,  # a page consists of dozens; checking each for changes would be slow
        )
        self._env.filters |= page_formats.FILTERS
        self._env.globals["static"] = lambda name: f"/static/{name}?v={stamp}"
        self._env.filters["shortened"] = shortened
        self._env.filters["marked"] = marked
        self._env.filters["coded"] = coded
        self._env.filters["browser"] = browser_name

    def render(self, template: str, values: Mapping[str, Any], *, visit: "PageVisit | None") -> str:
        """Return a page as text."""
        visitor = visit.visitor if visit else None
        common: dict[str, Any] = {
            "visitor": visitor,
            "csrf": visitor.csrf if visitor else "",
            "navigation": [item for item in NAVIGATION if visitor is not None and visitor.may(item.role)],
            "notices": visit.parts.notices.take(visitor.session, visit.now) if visit and visitor else [],
            "version": self._version,
            "now": visit.now if visit else 0.0,
            "has_accounts": visit is not None and visit.parts.place.directory is not None,
            "UserRole": UserRole,
            "may_operate": visitor is not None and visitor.may(UserRole.OPERATOR),
            "may_administrate": visitor is not None and visitor.may(UserRole.ADMINISTRATOR),
            "here": "",
        }
        return self._env.get_template(template).render({**common, **values})

    def respond(
        self, template: str, values: Mapping[str, Any], *, visit: "PageVisit | None", status: int = 200
    ) -> Response:
        return HTMLResponse(self.render(template, values, visit=visit), status_code=status)


def _finalized(value: Any) -> Any:
    if isinstance(value, str) and not isinstance(value, Markup):
        return shown(value)
    return "" if value is None else value
