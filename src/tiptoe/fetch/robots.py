"""What does a site's robots.txt allow us?

RFC 9309, with the authors' mistakes that Google's parser forgives, and some more whose meaning is clear.
Pure: bytes in, plain values out, no fetching and no clock. `pathpatterns.py` matches the patterns.

Groups of rules end as in the RFC: at a User-agent line after an Allow or a Disallow. Other records must not
interfere with that (2.2.4). Those that address a robot, such as Crawl-delay, apply to the names since the
last rule or record of this kind: in a list of robots with a delay for each, every robot has its own delay.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Final

from tiptoe.fetch.pathpatterns import (
    forms_for_allow,
    forms_for_disallow,
    is_prefix,
    literal,
    matches,
    normal_pattern,
    octets,
)

__all__ = ["BODY_BYTES_MAX", "Robots", "RobotsDirectives", "parse_robots", "robots_meta"]

BODY_BYTES_MAX = 500 * 1024
LINE_BYTES_MAX = 2083 * 8 - 1
"""Maximum length of a line; the rest is not read, as in Google's parser."""
SITEMAPS_MAX = 1000
SECONDS_MAX = 30 * 24 * 3600.0

BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xef\xbf\xbd", b"\xef\xbb", b"\xef")
"""A whole byte order mark, one replaced with U+FFFD by an editor, and truncated ones."""
WIDE_STARTS = (
    (b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"),
)  # fmt: skip
LOOK_BYTES = 64

USER_AGENT, ALLOW, DISALLOW, SITEMAP = "user-agent", "allow", "disallow", "sitemap"
CRAWL_DELAY, REQUEST_RATE = "crawl-delay", "request-rate"
RULES = (DISALLOW, ALLOW)
SPELLINGS: Final[Mapping[str, tuple[str, ...]]] = {
    USER_AGENT: (
        "user-agent", "useragent", "user agent", "user--agent", "useg-agent", "users-agent",
        "uder-agent", "usr-agent", "user-agnet", "user-aget", "user\N{EN DASH}agent",
    ),
    DISALLOW: (
        "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "desallow", "dis-allow",
        "dis allow", "disllow", "diallow", "dsiallow", "disallo", "disaalow",
    ),
    ALLOW: ("allow",),
    SITEMAP: ("sitemap", "site-map", "site map"),
    CRAWL_DELAY: ("crawl-delay", "crawldelay", "crawl delay"),
    REQUEST_RATE: ("request-rate", "request rate"),
}  # fmt: skip
"""Spellings of each key by authors. Only the beginning counts: `Disallowed:` and `Sitemaps:` are accepted
too."""
VALUE_STARTS = ("/", "*", "http")
PATTERN_STARTS = "/*$"
TWO_WORDS = frozenset(key for keys in SPELLINGS.values() for key in keys if " " in key)

LINE_END = re.compile(r"\r\n|\r|\n")
WITHOUT_WIDTH = "\ufeff\u2060" + "".join(map(chr, range(0x200B, 0x2010)))
"""Invisible characters, which often come with pasted text."""
LINE_BREAK = re.compile(r"(?i)<br\s*/?>")
MARKUP = re.compile(
    r"(?i)</?(?:html|head|body|title|pre|p|div|span|font|code|center|b|i|u|tt|h[1-6]|ul|ol|li|table|tbody|tr|td|a)"
    r"(?:\s[^<>]*)?/?>"
)
"""Tags of pages that editors make out of a plain file."""
BETWEEN_NAMES = re.compile(r"[\s,;\"'()]+")
WIDE_COLON = "\N{FULLWIDTH COLON}"
KEY_AND_EQUALS = re.compile(r"(?i)(?:[a-z_-]+|user\s+agent)\s*=")
QUOTES = "\"'"
OWN_ADDRESS = re.compile(r"(?i)\Ahttps?://[^/\s]+(?=/\S)")
"""An origin before a path. A URL without a path is left as it is: it may be another site with the same
file."""
AROUND_ADDRESSES = "\"'<>,"
PRODUCT_TOKEN = re.compile(r"[A-Za-z_-]*")
NUMBER = re.compile(r"\+?(?:([0-9]{1,9})(?:[.,]([0-9]{1,9}))?|[.,]([0-9]{1,9}))")
RATE = re.compile(r"([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*([smhd]?)", re.IGNORECASE)
UNIT_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class Robots:
    """The rules of one origin for our robot: plain values, so that they can be stored and sent.

    Without rules everything is allowed.
    """

    rules: tuple[tuple[bool, str], ...] = ()  # allowed?, pattern; of all groups that apply to us
    crawl_delay: float | None = None  # seconds, from Crawl-delay or Request-rate
    sitemaps: tuple[str, ...] = ()  # as written, perhaps relative

    def allows(self, path_and_query: str) -> bool:
        """Whether this path may be requested: the longest match decides, and Allow wins a tie."""
        path = path_and_query if path_and_query.startswith("/") else "/" + path_and_query
        forms = (path,) if "%" not in path and path.isascii() else forms_for_disallow(path)
        # Nearly every page is forbidden by no rule at all; then no Allow has to be tried.
        for form in forms:
            if form.startswith(self._prefixes) or self._is_in_globs(form):
                break
        else:
            return True
        if path == "/robots.txt":
            return True
        return self._longest(True, forms_for_allow(path)) >= self._longest(False, forms)

    def forbidding_line(self, path_and_query: str) -> str:
        """Return the line that forbids this path, the longest that matches; empty if it is allowed."""
        if self.allows(path_and_query):
            return ""
        forms = forms_for_disallow(path_and_query)
        matching = [
            pattern
            for is_allowed, pattern in self.rules
            if not is_allowed and any(matches(pattern, form) for form in forms)
        ]
        return f"Disallow: {max(matching, key=octets)}" if matching else ""

    @cached_property
    def _prefixes(self) -> tuple[str, ...]:
        """Patterns of Disallow that are plain prefixes of paths."""
        patterns = [pattern for is_allowed, pattern in self.rules if not is_allowed and is_prefix(pattern)]
        return tuple([literal(pattern) if "%" in pattern else pattern for pattern in patterns])

    @cached_property
    def _globs(self) -> tuple[tuple[str, str], ...]:
        """The other patterns of Disallow, each preceded by the longest text that a match must contain."""
        globs = []
        for is_allowed, pattern in self.rules:
            if not is_allowed and not is_prefix(pattern):
                needle = max(pattern.removesuffix("$").split("*"), key=len)
                globs.append((literal(needle) if "%" in needle else needle, pattern))
        return tuple(globs)

    def _is_in_globs(self, path: str) -> bool:
        return any(needle in path and matches(pattern, path) for needle, pattern in self._globs)

    def _longest(self, is_allowed: bool, forms: tuple[str, ...]) -> int:
        """Return the length in octets of the most specific matching rule of one kind; -1 if none matches."""
        longest = -1
        for form in forms:
            for kind, pattern in self.rules:
                # A pattern is never shorter as text than in octets, so most need not be compared at all.
                if kind is is_allowed and len(pattern) > longest and matches(pattern, form):
                    longest = max(longest, octets(pattern))
        return longest


@dataclass(slots=True)
class _Group:
    """The rules for one party: for us by name, or for every robot."""

    is_named: bool = False  # some User-agent line names this party
    is_ruled: bool = False  # Allow and Disallow in the lines being read apply to it
    is_wished: bool = False  # other records in the lines being read apply to it
    rules: list[tuple[bool, str]] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)


