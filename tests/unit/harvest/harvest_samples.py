"""A harvester's tools with a web that is a dictionary, and time that jumps."""

import asyncio
import contextlib
import io
import os
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from open_files import close_after_test
from tiptoe.decide.scheduling import schedule_point
from tiptoe.decide.storing import store_point
from tiptoe.errors import DiskFull
from tiptoe.fetch.approach import PLAIN_APPROACH, Approach
from tiptoe.fetch.guard import AddressGuard
from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.outcome import Answer, Failed, Failure, Headers
from tiptoe.fetch.resolve import Resolution
from tiptoe.frontier.politeness import Politeness
from tiptoe.harvest.busy import BusyNote
from tiptoe.harvest.journey import digest, rate, read, report, write
from tiptoe.harvest.judgement import DuplicityRules, TextJudgement
from tiptoe.harvest.outlinks import Outlinks
from tiptoe.harvest.request_context import RequestContext
from tiptoe.harvest.tools import Tools
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.messages import Judged, News
from tiptoe.protocol.work import HostWork, Request, Result, RobotsNote, RobotsState
from tiptoe.segment.segmenter_protocol import Rating
from tiptoe.url.canonical import Canonicalizer, CanonicalRules
from tiptoe.write.appendfile import Write
from tiptoe.write.output_sets import OutputSets
from tiptoe.write.outputs import Outputs
from tiptoe.write.warc import WarcInfo

RULES = Politeness(req_delay=2.0, max_hosts=2, max_reqs=5, general_pause=60.0)
INFO = WarcInfo(software="tiptoe/0.1", operator="https://bot.example/", user_agent="tiptoe", hostname="box")
HTML = (("Content-Type", "text/html; charset=utf-8"),)
PAGE = b"<html lang=cs><title>Titul</title><body><p>Prvni odstavec.<p>Druhy <a href='/x'>odkaz</a>.</body>"
NO_RULES = RobotsNote(RobotsState.RULES)

Done = TypeVar("Done")


def close(tools: Tools) -> None:
    tools.busy.close()
    with contextlib.suppress(DiskFull):  # what a test filled up is still full
        tools.outputs.close()


def make_answer(
    url: str = "http://a.example/",
    body: bytes = PAGE,
    *,
    status: int = 200,
    fields: Sequence[tuple[str, str]] = HTML,
    seconds: float = 0.25,
) -> Answer:
    """Return what a server might have said."""
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return Answer(
        url=url,
        status=status,
        request_block=b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
        header_block=f"HTTP/1.1 {status} Fine\r\n{head}\r\n".encode(),
        headers=Headers(list(fields)),
        body=body,
        address="192.0.2.1",
        started_at=1_790_000_000.0,
        seconds=seconds,
    )


def make_failure(url: str, failure: Failure = Failure.RESET) -> Failed:
    """Return a request that got no answer."""
    return Failed(url=url, failure=failure, started_at=1_790_000_000.0, seconds=0.1)


@dataclass
class Web:
    """Stands in for the client: answers from a dictionary and notes who was asked when."""

    answers: dict[str, Answer | Failed] = field(default_factory=dict)
    asked: list[tuple[float, str]] = field(default_factory=list)
    fields: list[tuple[str, str]] = field(default_factory=list)  # of the last request
    approaches: list[tuple[str, Approach]] = field(default_factory=list)

    async def fetch(
        self,
        url: str,
        *,
        address: str,
        headers: Sequence[tuple[str, str]],
        approach: Approach = PLAIN_APPROACH,
    ) -> Answer | Failed:
        assert address == "192.0.2.1"
        self.fields = list(headers)
        self.approaches.append((url, approach))
        self.asked.append((asyncio.get_running_loop().time(), url))
        found = self.answers.get(url)
        if found is None:
            found = make_answer(url, b"", status=404, fields=())
        await asyncio.sleep(found.seconds)
        return found

    @property
    def urls(self) -> list[str]:
        return [url for _, url in self.asked]


class Names:
    """Stands in for the resolver: every name is an address, and without a guard a good one."""

    def __init__(self, guard: AddressGuard | None = None) -> None:
        self._guard = guard
        self.asked: list[str] = []

    async def resolve(self, host: str, last_address: str = "") -> Resolution:
        self.asked.append(host)
        if self._guard is not None and not self._guard.permits(host):
            return Resolution(None, Failure.PRIVATE_ADDRESS)
        return Resolution(host, None)

    async def close(self) -> None:
        """Nothing to let go of."""


