"""Does a request have access, and on whose behalf?

A browser sends the cookie of its session, a program a token (`Authorization: Bearer …`).
"""

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request

from tiptoe.control.control_parts import ControlParts
from tiptoe.control.user_role import UserRole
from tiptoe.control.visitor import SESSION_COOKIE, Visitor

__all__ = ["admit", "admit_token", "client_address"]


async def admit(request: Request, parts: ControlParts) -> Visitor | None:
    """Return the visitor with a valid session; None without one."""
    key = request.cookies.get(SESSION_COOKIE)
    return await run_in_threadpool(_by_session, key, parts, client_address(request)) if key else None


async def admit_token(request: Request, parts: ControlParts) -> Visitor | None:
    """Return the visitor with a valid token; None without one."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        return None
    return await run_in_threadpool(_by_token, key.strip(), parts, client_address(request))


def client_address(connection: HTTPConnection) -> str:
    """Return the address that a request comes from, ignoring headers that anyone can set."""
    return connection.client.host if connection.client else ""


def _by_session(key: str, parts: ControlParts, address: str) -> Visitor | None:
    session = parts.sessions.find(key, parts.clock())
    if session is None:
        return None
    role: UserRole | None = session.role
    if parts.place.directory is not None:  # otherwise there are no accounts
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
    """Return the current role of a session or token; None: its user no longer has access.

    A user who is locked or given a lesser role loses the old rights, even in a session that began at the same
    time."""
    account = parts.accounts.find(user)
    if account is None or account.is_locked:
        return None
    return min(given, UserRole.named(account.role))