def parse_robots(body: bytes, agent: str) -> Robots:
    """Read a robots.txt for the robot whose User-Agent begins with `agent`."""
    ours, everybody = groups = _Group(), _Group()
    sitemaps: dict[str, None] = {}
    token = agent.partition("/")[0].strip().lower()
    is_ruled = is_wished = True  # rules, or other records, were read: the next name begins a new group
    for key, value in _records(body):
        if key == USER_AGENT:
            for group in groups:
                group.is_ruled &= not is_ruled
                group.is_wished &= not is_wished
            is_ruled = is_wished = False
            _note_agents(value, token, ours, everybody)
        elif key in RULES:
            is_ruled = is_wished = True
            _note_rule(key == ALLOW, value, groups)
        elif key != SITEMAP:
            is_wished = True
            _note_wish(key, value, groups)
        else:
            sitemaps.update(dict.fromkeys(_addresses(value)[: SITEMAPS_MAX - len(sitemaps)]))
    group = ours if ours.is_named else everybody
    return Robots(
        rules=tuple(dict.fromkeys(group.rules)),
        crawl_delay=max(group.delays, default=None),
        sitemaps=tuple(sitemaps),
    )


def _records(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield the key, in its standard spelling, and the value of each line that we understand."""
    for line in _lines(body):
        is_cut = False
        if len(line) * 4 > LINE_BYTES_MAX:
            line, is_cut = _read_part(line)
        content = line.partition("#")[0].strip()
        if not content:
            continue
        written, value = _key_and_value(content)
        key = written if written in SPELLINGS else _key_meant(written)
        # Without its end, a pattern with wildcards may allow more than intended.
        if key and not (is_cut and key == ALLOW and "*" in value):
            yield key, value


def _bare(text: str) -> str:
    """Return a value without surrounding spaces, visible or not."""
    text = text.strip()
    return text if text.isascii() else text.strip(WITHOUT_WIDTH).strip()


def _key_meant(written: str) -> str:
    spelt = written.replace("_", "-")
    return next((key for key, spellings in SPELLINGS.items() if spelt.startswith(spellings)), "")


def _read_part(line: str) -> tuple[str, bool]:
    """Return the part of a line that is read, and whether more than a comment was cut off."""
    octets = line.encode("utf-8", "surrogateescape")
    if len(octets) <= LINE_BYTES_MAX:
        return line, False
    part = octets[:LINE_BYTES_MAX].decode("utf-8", "surrogateescape")
    return part, "#" not in part


def _key_and_value(content: str) -> tuple[str, str]:
    """Split a line at its colon; before a single word it may be missing, or be an equals sign."""
    if ":" not in content:
        sign = "=" if KEY_AND_EQUALS.match(content) else WIDE_COLON
        content = content.replace(sign, ":", 1)
    key, colon, value = content.partition(":")
    if colon and key.isascii() and key.replace("-", "").isalpha():
        return key.lower(), _bare(value.lstrip(":"))
    words = key.split()
    if colon and (len(words) < 2 or not words[1].startswith(VALUE_STARTS)):
        return " ".join(words).lower(), _bare(value.lstrip(":"))
    words = content.split()
    if len(words) == 3 and " ".join(words[:2]).lower() in TWO_WORDS:
        words[:2] = [" ".join(words[:2])]
    return (words[0].lower(), words[1]) if len(words) == 2 else ("", "")


def _lines(body: bytes) -> list[str]:
    is_cut = len(body) > BODY_BYTES_MAX
    text = _text(body[:BODY_BYTES_MAX])
    if "<" in text:
        text = MARKUP.sub("", LINE_BREAK.sub("\n", text))
    lines = LINE_END.split(text)
    if is_cut:
        lines.pop()  # part of a rule would be a different rule
    return lines


def _text(data: bytes) -> str:
    """Decode a file: UTF-8 as required, or what an editor has made of it."""
    start = data[:LOOK_BYTES]
    for mark, encoding in WIDE_STARTS:
        if start.startswith(mark):
            return data.decode(encoding, "replace")
    if b"\0" in start:  # UTF-16 without a byte order mark: every other byte of ASCII text is 0
        if not any(start[::2]):
            return data.decode("utf-16-be", "replace")
        if not any(start[1::2]):
            return data.decode("utf-16-le", "replace")
    for mark in BYTE_ORDER_MARKS:
        if start.startswith(mark):
            data = data[len(mark) :]
            break
    # Bytes that are not UTF-8 are kept as surrogates, which become escapes later.
    return data.decode("utf-8", "surrogateescape").replace("\0", "")


def _note_agents(value: str, token: str, ours: _Group, everybody: _Group) -> None:
    """Note which party the following records apply to; some authors name several robots in one line."""
    names = value.lower()
    for name in (names,) if names.isalnum() or names == "*" else BETWEEN_NAMES.split(names):
        bare = name.strip("*.") if "*" in name else name
        if not bare and name:  # also as `**` and `*.*`
            everybody.is_named = everybody.is_ruled = everybody.is_wished = True
        elif token and bare:
            found = PRODUCT_TOKEN.match(bare)
            # The RFC allows no digits in names; robots with digits have to be named in full.
            if token in (found[0] if found else "", bare.partition("/")[0]):
                ours.is_named = ours.is_ruled = ours.is_wished = True


def _note_rule(is_allowed: bool, value: str, groups: Iterable[_Group]) -> None:
    if is_allowed or (value.startswith("/") and " " not in value and "\t" not in value):
        _note_pattern(is_allowed, value, groups)
    else:
        for place in _places(value):
            _note_pattern(is_allowed, place, groups)


def _places(value: str) -> list[str]:
    """Return the patterns of a Disallow, without quotes and origins; paths separated by spaces are several.

    By the RFC such values are not patterns, but their authors want these paths to be left alone.
    """
    words = [word.strip(QUOTES) for word in value.split()]
    if len(words) < 2 or not all(word.startswith("/") for word in words):
        words = [value.strip(QUOTES)]
    else:
        words = [word.rstrip(",") for word in words]
    return [OWN_ADDRESS.sub("", word) for word in words]


def _note_pattern(is_allowed: bool, value: str, groups: Iterable[_Group]) -> None:
    if not value:
        return
    for group in groups:
        if group.is_ruled:
            pattern = normal_pattern(value, is_allowed=is_allowed)
            if not is_allowed and pattern[0] not in PATTERN_STARTS:
                pattern = "/" + pattern  # as in `private/`
            group.rules.append((is_allowed, pattern))
            folder, slash, page = pattern.rpartition("/")
            if is_allowed and page.startswith("index.htm"):  # the URL of the folder is the same page
                group.rules.append((True, f"{folder}{slash}$"))


def _note_wish(key: str, value: str, groups: Iterable[_Group]) -> None:
    for group in groups:
        if not group.is_wished:
            continue
        if key == CRAWL_DELAY:
            group.delays.extend(_seconds(value))
        else:
            group.delays.extend(_seconds_per_request(value))


def _addresses(value: str) -> list[str]:
    """Return the URLs of a Sitemap line, without quotes; URLs separated by spaces are several."""
    words = [bare for word in value.split() if (bare := word.strip(AROUND_ADDRESSES))]
    if all(word.lower().startswith(("http://", "https://", "/")) for word in words):
        return words
    return [" ".join(words)]


def _seconds(value: str) -> Iterator[float]:
    if number := NUMBER.match(value):
        yield min(float(f"{number[1] or 0}.{number[2] or number[3] or 0}"), SECONDS_MAX)


def _seconds_per_request(value: str) -> Iterator[float]:
    if (rate := RATE.match(value)) and int(rate[1]):
        yield min(int(rate[2]) * UNIT_SECONDS[rate[3].lower()] / int(rate[1]), SECONDS_MAX)


@dataclass(frozen=True, slots=True)
class RobotsDirectives:
    """The directives of one page, in X-Robots-Tag or `<meta name=robots>`."""

    noindex: bool = False
    nofollow: bool = False


NO_INDEX, NO_FOLLOW = frozenset({"noindex", "none"}), frozenset({"nofollow", "none"})
VALUED_DIRECTIVES = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
EVERYBODY = ("*", "robots", "all")
BETWEEN_DIRECTIVES = re.compile("[,;]")
BEFORE_COLON = re.compile(r"\s*([A-Za-z*][\w.*-]*)\s*:")
DIRECTIVE = re.compile(r"[\w-]+")
VALUES_MAX = 64
VALUE_CHARS_MAX = 2000


def robots_meta(fields: Iterable[str], agent: str, contents: Iterable[str] = ()) -> RobotsDirectives:
    """Collect the directives for every robot or for us, from header fields and from META tags.

    In a field, a name applies to everything after it: `googlebot: noindex, nofollow` does not concern us. In
    a tag, names are not allowed, so there a name applies only to its own directive.
    """
    token = agent.partition("/")[0].strip().lower()
    words: set[str] = set()
    for values, is_field in ((fields, True), (contents, False)):
        for value in islice(values, VALUES_MAX):
            is_ours = True
            for part in BETWEEN_DIRECTIVES.split(value[:VALUE_CHARS_MAX].lower()):
                found, is_ours = _directives(part, token, is_ours=is_ours or not is_field)
                words.update(found)
    return RobotsDirectives(noindex=not words.isdisjoint(NO_INDEX), nofollow=not words.isdisjoint(NO_FOLLOW))


def _directives(part: str, token: str, *, is_ours: bool) -> tuple[list[str], bool]:
    """Return the directives that apply to us, and whether those after them do too."""
    at = 0
    while (named := BEFORE_COLON.match(part, at)) is not None:
        name = named[1]
        if name in VALUED_DIRECTIVES:
            # A value is not a directive: `max-image-preview: none` is about images only.
            return (DIRECTIVE.findall(part, named.end())[1:] if is_ours else []), is_ours
        if name in NO_INDEX or name in NO_FOLLOW:  # a colon in place of a comma
            break
        is_ours = name == token or name in EVERYBODY
        at = named.end()
    return (DIRECTIVE.findall(part, at) if is_ours else []), is_ours
