"""What form must a single word of a setting have?

Each function returns nothing and raises ValueError with what is expected.
"""

import functools
import ipaddress
import re
import shlex
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from tiptoe.settings.units import parse_duration
from tiptoe.url.hostnames import canonical_host
from tiptoe.url.url_patterns import compile_url_pattern
from tiptoe.url.url_prefixes import canonical_prefixes

__all__ = [
    "be_affinity",
    "be_agent_name",
    "be_command",
    "be_contact",
    "be_crawl_name",
    "be_database",
    "be_domain",
    "be_header_text",
    "be_host",
    "be_label",
    "be_language",
    "be_listener",
    "be_name_server",
    "be_network",
    "be_not_empty",
    "be_one_of",
    "be_pattern",
    "be_product_token",
    "be_proxy",
    "be_service",
    "be_slowed_host",
    "be_url_pattern",
    "be_url_prefix",
    "is_rehearsal_network",
    "is_rehearsal_proxy",
]  # fmt: skip

REHEARSAL_NETWORKS: Final = tuple(
    ipaddress.ip_network(text) for text in ("127.0.0.0/8", "::1/128", "198.18.0.0/15")
)
"""Loopback, and the range reserved for benchmarks (RFC 2544): no public servers are there."""

PROXY_SCHEMES: Final = ("http", "https", "socks5", "socks5h")
PORT: Final = re.compile("[0-9]{1,5}")
PORT_MAX: Final = 65535
LABEL: Final = re.compile("[a-z0-9][a-z0-9-]{0,31}")
SUFFIX: Final = re.compile(r"(\.[^\s./=%]+)+")
SHARE: Final = re.compile("[1-9][0-9]?%")
UNLABELLED_WORD: Final = "rest"


def be_affinity(word: str) -> None:
    label, equals, what = word.partition("=")
    expected = "expected a label and what has it, such as sk=.sk, campus=10.0.0.0/8, or its share: sk=25%"
    if not equals or label == UNLABELLED_WORD or not LABEL.fullmatch(label):
        raise ValueError(expected)
    if SHARE.fullmatch(what) or (what.startswith(".") and SUFFIX.fullmatch(what)):
        return
    try:
        ipaddress.ip_network(what)
    except ValueError:
        raise ValueError(expected) from None


def be_label(word: str) -> None:
    if not LABEL.fullmatch(word):
        raise ValueError(f"expected a label of a-z, 0-9 and -, or {UNLABELLED_WORD} for what has none")


def be_network(word: str) -> None:
    try:
        ipaddress.ip_network(word)
    except ValueError:
        raise ValueError("expected a network such as 10.0.0.0/8 or 2001:db8::/32") from None


def be_name_server(word: str) -> None:
    host, colon, port = word.rpartition(":")
    has_port = bool(colon) and _is_port(port) and (":" not in host or host.startswith("["))
    try:
        ipaddress.ip_address(host.strip("[]") if has_port else word)
        is_server = "%" not in word  # c-ares drops the zone of such an address
    except ValueError:
        is_server = False
    if not is_server:
        raise ValueError("expected an IP address such as 192.0.2.53, with or without a port")


def be_host(word: str) -> None:
    canonical_host(word)


def be_domain(word: str) -> None:
    canonical_host(word.removeprefix("*.").removeprefix("."))


def be_url_prefix(word: str) -> None:
    if canonical_prefixes(word) == ():
        raise ValueError("expected how addresses begin, with the whole host: https://example.cz/news/")


def be_url_pattern(word: str) -> None:
    try:
        compile_url_pattern(word)
    except ValueError as problem:
        raise ValueError(f"not a regular expression of RE2: {problem}") from None


def be_language(word: str) -> None:
    if not re.fullmatch("[a-z]{2,3}", word):
        raise ValueError("expected a language code such as cs")
    if word not in _known_languages():
        raise ValueError(f"no language we know: {', '.join(sorted(_known_languages()))}")


@functools.cache
def _known_languages() -> frozenset[str]:
    # Imported here: a large model, needed only if a language is named.
    from tiptoe.text.language_model import load_lexicons
    from tiptoe.text.language_scripts import LANGUAGES_BY_SCRIPT

    return LANGUAGES_BY_SCRIPT.union(*(lexicon.known for lexicon in load_lexicons().values()))


def be_pattern(word: str) -> None:
    try:
        re.compile(word)
    except (re.error, OverflowError) as problem:
        raise ValueError(f"not a regular expression: {problem}{_wildcard_hint(word)}") from None
    except RecursionError:
        raise ValueError("not a regular expression: too many brackets in one another") from None


