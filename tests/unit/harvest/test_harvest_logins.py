"""How a visit gets in where a login is wanted, in virtual time."""

import asyncio
import contextlib
import gzip
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from harvest_samples import (
    HTML,
    NO_RULES,
    PAGE,
    RULES,
    Postbox,
    make_answer,
    make_failure,
    make_tools,
    run_jumping,
)

from simulated.proofs import read_requests
from tiptoe.access.access_rule import AccessRule
from tiptoe.access.access_rules import AccessRules
from tiptoe.access.login_form import LoginForm
from tiptoe.access.secret import Secret
from tiptoe.fetch.approach import Approach
from tiptoe.fetch.outcome import Answer, Failed, Failure
from tiptoe.harvest.outbox import Outbox
from tiptoe.harvest.parse_queue import ParseQueue
from tiptoe.harvest.slots import Slots
from tiptoe.harvest.walk import Switches, Walk
from tiptoe.protocol.messages import News
from tiptoe.protocol.work import HostWork, Purpose, Request, RobotsNote, RobotsState, Visit

WORD, TICKET = "correct-horse-battery", "sess10n"
ORIGIN = "https://a.example"
FORM = (
    b"<form method=post action=/enter>"
    b"<input type=hidden name=csrf value=f0rm-key><input name=user><input name=word></form>"
)
LOGIN = LoginForm(page="/login", fields=(("user", "robot"),), secrets=(("word", Secret(WORD)),))
BASIC = (("Authorization", Secret(f"Basic {WORD}")),)


def a_rule(login: LoginForm | None = LOGIN, **others: object) -> AccessRule:
    return AccessRule(name="rule 1", hosts=("a.example",), login=login, **others)  # type: ignore[arg-type]


@dataclass
class Site:
    """A site with a login, in place of the client."""

    word: str = WORD
    pages_per_login: int = 1000
    closed: str = "redirect"  # how a page is refused: by a redirect, or by a status
    broken: dict[str, Answer | Failed] = field(default_factory=dict)  # what some paths answer in any case
    asked: list[tuple[float, str]] = field(default_factory=list)  # when, and the path; a * behind it: posted
    hidden: list[tuple[str, tuple[tuple[str, str], ...]]] = field(default_factory=list)
    tickets: int = 0
    pages: int = 0

    async def fetch(
        self, url: str, *, address: str, headers: Sequence[tuple[str, str]], approach: Approach
    ) -> Answer | Failed:
        path = url.removeprefix(ORIGIN) + ("*" if approach.form is not None else "")
        self.asked.append((asyncio.get_running_loop().time(), path))
        self.hidden.append((path, approach.hidden))
        answer = self.broken.get(path) or self._answer(path, approach)
        await asyncio.sleep(answer.seconds)
        if isinstance(answer, Failed):
            return answer
        return make_answer(url, answer.body, status=answer.status, fields=_fields(answer.header_block))

    def _answer(self, path: str, approach: Approach) -> Answer:
        if path == "/login":
            return make_answer(body=FORM, fields=(*HTML, ("Set-Cookie", "pre=1")))
        if path == "/enter*":
            sent = dict(parse_qsl((approach.form or b"").decode()))
            if sent != {"csrf": "f0rm-key", "user": "robot", "word": self.word}:
                return make_answer(body=FORM)
            self.tickets, self.pages = self.tickets + 1, 0
            ticket = ("Set-Cookie", f"sid={TICKET}{self.tickets}; Path=/")
            return make_answer(body=b"", status=303, fields=(("Location", "/"), ticket))
        if path != "/robots.txt" and self._is_out(approach):
            if self.closed == "redirect":
                return make_answer(body=b"", status=302, fields=(("Location", f"/login?next={path}"),))
            return make_answer(body=b"<p>You are not logged in.</p>", status=int(self.closed))
        self.pages += 1
        body = PAGE.replace(b"Druhy", path.encode())
        return make_answer(body=body, fields=(*HTML, ("Set-Cookie", f"seen={TICKET}; Path=/")))

    def _is_out(self, approach: Approach) -> bool:
        fields = dict(approach.hidden)
        if fields.get("Authorization") == f"Basic {self.word}":
            return False
        ticket = f"sid={TICKET}{self.tickets}"
        return ticket not in fields.get("Cookie", "") or self.pages >= self.pages_per_login

    @property
    def paths(self) -> list[str]:
        return [path for _, path in self.asked]


def _fields(block: bytes) -> list[tuple[str, str]]:
    lines = block.decode().split("\r\n")[1:-2]
    return [(name, value) for name, _, value in (line.partition(": ") for line in lines)]


