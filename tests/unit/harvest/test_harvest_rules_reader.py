"""Robots.txt and the reservation of rights, read in the course of a visit."""

import asyncio
import gzip
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest
from harvest_samples import RULES, make_answer, make_failure, make_tools, work_for

from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.harvest.busy import BusyNote
from tiptoe.harvest.draft import Draft
from tiptoe.harvest.journey import report, write
from tiptoe.harvest.lane import Lane
from tiptoe.harvest.rules_reader import RulesReader, is_exempt
from tiptoe.keeper.directory import take_busy_note
from tiptoe.protocol.work import Purpose, Request, Result, RobotsNote, RobotsState

ORIGIN = "http://a.example"
ROBOTS = f"{ORIGIN}/robots.txt"
TDMREP = f"{ORIGIN}/.well-known/tdmrep.json"


@dataclass
class Reader:
    """A rules reader whose questions are answered from a dictionary."""

    directory: Path
    answers: dict[str, Answer | Failed]
    requests_max: int = 100
    reads_tdmrep: bool = True
    busy: BusyNote | None = None
    asked: list[str] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)

    @property
    def told(self) -> list[Result]:
        return [report(draft) for draft in self.drafts]

    def read(self, known: RobotsNote | None = None) -> RobotsNote | None:
        self.lane = Lane.of(work_for("a.example", "/x", robots=None), RULES)
        self.tools = make_tools(self.directory)
        if self.busy is not None:
            self.tools.busy = self.busy
        log = self.tools.outputs.of(0).requests
        reader = RulesReader(self.ask, self.drafts.append, self.tools, log, reads_tdmrep=self.reads_tdmrep)
        return asyncio.run(reader.read(self.lane, ORIGIN, known))

    async def ask(self, lane: Lane, request: Request, purpose: str) -> Answer | Failed | None:
        assert request.purpose is Purpose.RULES_REQUEST
        if len(self.asked) == self.requests_max:
            return None
        self.asked.append(request.url)
        return self.answers.get(request.url, make_answer(request.url, b"", status=404, fields=()))


def robots(text: str, status: int = 200) -> Answer:
    return make_answer(ROBOTS, text.encode(), status=status, fields=[("Content-Type", "text/plain")])


def moved(url: str, to: str) -> Answer:
    return make_answer(url, b"", status=301, fields=[("Location", to)])


def test_rules_are_read_and_told(tmp_path: Path) -> None:
    """The keeper keeps them for the next visit."""
    text = "User-agent: *\nDisallow: /private\nSitemap: /map.xml"
    reader = Reader(tmp_path, {ROBOTS: robots(text)})
    note = reader.read()
    assert note == RobotsNote(RobotsState.RULES, [(False, "/private")], sitemaps=[f"{ORIGIN}/map.xml"])
    assert reader.lane.rules == {ORIGIN: note}
    assert reader.told[-1] == Result(Request(ROBOTS, Purpose.ROBOTS), robots=note)
    assert [result.request.url for result in reader.told[:-1]] == reader.asked == [ROBOTS, TDMREP]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_rules_that_do_not_exist_forbid_nothing(tmp_path: Path, status: int) -> None:
    """4xx = no rules (RFC 9309)."""
    note = Reader(tmp_path, {ROBOTS: robots("Disallow: /", status)}).read()
    assert note == RobotsNote(RobotsState.RULES)


@pytest.mark.parametrize("status", [429, 500, 503, 599])
def test_rules_that_cannot_be_had_keep_us_out(tmp_path: Path, status: int) -> None:
    """5xx and 429 = stay away, for as long as the server says."""
    answer = make_answer(ROBOTS, b"", status=status, fields=[("Retry-After", "900")])
    reader = Reader(tmp_path, {ROBOTS: answer})
    assert reader.read() == RobotsNote(RobotsState.UNREACHABLE, retry_after=900.0)
    assert reader.asked == [ROBOTS]
    assert reader.lane.rules == {}


def test_no_answer_at_all_keeps_us_out(tmp_path: Path) -> None:
    """A server that is down has not said that we may."""
    reader = Reader(tmp_path, {ROBOTS: make_failure(ROBOTS)})
    assert reader.read() == RobotsNote(RobotsState.UNREACHABLE)
    assert [result.failure for result in reader.told] == ["reset", ""]


