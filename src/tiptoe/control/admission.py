"""Is somebody let in, and who is it?

A browser shows the cookie of its session, a program a token (`Authorization: Bearer …`).
"""

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request

from tiptoe.control.control_parts import ControlParts
from tiptoe.control.user_role import UserRole
from tiptoe.control.visitor import SESSION_COOKIE, Visitor

__all__ = ["admit", "admit_token", "client_address"]


async def admit(request: Request, parts: ControlParts) -> Visitor | None:
    """Return who comes with a session; None when nobody does."""
    key = request.cookies.get(SESSION_COOKIE)
    return await run_in_threadpool(_by_session, key, parts, client_address(request)) if key else None


async def admit_token(request: Request, parts: ControlParts) -> Visitor | None:
    """Return who comes with a token; None when nobody does."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        return None
    return await run_in_threadpool(_by_token, key.strip(), parts, client_address(request))


def client_address(connection: HTTPConnection) -> str:
    """Return where a request comes from; headers that anybody can write are not believed."""
    return connection.client.host if connection.client else ""


def _by_session(key: str, parts: ControlParts, address: str) -> Visitor | None:
    session = parts.sessions.find(key, parts.clock())
    if session is None:
        return None
    role: UserRole | None = session.role
    if parts.place.directory is not None:  # else there are no accounts
        role = _role_now(session.user, session.role, parts)
    if role is None:
        return None
    return Visitor(user=session.user, role=role, address=address, session=session.id, csrf=session.csrf)


def _by_token(key: str, parts: ControlParts, address: str) -> Visitor | None:
    token = parts.tokens.find(key, parts.clock())
    if token is None:
        return None
    role = _role_now(token.user, UserRole.named(token.role), parts)
    return Visitor(user=token.user, role=role, address=address, token=token.id) if role else None


def _role_now(user: str, given: UserRole, parts: ControlParts) -> UserRole | None:
    """Return what a session or token may be used for by now; None: its user is let in no longer.

    Whoever is locked out or given a lesser role keeps nothing of it, not even in a session that began while
    that was done."""
    account = parts.accounts.find(user)
    if account is None or account.is_locked:
        return None
    return min(given, UserRole.named(account.role))
