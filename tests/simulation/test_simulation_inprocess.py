"""The web without sockets behaves like the web with them, on whatever clock the loop has."""

import asyncio
import selectors
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pytest

from simulated.inprocess import InProcessClient, InProcessResolver
from tiptoe.fetch.guard import AddressGuard
from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.outcome import Answer, Failed, Failure
from tiptoe.testing.judge import Rules, judge
from tiptoe.testing.recorder import Arrival
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import Conduct, Life

AGENT = "tiptoe/1 (+https://bot.example/)"
SHAPE = WebShape(
    hosts=80, pages_per_host=20, latency_seconds=2.0, dead_host_share=0.3, silent_host_share=0.1,
    gzip_share=0.5, change_seconds=1_000.0,
)  # fmt: skip
WEB = SimulatedWeb(SHAPE)
LIVING = [
    host
    for host in map(WEB.hosts.at, range(80))
    if host.life is Life.ALIVE and host.conduct is Conduct.NORMAL
]
HOME = WEB.graph.url_of(LIVING[0], 0)
ADDRESS = WEB.address_of(LIVING[0].name)

Done = TypeVar("Done")


class JumpingLoop(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next timer instead of waiting for it."""

    class _Jumps(selectors.DefaultSelector):
        def __init__(self) -> None:
            super().__init__()
            self.now = 0.0

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            self.now += timeout or 0.0
            return super().select(0)

    def __init__(self) -> None:
        self._jumps = JumpingLoop._Jumps()
        super().__init__(self._jumps)

    def time(self) -> float:
        return self._jumps.now


@dataclass
class Scene:
    """A loop, a client on it and what the servers saw."""

    web: SimulatedWeb = WEB
    limits: FetchLimits = field(default_factory=FetchLimits)
    arrivals: list[Arrival] = field(default_factory=list)

    def play(self, make: "Any") -> "Any":
        with asyncio.Runner(loop_factory=JumpingLoop) as runner:
            loop = runner.get_loop()
            client = InProcessClient(
                self.web, limits=self.limits, user_agent=AGENT, time=loop.time, record=self.arrivals.append
            )
            return runner.run(make(client))

    def fetch(self, url: str, *, headers: tuple[tuple[str, str], ...] = ()) -> Answer | Failed:
        result: Answer | Failed = self.play(
            lambda client: client.fetch(url, address=self.web.address_of(_host(url)), headers=headers)
        )
        return result


def _host(url: str) -> str:
    return url.split("/")[2]


def run(task: Coroutine[Any, Any, Done]) -> Done:
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(task)


def test_a_page_comes_after_the_latency_of_its_host() -> None:
    scene = Scene()
    answer = scene.fetch(HOME)
    assert isinstance(answer, Answer)
    expected = WEB.respond(LIVING[0].name, "/", accepts_gzip=True)
    assert (answer.status, answer.body) == (200, expected.body)
    assert answer.seconds == pytest.approx(LIVING[0].latency_seconds)
    assert answer.address == ADDRESS
    assert answer.headers["etag"] == dict(expected.headers)["ETag"]
    assert answer.request_block.startswith(b"GET / HTTP/1.1\r\nHost: " + LIVING[0].name.encode())
    assert answer.header_block.endswith(b"\r\n\r\n")


def test_an_arrival_is_recorded_with_its_moments() -> None:
    scene = Scene()
    scene.fetch(HOME)
    [arrival] = scene.arrivals
    assert arrival[2:9] == (LIVING[0].name, ADDRESS, "GET", "/", 200, AGENT, 1)
    assert arrival.answered_at - arrival.arrived_at == pytest.approx(LIVING[0].latency_seconds)


def test_nobody_is_waited_for_longer_than_the_limits_say() -> None:
    silent = next(host for host in map(WEB.hosts.at, range(80)) if host.conduct is Conduct.SILENT)
    scene = Scene(limits=FetchLimits(slow_seconds=7.0))
    failed = scene.fetch(WEB.graph.url_of(silent, 0))
    assert isinstance(failed, Failed)
    assert failed.failure is Failure.TIMED_OUT
    assert failed.seconds == pytest.approx(7.0)
    assert scene.arrivals[0].status == 0


@pytest.mark.parametrize(
    ("life", "failure"), [(Life.REFUSED, Failure.REFUSED), (Life.NO_SUCH_HOST, Failure.NO_SUCH_HOST)]
)
def test_a_dead_host_fails_as_dead_hosts_do(life: Life, failure: Failure) -> None:
    host = next(host for host in map(WEB.hosts.at, range(80)) if host.life is life)
    scene = Scene()
    failed = scene.fetch(WEB.graph.url_of(host, 0))
    assert isinstance(failed, Failed)
    assert failed.failure is failure
    assert scene.arrivals == []


@pytest.mark.parametrize(
    ("url", "failure"),
    [
        ("gopher://a.example/", Failure.BAD_URL),
        ("file:///etc/hosts", Failure.BAD_URL),
        (HOME.replace("http:", "https:"), Failure.REFUSED),
        (f"http://{LIVING[0].name}:81/", Failure.REFUSED),
    ],
)
def test_what_is_not_spoken_here_is_refused(url: str, failure: Failure) -> None:
    failed = Scene().fetch(url)
    assert isinstance(failed, Failed)
    assert failed.failure is failure


def test_what_the_client_already_has_is_not_sent_again() -> None:
    etag = dict(WEB.respond(LIVING[0].name, "/").headers)["ETag"]
    again = Scene().fetch(HOME, headers=(("If-None-Match", etag),))
    other = Scene().fetch(HOME, headers=(("If-None-Match", '"another"'),))
    assert isinstance(again, Answer)
    assert isinstance(other, Answer)
    assert (again.status, again.body, other.status) == (304, b"", 200)


def test_the_web_of_a_client_changes_with_its_clock() -> None:
    async def look_twice(client: InProcessClient) -> tuple[Answer | Failed, Answer | Failed]:
        first = await client.fetch(HOME, address=ADDRESS)
        await asyncio.sleep(10_000.0)
        return first, await client.fetch(HOME, address=ADDRESS)

    first, second = Scene().play(look_twice)
    assert first.headers["etag"] != second.headers["etag"]


def test_a_cancelled_request_has_still_arrived() -> None:
    """A harvester that dies has been seen by the server all the same."""

    async def give_up(client: InProcessClient) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.25):
                await client.fetch(HOME, address=ADDRESS)

    scene = Scene()
    scene.play(give_up)
    [arrival] = scene.arrivals
    assert arrival.status == 0
    assert arrival.answered_at - arrival.arrived_at == pytest.approx(0.25)


def test_closing_ends_what_is_under_way() -> None:
    async def close_soon(client: InProcessClient) -> Answer | Failed:
        asyncio.get_running_loop().call_later(0.1, lambda: asyncio.ensure_future(client.close()))
        return await client.fetch(HOME, address=ADDRESS)

    failed = Scene().play(close_soon)
    assert failed.failure is Failure.HARVESTER_LOST
    assert failed.seconds == pytest.approx(0.1)


def test_requests_of_one_visit_share_a_connection() -> None:
    async def visit(client: InProcessClient) -> None:
        for keep in (True, False, True):
            await client.fetch(HOME, address=ADDRESS, keep=keep)

    scene = Scene()
    scene.play(visit)
    assert [arrival.connection for arrival in scene.arrivals] == [1, 1, 2]


def test_the_judge_understands_the_record() -> None:
    async def hurry(client: InProcessClient) -> None:
        await client.fetch(HOME + "robots.txt", address=ADDRESS)
        await client.fetch(HOME, address=ADDRESS)
        await asyncio.sleep(5.0)
        await client.fetch(HOME, address=ADDRESS)

    scene = Scene()
    scene.play(hurry)
    violations = judge(scene.arrivals, Rules(req_delay=1.0, max_hosts=9, max_reqs=9, general_pause=9.0))
    assert [(violation.rule, violation.lines) for violation in violations] == [("POL-1", (1, 2))]


def test_a_busy_server_s_wish_is_recorded() -> None:
    class Busy(SimulatedWeb):
        def respond(self, host: str, target: str, **rest: Any) -> Any:
            return replace(super().respond(host, target, **rest), status=503, headers=[("Retry-After", "30")])

    scene = Scene(web=Busy(SHAPE))
    scene.fetch(HOME)
    assert [(arrival.status, arrival.retry_after) for arrival in scene.arrivals] == [(503, 30.0)]


def test_hosts_are_looked_up_and_judged() -> None:
    async def look_up(resolver: InProcessResolver, host: str) -> tuple[str | None, Failure | None, float]:
        found = await resolver.resolve(host)
        return found.address, found.failure, asyncio.get_running_loop().time()

    dead = next(host for host in map(WEB.hosts.at, range(80)) if host.life is Life.NO_SUCH_HOST)
    latency = LIVING[0].latency_seconds
    open_resolver, guarded = InProcessResolver(WEB), InProcessResolver(WEB, guard=AddressGuard())
    address, failure, seconds = run(look_up(open_resolver, LIVING[0].name))
    assert (address, failure) == (ADDRESS, None)
    assert seconds == pytest.approx(latency)
    assert run(look_up(open_resolver, dead.name))[:2] == (None, Failure.NO_SUCH_HOST)
    assert run(look_up(open_resolver, "198.18.0.9")) == ("198.18.0.9", None, 0.0)
    assert run(look_up(guarded, LIVING[0].name))[:2] == (None, Failure.PRIVATE_ADDRESS)


def test_a_resolver_with_a_clock_remembers_for_a_while() -> None:
    async def look_up_often() -> list[float]:
        loop = asyncio.get_running_loop()
        resolver = InProcessResolver(WEB, time=loop.time)
        took = []
        for pause in (0.0, 10.0, 1_000.0):
            await asyncio.sleep(pause)
            began = loop.time()
            await resolver.resolve(LIVING[0].name)
            took.append(loop.time() - began)
        return took

    latency = pytest.approx(LIVING[0].latency_seconds)
    assert run(look_up_often()) == [latency, 0.0, latency]