LONG = "User-agent: *\nDisallow: /private\n" + "# and so on\n" * 50_000
"""More than the 500 KiB that are read at least (RFC 9309, 2.5)."""

PACKED = gzip.compress(b"User-agent: *\nDisallow: /", mtime=0)


@pytest.mark.parametrize("limit", ["time", "length"])
def test_rules_of_which_a_part_is_missing_keep_us_out(tmp_path: Path, limit: str) -> None:
    """The missing lines may be the ones that concern us."""
    cut = msgspec.structs.replace(robots("User-agent: *\nDisallow: /cgi-bin/\n"), truncated=limit)
    reader = Reader(tmp_path, {ROBOTS: cut})
    assert reader.read() == RobotsNote(RobotsState.UNREACHABLE)
    assert reader.lane.rules == {}


@pytest.mark.parametrize("limit", ["time", "length"])
def test_of_endless_rules_the_beginning_counts(tmp_path: Path, limit: str) -> None:
    """Nobody has to read more than 500 KiB."""
    cut = msgspec.structs.replace(robots(LONG), truncated=limit)
    assert Reader(tmp_path, {ROBOTS: cut}).read() == RobotsNote(RobotsState.RULES, [(False, "/private")])


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", PACKED[:3] + b"\xff" * 30),
        ("gzip", PACKED[:-10]),
        ("br", b"User-agent: *\nDisallow: /"),
        ("lzma", b"\x5d\0\0\x80\0\xff\xfe\x02"),
        ("lzma", b"\x5d\0\0\x80\0\xff\xfe\x02" * 100_000),
    ],
    ids=["broken", "cut", "not packed at all", "unknown", "unknown and long"],
)
def test_rules_that_cannot_be_unpacked_keep_us_out(tmp_path: Path, coding: str, body: bytes) -> None:
    """There are some, and nobody can say which."""
    answer = make_answer(ROBOTS, body, fields=[("Content-Encoding", coding)])
    assert Reader(tmp_path, {ROBOTS: answer}).read() == RobotsNote(RobotsState.UNREACHABLE)


def test_of_endless_packed_rules_the_beginning_counts(tmp_path: Path) -> None:
    """What is packed ends in the middle of its coding when it is cut."""
    packed = gzip.compress(LONG.encode(), mtime=0)
    answer = make_answer(ROBOTS, packed[:-9], fields=[("Content-Encoding", "gzip")])
    cut = msgspec.structs.replace(answer, truncated="length")
    assert Reader(tmp_path, {ROBOTS: cut}).read() == RobotsNote(RobotsState.RULES, [(False, "/private")])


@pytest.mark.parametrize("coding", ["gzip", "utf-8"])
def test_plain_rules_that_claim_to_be_packed_are_read(tmp_path: Path, coding: str) -> None:
    """Such servers are common, and nothing is missing."""
    answer = make_answer(ROBOTS, b"User-agent: *\nDisallow: /x", fields=[("Content-Encoding", coding)])
    assert Reader(tmp_path, {ROBOTS: answer}).read() == RobotsNote(RobotsState.RULES, [(False, "/x")])


def test_a_redirect_within_the_host_is_followed(tmp_path: Path) -> None:
    """http to https is the most common of all; the rules count for the origin that was asked."""
    secure = "https://a.example/robots.txt"
    reader = Reader(tmp_path, {ROBOTS: moved(ROBOTS, secure), secure: robots("User-agent: *\nDisallow: /x")})
    note = reader.read()
    assert note is not None
    assert note.rules == [(False, "/x")]
    assert reader.asked[:2] == [ROBOTS, secure]
    assert list(reader.lane.rules) == [ORIGIN]


def test_a_redirect_to_another_host_is_the_keepers_business(tmp_path: Path) -> None:
    """That host has its own pace and its own turn."""
    elsewhere = "http://www.a.example/robots.txt"
    reader = Reader(tmp_path, {ROBOTS: moved(ROBOTS, elsewhere)})
    assert reader.read() == RobotsNote(RobotsState.MOVED, location=elsewhere)
    assert reader.asked == [ROBOTS]


def test_a_loop_of_redirects_ends_as_if_there_were_no_rules(tmp_path: Path) -> None:
    """Five hops, then the file counts as missing (RFC 9309, 2.3.1.2)."""
    other = f"{ORIGIN}/r.txt"
    reader = Reader(tmp_path, {ROBOTS: moved(ROBOTS, other), other: moved(other, ROBOTS)}, reads_tdmrep=False)
    assert reader.read() == RobotsNote(RobotsState.RULES)
    assert len(reader.asked) == 6


