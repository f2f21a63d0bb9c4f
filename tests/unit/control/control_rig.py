"""A control server without a network: what the tests of it share."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import argon2
from starlette.testclient import TestClient

from tiptoe.control.control_parts import ControlParts, ControlPlace
from tiptoe.control.user_role import UserRole
from tiptoe.control.visitor import SESSION_COOKIE
from tiptoe.control.web_app import build_app, build_parts

__all__ = ["NOW", "PASSWORD", "URL", "Clock", "Rig", "make_crawl", "rig"]

NOW = 1_800_000_000.0
URL = "http://127.0.0.1:8900"
PASSWORD = "a long password"

QUICK = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""Hashes in no time; how passwords are hashed is tested once, with the real one."""


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


class Rig:
    """A server with clients of any role."""

    def __init__(self, directory: Path | None, **place: Any) -> None:
        self.clock = Clock()
        self.directory = directory
        self.place = ControlPlace(url=URL, directory=directory, version="0", **place)
        self.parts: ControlParts = build_parts(self.place, clock=self.clock, hasher=QUICK)
        self.accounts = self.parts.accounts
        self.app = build_app(self.parts)

    def stranger(self) -> TestClient:
        """Return a client that nobody has let in."""
        return TestClient(self.app, base_url=URL, follow_redirects=False, raise_server_exceptions=False)

    def browser(self, role: UserRole = UserRole.ADMINISTRATOR, user: str = "") -> TestClient:
        """Return a client with a session; it sends the CSRF token along."""
        name = user or role.word
        self.accounts.add(name, PASSWORD, role, self.clock())
        key = self.parts.sessions.begin(name, role, self.clock())
        session = self.parts.sessions.find(key, self.clock())
        assert session is not None
        client = self.stranger()
        client.cookies.set(SESSION_COOKIE, key)
        client.headers["X-CSRF-Token"] = session.csrf
        return client

    def program(self, role: UserRole = UserRole.ADMINISTRATOR, user: str = "") -> TestClient:
        """Return a client with a token."""
        name = user or role.word
        self.accounts.add(name, PASSWORD, role, self.clock())
        made = self.parts.tokens.make(name, "test", role, self.clock())
        assert made is not None
        client = self.stranger()
        client.headers["Authorization"] = f"Bearer {made[0]}"
        return client

    def close(self) -> None:
        self.parts.store.close()


@contextmanager
def rig(directory: Path | None, **place: Any) -> Iterator[Rig]:
    """Run a server for a test."""
    made = Rig(directory, **place)
    try:
        yield made
    finally:
        made.close()


def make_crawl(directory: Path, seeds: list[str] | None = None) -> Path:
    """Make what a crawl leaves that was stopped before it asked anybody."""
    (directory / "log").mkdir(parents=True)
    (directory / "state").mkdir()
    marker = {"seeds": seeds or ["https://a.example/"], "written_at": NOW, "is_seeded": True}
    (directory / "crawl.json").write_text(json.dumps(marker))
    return directory
