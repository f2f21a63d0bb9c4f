"""What does a site's robots.txt allow us?

RFC 9309, with the mistakes of authors that Google's parser forgives. Pure: bytes
in, plain values out, no fetching and no clock. Cost is linear in file and path;
no pattern can make it more.

Where the RFC and Google read escapes differently (`/%62` and `/b` are one to the
first, two to the second), Disallow is read as the RFC does and Allow as Google
does: what either of them would keep us from, we leave alone.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from tiptoe.url.escapes import tidy_escapes, upper_escapes

__all__ = ["BODY_BYTES_MAX", "Robots", "RobotsDirectives", "parse_robots", "robots_meta"]

BODY_BYTES_MAX = 500 * 1024
LINE_BYTES_MAX = 2083 * 8
SITEMAPS_MAX = 1000
SECONDS_MAX = 30 * 24 * 3600.0

BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xef\xbf\xbd", b"\xef\xbb", b"\xef")
"""Whole, turned into a replacement character by an editor, or cut off."""

# Only the beginning of a name counts, so `Disallowed:` and `Sitemaps:` are understood too.
USER_AGENT = ("user-agent", "useragent", "user agent")
DISALLOW = ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")
ALLOW = ("allow",)
SITEMAP = ("sitemap", "site-map")
CRAWL_DELAY = ("crawl-delay", "crawldelay", "crawl delay")
REQUEST_RATE = ("request-rate",)
VISIT_TIME = ("visit-time",)

LINE_END = re.compile(r"\r\n|\r|\n")
PRODUCT_TOKEN = re.compile(r"[A-Za-z_-]*")
NUMBER = re.compile(r"([0-9]{1,9})(?:[.,]([0-9]{1,9}))?")
RATE = re.compile(r"([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*([smhd]?)", re.IGNORECASE)
HOURS = re.compile(r"([01][0-9]|2[0-3]):?([0-5][0-9])\s*-\s*([01][0-9]|2[0-4]):?([0-5][0-9])")
UNIT_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class Robots:
    """What one origin asks of us: plain values, so that it can be stored and sent.

    Without rules everything is allowed.
    """

    rules: tuple[tuple[bool, str], ...] = ()  # allowed?, pattern; all groups that are for us
    crawl_delay: float | None = None  # seconds, from Crawl-delay or Request-rate
    sitemaps: tuple[str, ...] = ()  # as written, perhaps relative
    visit_time: tuple[int, int] | None = None  # first and last minute of the UTC day

    def allows(self, path_and_query: str) -> bool:
        """Say whether this path may be requested: the longest match decides, and Allow wins a tie."""
        path = path_and_query or "/"
        plain = path if "%" not in path and path.isascii() else _normal_path(path)
        # Nearly every page is forbidden by no rule at all, and then no Allow need be tried.
        if not plain.startswith(self._prefixes) and not self._is_in_globs(plain):
            return True
        return path == "/robots.txt" or self._weigh(plain, upper_escapes(path))

    @cached_property
    def _prefixes(self) -> tuple[str, ...]:
        """Patterns of Disallow that are plain beginnings of paths."""
        return tuple(pattern for is_allowed, pattern in self.rules if not is_allowed and _is_prefix(pattern))

    @cached_property
    def _globs(self) -> tuple[tuple[str, str], ...]:
        """The other patterns of Disallow, each after the longest text that a match must contain."""
        patterns = [
            pattern for is_allowed, pattern in self.rules if not is_allowed and not _is_prefix(pattern)
        ]
        return tuple((max(pattern.removesuffix("$").split("*"), key=len), pattern) for pattern in patterns)

    def _is_in_globs(self, path: str) -> bool:
        return any(needle in path and _matches(pattern, path) for needle, pattern in self._globs)

    def _weigh(self, plain: str, literal: str) -> bool:
        longest = {True: -1, False: -1}
        for is_allowed, pattern in self.rules:
            if len(pattern) > longest[is_allowed] and _matches(pattern, literal if is_allowed else plain):
                longest[is_allowed] = len(pattern)
        return longest[True] >= longest[False]


def _is_prefix(pattern: str) -> bool:
    return "*" not in pattern and not pattern.endswith("$")


def _matches(pattern: str, path: str) -> bool:
    """Match from the beginning; `*` is any run of characters and a final `$` the end."""
    if _is_prefix(pattern):
        return path.startswith(pattern)
    is_anchored = pattern.endswith("$")
    first, *pieces = (pattern[:-1] if is_anchored else pattern).split("*")
    if not path.startswith(first):
        return False
    if not pieces:
        return len(path) == len(first)
    at = len(first)
    last = pieces.pop()
    # The leftmost place for each piece leaves the most room for the rest: no need ever to go back.
    for piece in pieces:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if is_anchored:
        return path.endswith(last) and len(path) - len(last) >= at
    return path.find(last, at) >= 0


@dataclass(slots=True)
class _Group:
    """What is said to one party: to us by name, or to everybody."""

    is_named: bool = False  # some User-agent line speaks to this party
    is_current: bool = False  # the lines being read are for it
    rules: list[tuple[bool, str]] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    visit_time: tuple[int, int] | None = None


def parse_robots(body: bytes, agent: str) -> Robots:
    """Read a robots.txt for the robot whose User-Agent begins with `agent`."""
    ours, everybody = _Group(), _Group()
    sitemaps: dict[str, None] = {}
    token = agent.partition("/")[0].strip().lower()
    names_are_over = True  # the next User-agent line begins a new group
    for key, value in _records(body):
        if key.startswith(USER_AGENT):
            if names_are_over:
                ours.is_current = everybody.is_current = names_are_over = False
            _note_agent(value, token, ours, everybody)
        elif key.startswith(DISALLOW + ALLOW):
            names_are_over = True
            _note_rule(key.startswith(ALLOW), value, (ours, everybody))
        elif key.startswith(SITEMAP):
            if value and len(sitemaps) < SITEMAPS_MAX:
                sitemaps[value] = None
        else:  # other records must not change how the rules are read, so they end no group
            _note_wish(key, value, (ours, everybody))
    group = ours if ours.is_named else everybody
    return Robots(
        rules=tuple(dict.fromkeys(group.rules)),
        crawl_delay=max(group.delays, default=None),
        sitemaps=tuple(sitemaps),
        visit_time=group.visit_time,
    )


def _records(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield key in lower case and value of each line that has both."""
    for mark in BYTE_ORDER_MARKS:
        if body.startswith(mark):
            body = body[len(mark) :]
            break
    # Bytes that are not UTF-8 survive as surrogates and end up as the escapes they stand for.
    text = body[:BODY_BYTES_MAX].decode("utf-8", "surrogateescape")
    lines = LINE_END.split(text)
    if len(body) > BODY_BYTES_MAX:
        lines.pop()  # half a rule is another rule
    for line in lines:
        content = line[:LINE_BYTES_MAX].partition("#")[0].strip()
        key, colon, value = content.partition(":")
        if not colon:
            words = content.split()
            if len(words) != 2:
                continue
            key, value = words
        yield key.strip().lower(), value.strip()


