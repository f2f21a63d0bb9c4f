"""Which calls can robots make?

Six calls, each with the secret of the robot (`Authorization: Bearer tiptoerobot_…`). The caller is identified
by the secret alone: nothing in a call can name another robot. The data of a call are on disk before it is
answered.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tiptoe.control.admission import client_address
from tiptoe.control.api_operation import json_response
from tiptoe.control.control_parts import ControlParts
from tiptoe.control.robot_roster import KnownRobot
from tiptoe.control.web_problem import WebProblem
from tiptoe.protocol.robot_messages import (
    ROBOT_ROOT,
    BatchTaken,
    DescriptionBatch,
    ListPart,
    ListPartTaken,
    ReportTaken,
    RobotHello,
    RobotNews,
    RobotPoll,
    RobotReport,
    RobotWelcome,
    RoundPartRequest,
)

__all__ = ["RobotEndpoints"]

WAIT_SECONDS_MAX: Final = 55.0
"""Longest wait for news, because routers cut connections that are silent for a minute."""

CALLS_MAX: Final = 6
"""Maximum concurrent calls of one robot."""

LABEL_CHARS_MAX: Final = 200
FATES_MAX: Final = 1000
ATTENTION_MAX: Final = 20

Message = TypeVar("Message", bound=msgspec.Struct)


class RobotEndpoints:
    """The endpoints for robots."""

    def __init__(self, parts: ControlParts) -> None:
        self._parts = parts
        self._robots = parts.robots
        self._calls: Counter[str] = Counter()

    def routes(self) -> list[BaseRoute]:
        calls = {
            "hello": self.hello, "poll": self.poll, "report": self.report, "descriptions": self.describe,
            "list": self.tell_list, "merged": self.give_list,
        }  # fmt: skip
        return [Route(f"{ROBOT_ROOT}/{name}", call, methods=["POST"]) for name, call in calls.items()]

    async def hello(self, request: Request) -> Response:
        """Register a robot that starts."""
        robot = await self._admit(request)
        said = await _read(request, RobotHello)
        if not said.incarnation or len(said.incarnation) > LABEL_CHARS_MAX:
            raise WebProblem(422, f"incarnation: from 1 to {LABEL_CHARS_MAX} characters")
        address, now = client_address(request), self._parts.clock()

        def begin() -> RobotWelcome:
            self._robots.roster.begin(
                robot.name, said.incarnation, now, address=address, version=said.version[:LABEL_CHARS_MAX],
                machine=said.machine[:LABEL_CHARS_MAX], directory=said.directory[: 10 * LABEL_CHARS_MAX],
            )  # fmt: skip
            batch = self._robots.spool.last_batch(robot.name, said.incarnation)
            return RobotWelcome(robot=robot.name, batch=batch, now=now, made_at=robot.made_at)

        welcome = await run_in_threadpool(begin)
        self._robots.bell.ring(robot.name)  # ends a waiting call of the earlier process
        return json_response(welcome)

    async def poll(self, request: Request) -> Response:
        """Return news for a robot, waiting until there are some."""
        robot = await self._admit(request)
        asked = await _read(request, RobotPoll)
        loop = asyncio.get_running_loop()
        until = loop.time() + min(max(asked.wait, 0.0), WAIT_SECONDS_MAX)
        secret = _secret_of(request)
        with self._one_more(robot), self._robots.bell.waiting(robot.name) as call:
            while True:
                news = await run_in_threadpool(self._news, secret, asked)
                if not news.is_empty or not await call.wait(until - loop.time()) or call.is_dismissed:
                    return json_response(news)

    async def report(self, request: Request) -> Response:
        """Take in a robot's report on its state."""
        robot = await self._admit(request)
        report = _bounded(await _read(request, RobotReport))
        _expect(robot, report.incarnation)
        address, now = client_address(request), self._parts.clock()

        def take() -> None:
            self._robots.commands.settle(robot.name, report.fates, now)
            self._robots.presence.hear(robot, report, now, address=address)

        await run_in_threadpool(take)
        return json_response(ReportTaken(now=now))

    async def describe(self, request: Request) -> Response:
        """Store a robot's descriptions."""
        robot = await self._admit(request)
        with self._one_more(robot):
            batch = await _read(request, DescriptionBatch)
            _expect(robot, batch.incarnation)
            if not 0 < batch.number < 1 << 62:
                raise WebProblem(422, "number: at least 1")
            now = self._parts.clock()
            number = await run_in_threadpool(self._robots.spool.take, robot.name, batch, now)
        return json_response(BatchTaken(number=number))

    async def tell_list(self, request: Request) -> Response:
        """Take in a part of a robot's list of downloads, for a round."""
        robot = await self._admit(request)
        with self._one_more(robot):
            part = await _read(request, ListPart)
            _expect(robot, part.incarnation)
            now = self._parts.clock()
            is_wanted = await run_in_threadpool(self._robots.rounds.take_part, robot.name, part, now)
        return json_response(ListPartTaken(is_wanted=is_wanted))

    async def give_list(self, request: Request) -> Response:
        """Return a part of the list of what other robots have downloaded."""
        robot = await self._admit(request)
        with self._one_more(robot):
            part_asked = await _read(request, RoundPartRequest)
            _expect(robot, part_asked.incarnation)
            part = await run_in_threadpool(self._robots.rounds.give_part, robot.name, part_asked)
        return json_response(part)

    def _news(self, secret: str, asked: RobotPoll) -> RobotNews:
        """Return the news for a robot; check its secret again, which may have been revoked meanwhile."""
        robot = _known(self._robots.roster.admit, secret)
        _expect(robot, asked.incarnation)
        return RobotNews(
            commands=self._robots.commands.hand_out(
                robot.name, asked.after, self._parts.clock(), given_until=asked.given_until
            ),
            configuration=self._robots.configurations.newer(robot.name, asked.configuration),
            round=self._robots.rounds.call(robot.name, told=asked.told_round, taken=asked.taken_round),
        )

    async def _admit(self, request: Request) -> KnownRobot:
        return await run_in_threadpool(_known, self._robots.roster.admit, _secret_of(request))

    @contextmanager
    def _one_more(self, robot: KnownRobot) -> Iterator[None]:
        if self._calls[robot.name] >= CALLS_MAX:
            raise WebProblem(429, "too many calls of this robot at a time", headers={"Retry-After": "5"})
        self._calls[robot.name] += 1
        try:
            yield
        finally:
            self._calls[robot.name] -= 1


