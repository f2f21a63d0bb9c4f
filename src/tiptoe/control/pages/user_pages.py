"""Pages for users: accounts, sessions, tokens, and the trail of their actions."""

from typing import Final

from tiptoe.control.notices import Undo
from tiptoe.control.one_time_links import OneTimeLinks
from tiptoe.control.page_route import Elsewhere, PageReply, PageRoute, PageVisit, ShownPage
from tiptoe.control.user_actions import UserActions
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem

__all__ = ["ROUTES"]

TRAIL_LINES: Final = 50


def show_users(visit: PageVisit) -> PageReply:
    """Show users, their sessions and tokens, and open invitations."""
    parts = visit.parts
    values = {
        "here": "users",
        "accounts": parts.accounts.list_all(),
        "invitations": parts.links.list_of(OneTimeLinks.JOIN, visit.now),
        "sessions": parts.sessions.list_all(visit.now),
        "tokens": parts.tokens.list_of(),
        "roles": list(UserRole),
    }
    return ShownPage("users.html", values)


def invite(visit: PageVisit) -> PageReply:
    """Make a link with which a new user chooses a password."""
    role = _role(visit)
    url = _users(visit).invite(visit.field("name").strip(), role)
    values = {"title": "A new user", "label": "Link", "secret": url, "back": "/users", "here": "users"}
    values["told"] = (
        f"Send this link to {visit.field('name').strip()}. It works once, within three days, and is shown "
        "only now."
    )
    return ShownPage("secret.html", values)


def withdraw_invitation(visit: PageVisit) -> PageReply:
    """Make the link of an invitation invalid."""
    name = visit.field("name")
    is_withdrawn = _users(visit).withdraw_invitation(name)
    text = f"the invitation of {name} was withdrawn" if is_withdrawn else "there is no such invitation"
    return Elsewhere(url="/users", message=text)


def change_role(visit: PageVisit) -> PageReply:
    """Give a user another role."""
    name = visit.path["user"]
    before = _users(visit).change_role(name, _role(visit))
    undo = Undo(f"/users/{name}/role", {"role": before.word})
    return Elsewhere(
        url="/users", message=f"{name} is now {_role(visit).word}; sessions were ended", undo=undo
    )


def lock(visit: PageVisit) -> PageReply:
    """Lock or unlock a user's account."""
    name, is_locked = visit.path["user"], visit.field("locked") == "yes"
    _users(visit).set_locked(name, is_locked=is_locked)
    undo = Undo(f"/users/{name}/lock", {"locked": "no" if is_locked else "yes"})
    text = f"{name} is let in no longer; sessions were ended" if is_locked else f"{name} is let in again"
    return Elsewhere(url="/users", message=text, undo=undo)


def remove(visit: PageVisit) -> PageReply:
    """Remove a user with all sessions and tokens."""
    name = visit.path["user"]
    _users(visit).remove(name)
    return Elsewhere(url="/users", message=f"{name} was removed, with sessions and tokens")


def end_session(visit: PageVisit) -> PageReply:
    """End the session of a browser."""
    is_ended = _users(visit).end_session(visit.field("session"))
    return Elsewhere(
        url="/users", message="the session was ended" if is_ended else "the session had ended already"
    )


def show_account(visit: PageVisit) -> PageReply:
    """Show users their own tokens, and the form for changing their password."""
    return ShownPage("account.html", _account_values(visit))


def change_password(visit: PageVisit) -> PageReply:
    """Change one's own password."""
    errors = _users(visit).change_password(
        visit.field("old"), visit.field("password"), visit.field("again"), address=visit.address
    )
    if errors:
        return ShownPage("account.html", {**_account_values(visit), "errors": errors}, status=422)
    return Elsewhere(url="/account", message="the password was changed; other sessions of yours were ended")


def make_token(visit: PageVisit) -> PageReply:
    """Make a token, which is shown once."""
    key = _users(visit).make_token(
        visit.field("name").strip(), _role(visit), _days(visit.field("days").strip())
    )
    values = {"title": "A new token", "label": "Token", "secret": key, "back": "/account", "here": ""}
    values["told"] = "It is shown only now. Programs send it as Authorization: Bearer …"
    return ShownPage("secret.html", values)


def revoke_token(visit: PageVisit) -> PageReply:
    """Revoke a token."""
    is_revoked = _users(visit).revoke_token(visit.field("token"))
    url = "/users" if visit.field("back") == "/users" else "/account"
    return Elsewhere(
        url=url, message="the token was revoked" if is_revoked else "there is no such token of yours"
    )


def show_trail(visit: PageVisit) -> PageReply:
    """Show the trail of actions."""
    before, words = visit.query.get("before", "0"), visit.query.get("q", "")[:200]
    lines = visit.parts.trail.read(
        before=int(before) if before.isascii() and before.isdigit() and len(before) < 18 else 0,
        count=TRAIL_LINES + 1,
        words=words,
    )
    values = {"here": "users", "lines": lines[:TRAIL_LINES], "words": words, "more": len(lines) > TRAIL_LINES}
    return ShownPage("trail.html", values)


def _account_values(visit: PageVisit) -> dict[str, object]:
    return {
        "here": "account",
        "tokens": visit.parts.tokens.list_of(visit.who.user),
        "roles": [role for role in UserRole if visit.who.may(role)],
        "account": visit.parts.accounts.find(visit.who.user),
        "errors": {},
    }


def _users(visit: PageVisit) -> UserActions:
    return UserActions(visit.parts, visit.who, visit.now)


def _days(typed: str) -> float:
    """Return the number of days for which a token is valid; 0, without limit, if nothing was typed."""
    if typed and not (typed.isascii() and typed.isdigit()):
        raise WebProblem(422, f"days: {typed[:40]!r} is no number", errors={"days": "expected a number"})
    return float(typed or 0)


def _role(visit: PageVisit) -> UserRole:
    return UserActions.role_named(visit.field("role"))


ROUTES: Final = (
    PageRoute("/users", show_users, role=UserRole.ADMINISTRATOR),
    PageRoute("/users/invite", invite, role=UserRole.ADMINISTRATOR, method="POST"),
    PageRoute("/users/uninvite", withdraw_invitation, role=UserRole.ADMINISTRATOR, method="POST"),
    PageRoute("/users/trail", show_trail, role=UserRole.ADMINISTRATOR),
    PageRoute("/users/end-session", end_session, role=UserRole.ADMINISTRATOR, method="POST"),
    PageRoute("/users/{user}/role", change_role, role=UserRole.ADMINISTRATOR, method="POST"),
    PageRoute("/users/{user}/lock", lock, role=UserRole.ADMINISTRATOR, method="POST"),
    PageRoute("/users/{user}/remove", remove, role=UserRole.ADMINISTRATOR, method="POST"),
    PageRoute("/account", show_account),
    PageRoute("/account/password", change_password, method="POST"),
    PageRoute("/account/tokens", make_token, method="POST"),
    PageRoute("/account/tokens/revoke", revoke_token, method="POST"),
)
