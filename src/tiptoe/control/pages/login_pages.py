"""How do users log in and out?"""

from typing import Final

from tiptoe.control.accounts import password_fault, user_name_fault
from tiptoe.control.one_time_links import OneTimeLinks
from tiptoe.control.page_route import Elsewhere, PageReply, PageRoute, PageVisit, ShownPage
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem
from tiptoe.observe.amounts import human_seconds

__all__ = ["ROUTES", "local_path"]

USED_UP: Final = (
    "this link was used already, or is too old; whoever runs the server gets a new one by starting it again"
)


def show_login(visit: PageVisit) -> PageReply:
    """Show the login form."""
    if visit.visitor is not None:
        return Elsewhere(url=local_path(visit.query.get("to", "")))
    values = {
        "to": local_path(visit.query.get("to", "")),
        "name": "",
        "fault": "",
        "is_new": not _has_users(visit),
    }
    return ShownPage("login.html", values)


def log_in(visit: PageVisit) -> PageReply:
    """Begin a session for a name and its password."""
    name, password = visit.field("name").strip()[:200], visit.field("password")
    to = local_path(visit.field("to"))
    limits = visit.parts.limits
    if wait := limits.wait_seconds(name, visit.address, visit.now):
        text = f"too many tries; wait {human_seconds(wait)}"
        return ShownPage("login.html", {"to": to, "name": name, "fault": text, "is_new": False}, status=429)
    # Counted before the password is checked, so that concurrent attempts all count.
    limits.note_failure(name, visit.address, visit.now)
    account = visit.parts.accounts.admits(name, password)
    if account is None:
        visit.note("login.failed", f"user/{name}")
        text = "name or password is wrong"
        return ShownPage("login.html", {"to": to, "name": name, "fault": text, "is_new": False}, status=403)
    limits.note_success(name, visit.address)
    visit.parts.trail.note(name, "login", f"user/{name}", now=visit.now, address=visit.address)
    return _begin(visit, account.name, UserRole.named(account.role), to)


def log_out(visit: PageVisit) -> PageReply:
    """End the session of this browser."""
    visit.parts.sessions.end(visit.who.session)
    visit.note("logout", f"user/{visit.who.user}")
    return Elsewhere(url="/login", session_key="")


def show_welcome(visit: PageVisit) -> PageReply:
    """Use a one-time link: begin a session, or show the form for choosing a password."""
    key = visit.query.get("key", "")
    link = visit.parts.links.look(key, visit.now)
    if link is None:
        raise WebProblem(403, USED_UP)
    if link.purpose == OneTimeLinks.LOOK:
        if visit.parts.links.use(key, visit.now) is None:
            raise WebProblem(403, USED_UP)
        visit.parts.trail.note(link.user, "login.link", now=visit.now, address=visit.address)
        return _begin(visit, link.user, link.role, "/")
    return ShownPage("welcome.html", {"key": key, "link": link, "name": link.user, "errors": {}})


def make_account(visit: PageVisit) -> PageReply:
    """Make the account that a link permits."""
    key, password = visit.field("key"), visit.field("password")
    link = visit.parts.links.look(key, visit.now)
    if link is None or link.purpose == OneTimeLinks.LOOK:
        raise WebProblem(403, USED_UP)
    name = link.user or visit.field("name").strip()
    errors = {"name": user_name_fault(name), "password": password_fault(password)}
    if visit.field("again") != password:
        errors["again"] = "not the same"
    if any(errors.values()):
        return ShownPage(
            "welcome.html", {"key": key, "link": link, "name": name, "errors": errors}, status=422
        )
    if visit.parts.links.use(key, visit.now) is None:
        raise WebProblem(403, USED_UP)
    visit.parts.accounts.add(name, password, link.role, visit.now)
    visit.parts.trail.note(
        name, "user.made", f"user/{name}", link.role.word, now=visit.now, address=visit.address
    )
    return _begin(visit, name, link.role, "/")


def local_path(wanted: str) -> str:
    """Return a path on this server; anything that leads elsewhere becomes the start page."""
    is_local = wanted.startswith("/") and not wanted.startswith(("//", "/\\")) and wanted.isprintable()
    return wanted if is_local and "\\" not in wanted else "/"


def _begin(visit: PageVisit, user: str, role: UserRole, to: str) -> PageReply:
    browser = visit.headers.get("user-agent", "")
    key = visit.parts.sessions.begin(user, role, visit.now, address=visit.address, browser=browser)
    return Elsewhere(url=to, session_key=key)


def _has_users(visit: PageVisit) -> bool:
    return bool(visit.parts.accounts.list_all())


ROUTES: Final = (
    PageRoute("/login", show_login, role=None),
    PageRoute("/login", log_in, role=None, method="POST"),
    PageRoute("/logout", log_out, method="POST"),
    PageRoute("/welcome", show_welcome, role=None),
    PageRoute("/welcome", make_account, role=None, method="POST"),
)