def _known(admit: Callable[[str], KnownRobot | None], secret: str) -> KnownRobot:
    robot = admit(secret) if secret else None
    if robot is None:
        raise WebProblem(
            401, "no robot has this secret: it was revoked, or a new one was made; see Robots in the browser",
            headers={"WWW-Authenticate": 'Bearer realm="tiptoe robot"'},
        )  # fmt: skip
    return robot


def _secret_of(request: Request) -> str:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def _expect(robot: KnownRobot, incarnation: str) -> None:
    """Raise WebProblem unless this is the last process that registered under this id."""
    if incarnation != robot.incarnation:
        raise WebProblem(
            409, f"another robot calls itself {robot.name} by now; give this one an id of its own"
        )


def _bounded(report: RobotReport) -> RobotReport:
    """Return a report, shortened where it is too long."""
    figures = msgspec.structs.replace(
        report.figures,
        state=report.figures.state[:40],
        attention=[one[:LABEL_CHARS_MAX] for one in report.figures.attention[:ATTENTION_MAX]],
    )
    return msgspec.structs.replace(report, figures=figures, fates=report.fates[:FATES_MAX])


async def _read(request: Request, kind: type[Message]) -> Message:
    """Return a robot's message; raise WebProblem when it is invalid."""
    content = await request.body()
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        status = 422 if isinstance(error, msgspec.ValidationError) else 400
        raise WebProblem(status, f"the body is no {kind.__name__}: {error}") from error