def test_a_redirect_to_nowhere_is_no_rule(tmp_path: Path) -> None:
    """Location may hold anything."""
    reader = Reader(tmp_path, {ROBOTS: moved(ROBOTS, "javascript:void(0)")})
    assert reader.read() == RobotsNote(RobotsState.RULES)


def test_compressed_rules_are_unpacked(tmp_path: Path) -> None:
    """Read as garbage they would forbid nothing."""
    fields = [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")]
    body = gzip.compress(b"User-agent: *\nDisallow: /x")
    note = Reader(tmp_path, {ROBOTS: make_answer(ROBOTS, body, fields=fields)}).read()
    assert note is not None
    assert note.rules == [(False, "/x")]


def test_a_visit_that_ends_before_the_rules_are_there_tells_nothing_of_them(tmp_path: Path) -> None:
    """The next visit asks again."""
    reader = Reader(tmp_path, {}, requests_max=0)
    assert reader.read() is None
    assert reader.told == []


def test_the_reservation_is_read_with_the_rules(tmp_path: Path) -> None:
    """/.well-known/tdmrep.json (POL-6)."""
    tdmrep = make_answer(TDMREP, b'[{"location": "/articles/", "tdm-reservation": 1}]')
    note = Reader(tmp_path, {TDMREP: tdmrep}).read()
    assert note == RobotsNote(RobotsState.RULES, tdm=[("/articles/", True)])


def test_the_reservation_is_asked_for_only_where_the_rules_allow_it(tmp_path: Path) -> None:
    """It is a page like any other."""
    reader = Reader(tmp_path, {ROBOTS: robots("User-agent: *\nDisallow: /")})
    assert reader.read() == RobotsNote(RobotsState.RULES, [(False, "/")])
    assert reader.asked == [ROBOTS]


def test_the_reservation_is_not_asked_for_when_it_is_not_wanted(tmp_path: Path) -> None:
    """One request less to every host."""
    reader = Reader(tmp_path, {}, reads_tdmrep=False)
    reader.read()
    assert reader.asked == [ROBOTS]


def test_a_visit_that_ends_before_the_reservation_leaves_the_rules_in_part(tmp_path: Path) -> None:
    """Else the pages of the next visit would be taken for free to use, for as long as the rules are fresh."""
    reader = Reader(tmp_path, {ROBOTS: robots("User-agent: *\nDisallow: /private")}, requests_max=1)
    note = reader.read()
    assert note == RobotsNote(RobotsState.RULES, [(False, "/private")], is_partial=True)
    assert reader.told[-1].robots == note


def test_a_crawl_delay_is_told_before_anything_else_is_asked_for(tmp_path: Path) -> None:
    """A harvester that is lost while it waits for its turn to ask must not take it along."""
    reader = Reader(tmp_path, {ROBOTS: robots("User-agent: *\nCrawl-delay: 7")})
    assert reader.read() == RobotsNote(RobotsState.RULES, crawl_delay=7.0)
    told = [(result.request.url, result.robots) for result in reader.told]
    partial, whole = (RobotsNote(RobotsState.RULES, crawl_delay=7.0, is_partial=it) for it in (True, False))
    assert told == [(ROBOTS, None), (ROBOTS, partial), (TDMREP, None), (ROBOTS, whole)]
    assert [draft.is_urgent for draft in reader.drafts] == [False, True, False, True]


def test_a_crawl_delay_is_told_once_where_nothing_else_is_asked_for(tmp_path: Path) -> None:
    reader = Reader(tmp_path, {ROBOTS: robots("User-agent: *\nCrawl-delay: 7")}, reads_tdmrep=False)
    note = reader.read()
    assert [result.robots for result in reader.told] == [None, note]


def test_of_rules_in_part_only_the_rest_is_asked_for(tmp_path: Path) -> None:
    known = RobotsNote(RobotsState.RULES, [(False, "/private")], fetched_at=7.0, is_partial=True)
    reserved = b'[{"location": "/", "tdm-reservation": 1}]'
    answer = make_answer(TDMREP, reserved, fields=[("Content-Type", "application/json")])
    reader = Reader(tmp_path, {TDMREP: answer})
    note = reader.read(known)
    assert note is not None
    assert (note.rules, note.tdm, note.fetched_at) == ([(False, "/private")], [("/", True)], 7.0)
    assert not note.is_partial
    assert reader.asked == [TDMREP]
    assert reader.told[-1] == Result(Request(ROBOTS, Purpose.ROBOTS), robots=note)


@pytest.mark.parametrize(("rules", "reads_tdmrep"), [([(False, "/")], True), ([], False)])
def test_a_rest_that_must_not_or_need_not_be_asked_for_is_no_rest(
    tmp_path: Path, rules: list[tuple[bool, str]], reads_tdmrep: bool
) -> None:
    """Else the host would wait for it for ever; settings may have changed between two runs."""
    reader = Reader(tmp_path, {}, reads_tdmrep=reads_tdmrep)
    assert reader.read(RobotsNote(RobotsState.RULES, rules, is_partial=True)) == RobotsNote(
        RobotsState.RULES, rules
    )
    assert reader.asked == []


def test_rules_need_no_leave_and_neither_do_files_of_this_machine() -> None:
    """Everything else does."""
    assert is_exempt(Request(ROBOTS, Purpose.ROBOTS))
    assert is_exempt(Request("file:///a/b.html"))
    assert not is_exempt(Request(ROBOTS))
    assert not is_exempt(Request(f"{ORIGIN}/sitemap.xml", Purpose.SITEMAP))


def test_the_path_is_judged_with_its_query() -> None:
    """Search results are what is disallowed most."""
    note = RobotsNote(RobotsState.RULES, [(False, "/search?"), (True, "/search?page=1")])
    lane = Lane.of(work_for("a.example", robots=note), RULES)
    assert lane.robots_of(ORIGIN).allows("/search")
    assert not lane.robots_of(ORIGIN).allows("/search?q=1")
    assert lane.robots_of(ORIGIN).allows("/search?page=1")
    lane.rules[ORIGIN] = RobotsNote(RobotsState.RULES)
    assert lane.robots_of(ORIGIN).allows("/search?q=1"), "other rules are read anew"
    lane.rules[ORIGIN] = RobotsNote(RobotsState.RULES, [(False, "/")])
    assert not lane.robots_of(ORIGIN).allows("/search")


def test_a_busy_server_is_told_of_whatever_it_was_asked_for(tmp_path: Path) -> None:
    """Retry-After on the way to a host's rules counts like any other (POL-8)."""
    busy = make_answer(TDMREP, b"", status=429, fields=[("Retry-After", "900")])
    reader = Reader(tmp_path, {ROBOTS: robots("User-agent: *\nDisallow:"), TDMREP: busy})
    reader.read()
    assert [(result.status, result.retry_after) for result in reader.told[:2]] == [(200, 0.0), (429, 900.0)]


# -- reservations that cannot be read ------------------------------------

RESERVED = b'[{"location": "/", "tdm-reservation": 1}]'
PARTIAL = RobotsNote(RobotsState.RULES, is_partial=True)
AWAY = RobotsNote(RobotsState.UNREACHABLE)


def tdmrep(body: bytes = RESERVED, *, coding: str = "", status: int = 200) -> Answer:
    fields = [("Content-Type", "application/json")] + ([("Content-Encoding", coding)] if coding else [])
    return make_answer(TDMREP, body, status=status, fields=fields)


def notes_told(reader: Reader) -> list[RobotsNote]:
    return [result.robots for result in reader.told if result.robots is not None]


@pytest.mark.parametrize(
    "answer",
    [
        msgspec.structs.replace(tdmrep(), truncated="length"),
        msgspec.structs.replace(tdmrep(b""), truncated="time"),
        tdmrep(RESERVED[:-5]),
        tdmrep(gzip.compress(RESERVED)[:-12], coding="gzip"),
        tdmrep(b"\x1f\x8b\xff\xff", coding="gzip"),
        tdmrep(RESERVED, coding="br"),
        tdmrep(b"[" + b" " * (1 << 21) + b"]"),
        tdmrep(status=502),
        tdmrep(status=503),
        make_failure(TDMREP),
    ],
    ids=[
        "length",
        "time",
        "hung up",
        "half packed",
        "broken",
        "not packed",
        "too long",
        "502",
        "503",
        "reset",
    ],
)
def test_a_reservation_that_cannot_be_read_is_no_permission(tmp_path: Path, answer: Answer | Failed) -> None:
    """The rules are kept, and we stay out until the rest can be had (POL-6)."""
    reader = Reader(tmp_path, {TDMREP: answer})
    assert reader.read() == PARTIAL
    assert reader.lane.rules == {ORIGIN: PARTIAL}
    # In this order: rules that were had end the keeper's count of troubles.
    assert notes_told(reader) == [PARTIAL, AWAY]


def test_of_a_reservation_that_still_cannot_be_read_only_that_is_told(tmp_path: Path) -> None:
    """Told again, the rules would make the keeper patient for ever."""
    reader = Reader(tmp_path, {TDMREP: tdmrep(RESERVED[:-1])})
    assert reader.read(PARTIAL) == PARTIAL
    assert reader.asked == [TDMREP]
    assert notes_told(reader) == [AWAY]


def test_a_visit_that_ends_before_the_rest_tells_nothing_new(tmp_path: Path) -> None:
    reader = Reader(tmp_path, {}, requests_max=0)
    assert reader.read(PARTIAL) == PARTIAL
    assert reader.told == []


LONG_PAGE = b"<!doctype html><title>Home</title>" + b"<p>Not what you wanted.</p>" * 100_000


@pytest.mark.parametrize(
    "answer",
    [
        tdmrep(b"<html>Not found</html>"),
        tdmrep(LONG_PAGE),
        msgspec.structs.replace(tdmrep(LONG_PAGE[:5_000]), truncated="length"),
        tdmrep(gzip.compress(LONG_PAGE)[:-100], coding="gzip"),
        tdmrep(b"Not found", coding="gzip"),
        tdmrep(b""),
        tdmrep(status=403),
        tdmrep(status=500),
        moved(TDMREP, "/"),
    ],
    ids=["page", "long", "cut", "half packed", "not packed", "empty", "403", "500", "moved"],
)
def test_a_page_in_place_of_a_reservation_reserves_nothing(tmp_path: Path, answer: Answer) -> None:
    """Most sites have never heard of it."""
    reader = Reader(tmp_path, {TDMREP: answer})
    assert reader.read() == RobotsNote(RobotsState.RULES)
    assert notes_told(reader) == [RobotsNote(RobotsState.RULES)]


# -- what if they are the last thing we read? ----------------------------


class Killed(BaseException):
    """The process ends here."""


class DeadlyNote(BusyNote):
    """A busy note of a harvester that one answer kills."""

    def __init__(self, path: Path, deadly: str) -> None:
        super().__init__(path)
        self._deadly = deadly

    def begin(self, url: str) -> None:
        super().begin(url)
        if url == self._deadly:
            raise Killed


SECURE = "https://a.example/robots.txt"


@pytest.mark.parametrize("deadly", [ROBOTS, SECURE, TDMREP])
def test_rules_that_kill_us_are_suspected(tmp_path: Path, deadly: str) -> None:
    """Else they kill one harvester after the other."""
    answers: dict[str, Answer | Failed] = {
        ROBOTS: moved(ROBOTS, SECURE),
        SECURE: robots("User-agent: *\nDisallow:"),
        TDMREP: tdmrep(),
    }
    note = DeadlyNote(tmp_path / "state" / "h2-0001.busy", deadly)
    with pytest.raises(Killed):
        Reader(tmp_path, answers, busy=note).read()
    assert take_busy_note(tmp_path, "h2-0001") == [deadly]


def test_nobody_is_suspected_when_rules_were_read(tmp_path: Path) -> None:
    Reader(tmp_path, {ROBOTS: robots("User-agent: *"), TDMREP: tdmrep()}).read()
    assert take_busy_note(tmp_path, "h1-0001") == []


def test_requests_for_rules_are_archived_with_what_they_were_for(tmp_path: Path) -> None:
    """Together with pages, when there is room."""
    reader = Reader(tmp_path, {ROBOTS: robots("User-agent: *"), TDMREP: tdmrep()})
    reader.read()
    write([(7, draft) for draft in reader.drafts], reader.tools)
    reader.tools.outputs.flush()
    (archive,) = (tmp_path / "warc").glob("*.warc.gz*")
    records = gzip.decompress(archive.read_bytes())
    assert [records.count(b"purpose: " + purpose) for purpose in (b"robots", b"tdmrep")] == [1, 1]
