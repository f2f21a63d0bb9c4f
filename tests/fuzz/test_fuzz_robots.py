"""Whatever a server sends as rules, we answer within bounds."""

import time

from fuzz_settings import fuzz
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.fetch.robots import Robots, parse_robots, robots_meta

LINES = st.sampled_from(
    [
        *(
            "User-agent: *",
            "User-agent: tiptoe",
            "User-agent:",
            "Disallow: /",
            "Disallow: /*a$",
            "Allow: /%41*",
        ),
        *(
            "disallow",
            "Crawl-delay: 1e9",
            "Request-rate: 1/0",
            "Visit-time: 9999-0000",
            "Sitemap: x",
            ":",
            "#",
            "User-agent: a, tiptoe",
            "Disallow: /%2A%24*%2F?%2F$",
            "disallow /a:b<br>",
            "\0",
        ),
    ]
)
BODIES = st.one_of(
    st.binary(max_size=300),
    st.tuples(
        st.lists(st.one_of(LINES, st.text(max_size=20)), max_size=20).map("\n".join),
        st.sampled_from(["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]),
    ).map(lambda written: written[0].encode(written[1])),
)
PATHS = st.text(st.characters(codec=None), max_size=50).map("/".__add__)


@fuzz
@given(BODIES, PATHS)
def test_no_robots_txt_breaks_us(body: bytes, path: str) -> None:
    """The file is the first thing a stranger's server sends."""
    robots = parse_robots(body, "tiptoe/0.1")
    copy = Robots(rules=robots.rules, crawl_delay=robots.crawl_delay, sitemaps=robots.sitemaps)

    assert robots.allows(path) == copy.allows(path)
    assert robots.allows("/robots.txt")
    assert sum(len(pattern) for _, pattern in robots.rules) <= 6 * len(body) + 2
    assert robots.crawl_delay is None or robots.crawl_delay >= 0


@fuzz
@given(st.text("/ab*$", max_size=12).map("/".__add__), st.text("/ab", max_size=12).map("/".__add__))
def test_patterns_mean_what_the_slow_way_says(pattern: str, path: str) -> None:
    """The matcher never goes back; trying every possibility must not find more."""

    def matches(rest: str, text: str) -> bool:
        if not rest:
            return True
        if rest == "$":
            return not text
        if rest[0] == "*":
            return any(matches(rest[1:], text[at:]) for at in range(len(text) + 1))
        return text[:1] == rest[0] and matches(rest[1:], text[1:])

    assert matches(pattern, path) != Robots(rules=((False, pattern),)).allows(path)


@fuzz
@given(
    st.text("/ab*$;[é", max_size=12).map("/".__add__),
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=60, max_size=60),
)
def test_an_escaped_path_is_the_path(path: str, choices: list[tuple[bool, bool]]) -> None:
    """Whatever is escaped in pattern and path, and in whatever case: the path is forbidden, and it alone."""

    def written(choice: int) -> str:
        octets = path.encode()
        escapes = (
            choices[at][choice] or octet > 0x7E or (not choice and octet in b"*$")
            for at, octet in enumerate(octets)
        )
        spelt = (
            f"%{octet:02x}" if is_escaped else chr(octet)
            for octet, is_escaped in zip(octets, escapes, strict=True)
        )
        return "".join(spelt).replace("%2f", "/")

    robots = parse_robots(f"User-agent: *\nDisallow: {written(0)}$".encode(), "tiptoe")

    assert not robots.allows(written(1))
    assert robots.allows(written(1) + "a")


@fuzz
@given(st.lists(st.text(max_size=60), max_size=5))
def test_no_directive_breaks_us(values: list[str]) -> None:
    """Headers are written by strangers too."""
    assert robots_meta([*values, "noindex"], "tiptoe").noindex


def test_hostile_files_cost_no_more_than_their_length() -> None:
    """Endless wildcards and huge names are old tricks."""
    started = time.process_time()
    robots = parse_robots(b"User-agent: *\n" + b"Disallow: /*a*a*a*a*a*a*a*b\n" * 20_000, "tiptoe")
    assert robots.allows("/" + "a" * 2000)
    parse_robots(b"Disallow" * 100_000, "tiptoe")
    parse_robots(b"<p " * 170_000, "tiptoe")
    parse_robots(b"User-agent: " + b"a," * 250_000, "tiptoe")
    parse_robots(b"dq:\n" * 125_000, "tiptoe")
    parse_robots(b"User-agent: *\nDisallow: /" + b"\xff" * 500_000, "tiptoe").allows("/%ff" * 500)

    assert time.process_time() - started < 5.0