def _wildcard_hint(word: str) -> str:
    """Return how to write what *.cz means to a shell; nothing for other words."""
    ending = word.removeprefix("*")
    is_wildcard = word != ending and re.fullmatch(r"[\w.-]+", ending)
    return f"; names that end in {ending} are found by {re.escape(ending)}$" if is_wildcard else ""


def be_one_of(*words: str) -> Callable[[str], None]:
    def check(word: str) -> None:
        if word not in words:
            raise ValueError(f"expected one of {', '.join(words)}")

    return check


def be_product_token(word: str) -> None:
    # RFC 9309: only such a name can be addressed in a robots.txt.
    if not re.fullmatch(r"[A-Za-z_-]{1,64}", word):
        raise ValueError("expected a product token: letters, - and _ only")


def be_agent_name(word: str) -> None:
    """Check that a name can be used in message subjects and file names."""
    if word and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}", word, re.ASCII):
        raise ValueError("expected up to 40 letters, digits, - and _, a letter or digit first")


def be_crawl_name(word: str) -> None:
    """Check that a name can be used in the names of streams, beside other crawls."""
    if word and not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,47}", word, re.ASCII):
        raise ValueError("expected up to 48 of a-z, 0-9, - and _, a letter or digit first")


def be_command(text: str) -> None:
    try:
        words = shlex.split(text)
    except ValueError as problem:
        raise ValueError(f"expected a program and its arguments, quoted as for a shell: {problem}") from None
    if text and not (words and words[0]):
        raise ValueError("expected a program and its arguments")


def be_contact(word: str) -> None:
    if word and not re.fullmatch(
        r"https?://[^\s()<>\"\\]{3,}|(mailto:)?[^\s()<>\"\\@:]+@[^\s()<>\"\\@:]+", word
    ):
        raise ValueError("expected a web or mail address, such as https://corpus.example/bot")
    if not word.isascii():
        raise ValueError("expected plain ASCII, as a header needs it: xn-- for the host, %C5%BE in a path")


def be_header_text(word: str) -> None:
    if not word.isascii():
        raise ValueError("expected plain ASCII")


def be_database(word: str) -> None:
    if word and not re.fullmatch(r"postgres(ql)?://[^\s]*", word):
        raise ValueError("expected the address of a PostgreSQL database, such as postgresql://user@host/name")


def be_not_empty(word: str) -> None:
    if not word.strip():
        raise ValueError("must not be empty")


def be_listener(word: str) -> None:
    host, _, port = word.rpartition(":")
    try:
        is_listener = not word or bool(canonical_host(host.strip("[]")) and _is_port(port))
    except ValueError:
        is_listener = False
    if not is_listener:
        raise ValueError("expected host:port, such as 0.0.0.0:7070")


def _is_port(text: str) -> bool:
    return bool(PORT.fullmatch(text)) and 0 < int(text) <= PORT_MAX


def be_proxy(word: str) -> None:
    if not word:
        return
    try:
        parts = urlsplit(word)
        is_proxy = parts.scheme in PROXY_SCHEMES and bool(parts.hostname) and bool(parts.port)
    except ValueError:
        is_proxy = False
    is_proxy = is_proxy and word.isascii() and " " not in word
    if not is_proxy:
        raise ValueError("expected scheme, host and port, such as http://127.0.0.1:8080")


def be_service(word: str) -> None:
    if not word:
        return
    try:
        parts = urlsplit(word)
        is_service = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_service = False
    if not is_service or parts.query or parts.fragment or parts.username is not None or not word.isascii():
        raise ValueError("expected an address such as http://127.0.0.1:8750, without ? # or @")


def be_slowed_host(word: str) -> None:
    host, _, delay = word.rpartition("=")
    try:
        parse_duration(delay)
    except ValueError:
        host = ""
    if not host:
        raise ValueError("expected host=duration, such as www.example=60s")
    be_host(host)


def is_rehearsal_network(word: str) -> bool:
    """Return whether a network is entirely on this machine or in the benchmark range."""
    network = ipaddress.ip_network(word)
    return any(
        network.version == home.version and network.subnet_of(home)  # type: ignore[arg-type]
        for home in REHEARSAL_NETWORKS
    )


def is_rehearsal_proxy(proxy: str) -> bool:
    """Return whether a proxy is on this machine, given by IP address: names could resolve to anything."""
    try:
        return ipaddress.ip_address(urlsplit(proxy).hostname or "").is_loopback
    except ValueError:
        return False