def _note_agent(value: str, token: str, ours: _Group, everybody: _Group) -> None:
    """Note whom the following rules are for; text after the product token does not count."""
    word = value.split()[0].lower() if value else ""
    if word == "*":
        everybody.is_named = everybody.is_current = True
        return
    match = PRODUCT_TOKEN.match(word)
    # The RFC knows no digits in names; robots that have them are named in full.
    if token and token in (match[0] if match else "", word.partition("/")[0]):
        ours.is_named = ours.is_current = True


def _note_rule(is_allowed: bool, value: str, groups: Iterable[_Group]) -> None:
    if not value:
        return
    pattern = _pattern(value, is_allowed)
    for group in groups:
        if group.is_current:
            group.rules.append((is_allowed, pattern))
            folder, slash, page = pattern.rpartition("/")
            if is_allowed and page.startswith("index.htm"):  # the folder is the same page
                group.rules.append((True, f"{folder}{slash}$"))


def _note_wish(key: str, value: str, groups: Iterable[_Group]) -> None:
    for group in groups:
        if not group.is_current:
            continue
        if key.startswith(CRAWL_DELAY):
            group.delays.extend(_seconds(value))
        elif key.startswith(REQUEST_RATE):
            group.delays.extend(_seconds_per_request(value))
        elif key.startswith(VISIT_TIME) and (hours := HOURS.match(value)):
            first_hour, first, last_hour, last = map(int, hours.groups())
            group.visit_time = (first_hour * 60 + first, min(last_hour * 60 + last, 24 * 60))


def _seconds(value: str) -> Iterator[float]:
    if number := NUMBER.match(value):
        yield min(float(f"{number[1]}.{number[2] or 0}"), SECONDS_MAX)


def _seconds_per_request(value: str) -> Iterator[float]:
    if (rate := RATE.match(value)) and int(rate[1]):
        yield min(int(rate[2]) * UNIT_SECONDS[rate[3].lower()] / int(rate[1]), SECONDS_MAX)


def _pattern(value: str, is_allowed: bool) -> str:
    escaped = _escape_beyond_ascii(value)
    return upper_escapes(escaped) if is_allowed else tidy_escapes(escaped)


def _normal_path(path: str) -> str:
    return tidy_escapes(_escape_beyond_ascii(path))


def _escape_beyond_ascii(text: str) -> str:
    if text.isascii():
        return text
    # Surrogates within the escaped range are the very bytes of the file; others are noise.
    return "".join(c if c.isascii() else _escape_character(c) for c in text)


def _escape_character(character: str) -> str:
    try:
        octets = character.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        octets = b"\xef\xbf\xbd"
    return "".join(f"%{octet:02X}" for octet in octets)


@dataclass(frozen=True, slots=True)
class RobotsDirectives:
    """What one page asks of us, in X-Robots-Tag or `<meta name=robots>`."""

    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False


VALUED_DIRECTIVES = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
ADDRESSED = re.compile(r"\s*([A-Za-z*][\w.*-]*)\s*:(.*)", re.DOTALL)
VALUES_MAX = 64
VALUE_CHARS_MAX = 2000


def robots_meta(values: Iterable[str], agent: str) -> RobotsDirectives:
    """Gather the directives that are for everybody or for us; `googlebot: noindex` is not."""
    token = agent.partition("/")[0].strip().lower()
    words: set[str] = set()
    for value in islice(values, VALUES_MAX):
        is_ours = True
        for part in re.split("[,;]", value[:VALUE_CHARS_MAX].lower()):
            addressed = ADDRESSED.match(part)
            if addressed and addressed[1] not in VALUED_DIRECTIVES:
                is_ours = addressed[1] in (token, "*", "robots", "all")
                part = addressed[2]
            if is_ours:
                words.update(part.split())
    return RobotsDirectives(
        noindex=not words.isdisjoint({"noindex", "none"}),
        nofollow=not words.isdisjoint({"nofollow", "none"}),
        noarchive="noarchive" in words,
    )