@dataclass
class Outing:
    """One visit of a.example, and what came of it."""

    directory: Path
    site: Site = field(default_factory=Site)
    paths: tuple[str, ...] = ("/1", "/2")
    rule: AccessRule = field(default_factory=a_rule)
    robots: RobotsNote | None = NO_RULES
    budget: int = 20
    scheme: str = "https"
    postbox: Postbox = field(default_factory=Postbox)

    def run(self) -> "Outing":
        run_jumping(self._run)
        return self

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        may_ask = asyncio.Event()
        may_ask.set()
        tools = make_tools(self.directory, self.site, politeness=replace(RULES, max_reqs=50))  # type: ignore[arg-type]
        tools.access = AccessRules([self.rule])
        tools.time = tools.calendar_time = loop.time
        self.outbox = Outbox(tools, self._hear, syncs=False)
        switches = Switches(may_ask, Slots(8), ParseQueue(8), lambda: True)
        origin = f"{self.scheme}://a.example"
        work = HostWork(
            "a.example", 2.0, self.budget, [Request(origin + path) for path in self.paths],
            {origin: self.robots} if self.robots is not None else {},
        )  # fmt: skip
        walk = Walk(Visit(7, "192.0.2.1", [work]), tools, self.outbox, switches, reads_tdmrep=False)
        carrier = loop.create_task(self._carry())
        await asyncio.wait_for(walk.run(), 10_000.0)
        carrier.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await carrier
        tools.outputs.close()

    async def _carry(self) -> None:
        while True:
            await asyncio.sleep(0.1)
            await self.outbox.flush()

    def _hear(self, news: News) -> None:
        self.postbox.news.append(news)
        for report in news.reports:
            if report.is_done:
                self.outbox.answered(report.visit, [])

    @property
    def told(self) -> dict[str, str]:
        """What was told of each page."""
        return {
            result.request.url.removeprefix(ORIGIN): result.failure or result.discard or str(result.status)
            for result in self.postbox.results
            if result.request.purpose is Purpose.PAGE
        }

    @property
    def counted(self) -> int:
        """How many requests the keeper was told of."""
        return sum(bool(result.status or result.failure) for result in self.postbox.results)


def test_the_form_is_posted_before_the_first_page(tmp_path: Path) -> None:
    """Two requests like any other: paced, counted, logged."""
    outing = Outing(tmp_path).run()
    assert outing.site.paths == ["/login", "/enter*", "/1", "/2"]
    assert outing.told == {"/1": "200", "/2": "200"}
    assert outing.counted == 4
    moments = [at for at, _ in outing.site.asked]
    assert all(later - earlier >= 2.25 for earlier, later in pairwise(moments))
    (log,) = (tmp_path / "log").glob("requests-*.jsonl")
    logged = list(read_requests(log))
    assert [(entry.purpose, entry.robots) for entry in logged] == [
        ("login", "allowed"), ("login", "allowed"), ("page", "allowed"), ("page", "allowed"),
    ]  # fmt: skip


def test_robots_txt_comes_first_and_keeps_us_from_logging_in(tmp_path: Path) -> None:
    """It is obeyed all the same: a page that may be asked for does not open one that may not."""
    rules = RobotsNote(RobotsState.RULES, rules=[(False, "/enter")])
    outing = Outing(tmp_path, robots=rules).run()
    assert outing.site.paths == ["/login"]
    (result,) = [one for one in outing.postbox.results if one.request.purpose is Purpose.PAGE]
    assert (result.discard, result.status) == ("login_failed", 0)
    assert result.detail.startswith("robots.txt forbids /enter")


def test_a_session_that_ends_is_begun_again_and_no_page_is_lost(tmp_path: Path) -> None:
    outing = Outing(tmp_path, Site(pages_per_login=2), paths=("/1", "/2", "/3", "/4", "/5")).run()
    assert outing.site.paths == [
        "/login", "/enter*", "/1", "/2", "/3",
        "/login", "/enter*", "/3", "/4", "/5",
        "/login", "/enter*", "/5",
    ]  # fmt: skip
    assert set(outing.told.values()) == {"200"}
    assert len(outing.told) == 5
    assert outing.counted == 13


@pytest.mark.parametrize("closed", ["401", "403"])
def test_a_status_may_say_that_we_are_logged_out(closed: str, tmp_path: Path) -> None:
    outing = Outing(tmp_path, Site(pages_per_login=1, closed=closed)).run()
    assert outing.site.paths == ["/login", "/enter*", "/1", "/2", "/login", "/enter*", "/2"]
    assert outing.told == {"/1": "200", "/2": "200"}


def test_a_page_may_say_in_words_that_we_are_logged_out(tmp_path: Path) -> None:
    site = Site(pages_per_login=1, closed="200")
    outing = Outing(tmp_path, site, rule=a_rule(replace(LOGIN, again_text="You are not logged in"))).run()
    assert site.paths == ["/login", "/enter*", "/1", "/2", "/login", "/enter*", "/2"]
    assert outing.told == {"/1": "200", "/2": "200"}