def make_tools(
    directory: Path,
    web: Web | None = None,
    *,
    politeness: Politeness = RULES,
    write: Write = os.write,
    is_sharded: bool = False,
) -> Tools:
    """Return everything a journey needs."""
    incarnation = "h1-1a2b-0001" if is_sharded else "h1-0001"
    tools = Tools(
        harvester=incarnation,
        agent="tiptoe",
        client=web or Web(),  # type: ignore[arg-type]
        resolver=Names(),  # type: ignore[arg-type]
        limits=FetchLimits(),
        politeness=politeness,
        outlinks=Outlinks(Canonicalizer(CanonicalRules()), schedule_point()),
        outputs=OutputSets(
            incarnation,
            lambda writer, terms: Outputs(
                directory,
                writer,
                info=INFO,
                write=write,
                warc_bytes_max=10**9,
                corpus_bytes_max=10**9,
                corpus_encoding="utf-8",
                compression_level=1,
                terms=terms,
            ),
            is_sharded=is_sharded,
        ),
        busy=BusyNote(directory / "state" / "h1-0001.busy"),
        log=EventLog("h1-0001", io.StringIO()),
        store=store_point(is_copy=DuplicityRules().is_copy),
    )
    close_after_test(lambda: close(tools))
    return tools


def make_context(rules: RobotsNote | None = NO_RULES) -> RequestContext:
    """Return the context of a request to a.example."""
    return RequestContext(visit=7, host="a.example", address="192.0.2.1", delay=2.0, rules=rules)


def take_in(
    request: Request, answer: Answer | Failed, tools: Tools, *, duplicity: float | None = None,
    texts: bytes = b"",
) -> Result:  # fmt: skip
    """Take one answer all the way; the keeper, if it is asked, knows so much of the text."""
    draft = read(request, answer, replace(make_context(), texts=texts), tools)
    with contextlib.suppress(StopIteration):
        rate(draft, tools).send(None)  # a `Rater` never waits, so neither do we, on a loop or not
    if draft.fingerprint is not None:
        draft.judgement = TextJudgement(duplicity)
    digest(draft, tools)
    write([(7, draft)], tools)
    return report(draft)


class Rater:
    """A segmenter that says the same of every text, and remembers what it was asked."""

    def __init__(self, usability: float | None) -> None:
        self.usability = usability
        self.asked: list[tuple[str, str, int]] = []

    async def rate(self, url: str, language: str, paragraphs: list[str]) -> Rating | None:
        self.asked.append((url, language, len(paragraphs)))
        return None if self.usability is None else Rating("", self.usability)

    def take(self) -> Judged | None:
        return None

    async def close(self) -> None:
        pass


def work_for(host: str, *paths: str, robots: RobotsNote | None = NO_RULES, budget: int = 5) -> HostWork:
    """Return what a visit is to ask of one host; no robots = they are to be asked for first."""
    origin = f"http://{host}"
    notes = {origin: robots} if robots is not None else {}
    return HostWork(host, 2.0, budget, [Request(origin + path) for path in paths], notes)


@dataclass
class Postbox:
    """Stands in for the keeper's end of the wire."""

    news: list[News] = field(default_factory=list)

    @property
    def results(self) -> list[Result]:
        return [result for news in self.news for report in news.reports for result in report.results]

    @property
    def returned(self) -> list[Request]:
        return [request for news in self.news for report in news.reports for request in report.returned]


class JumpingLoop(asyncio.SelectorEventLoop):
    """Where everybody sleeps, time jumps to the moment the first one wakes."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__()

    def time(self) -> float:
        return self._now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self._now = max(self._now, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


def run_jumping(step: Callable[[], Coroutine[object, object, Done]]) -> Done:
    """Run a coroutine in virtual time."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(step())


class KeeperEnd:
    """The keeper's end of a wire on which several messages can lie at once; says nothing by itself."""

    def __init__(self) -> None:
        self.sent: list[object] = []
        self.to_hear: asyncio.Queue[object] = asyncio.Queue()

    def say(self, *messages: object) -> None:
        for message in messages:
            self.to_hear.put_nowait(message)

    def send(self, message: object) -> None:
        self.sent.append(message)

    def send_from_thread(self) -> None:
        """Nothing to do."""

    async def drain(self) -> None:
        """Everything is heard at once."""

    async def receive(self) -> object:
        return await self.to_hear.get()

    def close(self) -> None:
        """Nothing to let go of."""