def test_a_page_that_would_log_us_out_is_not_asked_for(tmp_path: Path) -> None:
    outing = Outing(tmp_path, paths=("/1", "/logout?key=1", "/2")).run()
    assert outing.site.paths == ["/login", "/enter*", "/1", "/2"]
    assert outing.told == {"/1": "200", "/logout?key=1": "avoided", "/2": "200"}


def test_a_page_that_stays_forbidden_is_told_as_such(tmp_path: Path) -> None:
    site = Site(broken={"/1": make_answer(body=b"no", status=403)})
    outing = Outing(tmp_path, site).run()
    assert site.paths == ["/login", "/enter*", "/1", "/login", "/enter*", "/1", "/2"]
    assert outing.told == {"/1": "403", "/2": "200"}


def test_a_wrong_password_is_tried_twice_and_the_host_is_left(tmp_path: Path) -> None:
    outing = Outing(tmp_path, Site(word="another")).run()
    assert outing.site.paths == ["/login", "/enter*", "/login", "/enter*"]
    assert outing.told == {"/1": "login_failed"}
    assert [request.url for request in outing.postbox.returned] == [f"{ORIGIN}/2"]
    details = {result.detail for result in outing.postbox.results if result.detail}
    assert details == {"the site shows the login form again"}


@pytest.mark.parametrize("path", ["/login", "/enter*"])
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (make_failure(f"{ORIGIN}/login", Failure.TIMED_OUT), "timed_out"),
        (make_answer(body=b"", status=503), "503"),
    ],
)
def test_trouble_on_the_way_is_the_trouble_of_the_page(
    path: str, answer: Answer | Failed, outcome: str, tmp_path: Path
) -> None:
    """The keeper has its patience for it: no login is refused yet."""
    outing = Outing(tmp_path, Site(broken={path: answer})).run()
    assert outing.site.paths[-1] == path
    assert outing.told == {"/1": outcome}
    assert outing.counted == len(outing.site.paths)


def test_a_login_that_no_longer_fits_into_a_visit_waits_for_the_next(tmp_path: Path) -> None:
    outing = Outing(tmp_path, budget=2).run()
    assert outing.site.paths == []
    assert len(outing.postbox.returned) == 2


def test_over_http_nothing_is_revealed(tmp_path: Path) -> None:
    site = Site(broken={"http://a.example/1": make_answer(body=PAGE)})
    outing = Outing(tmp_path, site, paths=("/1",), rule=a_rule(hidden=BASIC), scheme="http").run()
    assert site.hidden == [("http://a.example/1", ())]
    assert outing.told == {"http://a.example/1": "200"}


def test_credentials_go_with_every_request_also_for_robots_txt(tmp_path: Path) -> None:
    """A robots.txt behind the same door is to be read, and obeyed."""
    site = Site()
    Outing(tmp_path, site, rule=a_rule(None, hidden=BASIC), robots=None).run()
    assert site.hidden == [
        (path, (("Authorization", f"Basic {WORD}"),)) for path in ("/robots.txt", "/1", "/2")
    ]


def test_credentials_that_are_refused_give_the_host_up(tmp_path: Path) -> None:
    site = Site(word="another", closed="401")
    outing = Outing(tmp_path, site, rule=a_rule(None, hidden=BASIC)).run()
    assert site.paths == ["/1"]
    assert (outing.told, outing.counted) == ({"/1": "login_failed"}, 1)


def test_a_rule_for_a_part_of_a_site_leaves_the_rest_alone(tmp_path: Path) -> None:
    site = Site(broken={"/open": make_answer(body=PAGE)})
    Outing(tmp_path, site, paths=("/open", "/m/1"), rule=a_rule(path="/m/")).run()
    assert site.paths == ["/open", "/login", "/enter*", "/m/1"]
    assert site.hidden[0] == ("/open", ())


def test_no_file_of_a_harvester_holds_a_secret(tmp_path: Path) -> None:
    """Neither the password nor the tickets that it buys, nor any answer on the way to them."""
    Outing(tmp_path, Site(pages_per_login=1), rule=a_rule(hidden=(("X-Key", Secret("k3y")),))).run()
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    (archive,) = [file for file in files if ".warc.gz" in file.name]
    assert gzip.decompress(archive.read_bytes()).count(b"Prvni odstavec") == 2  # the pages are there
    for file in files:
        data = gzip.decompress(file.read_bytes()) if file is archive else file.read_bytes()
        for secret in (WORD, TICKET, "k3y", "f0rm-key"):
            assert secret.encode() not in data, (file, secret)
