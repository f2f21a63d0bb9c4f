"""What do the files given to a crawl hold: seeds, downlist, secret?

They are read before the crawl touches its directory, and all mistakes in the seeds are reported at
once, one per line. A crawl never starts with only some of its seeds: a typo should be noticed now.
"""

import re
import shlex
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Final

from tiptoe.errors import SettingsError
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.settings.layers import Settings
from tiptoe.url.bare import address_meant, may_be_list
from tiptoe.url.canonical import Canonicalizer
from tiptoe.url.canonical_rules import SCHEMES

__all__ = [
    "STANDARD_INPUT", "Downlist", "Seeds", "check_out", "read_downlist", "read_seeds", "read_token",
    "refuse_crawls",
]  # fmt: skip

STANDARD_INPUT: Final = "-"
STRAY_WORDS_MAX: Final = 5
"""Maximum number of invalid words reported one by one when most words of a file are no URLs; above it, the
file as a whole is refused as not being a list."""
FAULTS_SHOWN: Final = 20
ADDRESS_SHOWN: Final = 60

UNSPEAKABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f]|[\ud800-\udfff]")  # one set takes 20 ms to compile
"""Control characters, and bytes of a command line that are not text. A browser would accept them in a URL,
but it would hardly be the one that was meant."""

HOSTLESS: Final = re.compile(r"\s*(?:https?|ftp):(?!//[^/\\?#])", re.IGNORECASE)
"""A URL without a host, as in http:///x. A browser takes what comes next as the host, here x."""

BEYOND_PORTS: Final = re.compile(r"[a-z]+://[^/?#\\]*:(\d{5,})(?:[/?#\\]|$)", re.IGNORECASE)
PORT_MAX: Final = 65_535
SPACED_HOST: Final = re.compile(r"[a-z]+://[^/?#\\]*\s", re.IGNORECASE)

WITH_USER: Final = re.compile(r"\s*[a-z]+://[^/?#\\]*@", re.IGNORECASE)
SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*")


@dataclass(frozen=True, slots=True)
class Downlist:
    """The URLs that count as downloaded."""

    urls: list[str]
    strange: int = 0  # words that are not URLs


@dataclass(slots=True)
class Seeds:
    """Where a crawl starts."""

    found: dict[str, None] = field(default_factory=dict)  # canonical, each once
    assumed: dict[str, str] = field(default_factory=dict)  # the URL each word without a scheme is taken for
    stripped: list[str] = field(default_factory=list)  # URLs that had a user name or password

    @property
    def urls(self) -> list[str]:
        return list(self.found)

    def notes(self) -> Iterator[str]:
        """Yield how URLs were interpreted, where that may not be what was meant."""
        if self.assumed:
            word, url = next(iter(self.assumed.items()))
            more = _and_more(self.assumed)
            yield f"{_shown(word)} is taken as {url}{more}; name the scheme if another one is meant"
        if self.stripped:
            more = _and_more(self.stripped)
            yield (
                f"{self.stripped[0]}{more}: the user name and password in the address are not sent; "
                "to log in, use --access (docs/howto/sites-with-a-login.md)"
            )


def read_seeds(settings: Settings, given: Iterable[str], canonicalizer: Canonicalizer) -> Seeds:
    """Return where to start, from the given words and the settings."""
    seeds = Seeds()
    faults = list(_gather(given, canonicalizer, seeds))
    for name, words in (("crawl.seeds", settings.crawl.seeds), ("crawl.sitemaps", settings.crawl.sitemaps)):
        own = _gather(words, canonicalizer, seeds)
        faults += [settings.complain(name, fault) for fault in own]
    if len(faults) > FAULTS_SHOWN:
        faults[FAULTS_SHOWN:] = [f"… and {len(faults) - FAULTS_SHOWN} more"]
    if faults:
        raise SettingsError("\n".join(faults))
    return seeds


def _gather(words: Iterable[str], canonicalizer: Canonicalizer, seeds: Seeds) -> Iterator[str]:
    """Add the URLs that words stand for; yield what is wrong with the others."""
    schemes = canonicalizer.rules.schemes
    for word in dict.fromkeys(words):
        try:
            found = list(_addresses(word, schemes))
        except ValueError as problem:
            yield f"{_shown(word)}: {problem}"
            continue
        faults: list[str] = []
        strays = 0
        for where, address in found:
            is_bare = "://" not in address
            whole = (address_meant(address, schemes) or address) if is_bare else address
            is_clear = not UNSPEAKABLE.search(whole) and not HOSTLESS.match(whole)
            url = canonicalizer.canonical(whole) if is_clear else None
            if url is None:
                faults.append(f"{where}{_what_is_wrong(address, canonicalizer)}")
                strays += is_bare
                continue
            seeds.found[url] = None
            if WITH_USER.match(whole):
                seeds.stripped.append(url)
            if is_bare:
                seeds.assumed[address] = url
        if strays > STRAY_WORDS_MAX and 2 * strays > len(found):
            faults[1:] = []
            faults[0] += f"; most of the {len(found)} words are not, so this is not a list of addresses"
        yield from faults


def _addresses(word: str, schemes: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the URLs that a word stands for, each with its location; raise ValueError if it is invalid."""
    if word == STANDARD_INPUT:
        found = list(_split(sys.stdin.buffer.read() if sys.stdin else b""))
        if not found:
            raise ValueError("no address came on the standard input")
        yield from ((f"standard input, line {line}: ", address) for line, address in found)
    elif "://" in word or not word.strip():
        yield "", word.strip()
    elif _is_meant_as_address(word, schemes):
        yield "", word
    elif not _is_there(Path(word)):
        raise ValueError(f"no such file, and no address: {_address_hint(word, schemes)}")
    elif Path(word).is_dir():
        raise ValueError("a directory; `tiptoe read` makes a corpus of files, without a crawl")
    else:
        found = list(_split(_content(Path(word))))
        if not found:
            raise ValueError("there is no address in this file")
        yield from ((f"{_shown(word)}:{line}: ", address) for line, address in found)


def _address_hint(word: str, schemes: Collection[str]) -> str:
    """Return how to write a URL: this one, if the word may be one."""
    meant = address_meant(word, schemes)
    return f"if it is one, write {meant}" if meant is not None else "one looks like https://www.example.org/"


def _is_meant_as_address(word: str, schemes: Collection[str]) -> bool:
    """Tell whether a word is a URL without a scheme, not a file: an existing file decides, but no folder."""
    path = Path(word)
    if address_meant(word, schemes) is None or may_be_list(word) or (_is_there(path) and not path.is_dir()):
        return False
    # If the folder exists, a file in it was meant.
    return "/" not in word.rstrip("/") or not _is_there(Path(word.partition("/")[0]))


def _what_is_wrong(address: str, canonicalizer: Canonicalizer) -> str:
    shown = f"{address[:ADDRESS_SHOWN]!r}{'…' if len(address) > ADDRESS_SHOWN else ''}"
    if UNSPEAKABLE.search(address):
        return f"{shown} is no address: there are control characters, or bytes that are no text, in it"
    if HOSTLESS.match(address):
        return f"{shown} names no host after ://; an address looks like https://www.example.org/"
    if len(address.encode("utf-8", "replace")) > canonicalizer.rules.url_bytes_max:
        return f"{shown} is longer than scope.url_bytes_max allows"
    scheme, separator, _ = address.lower().partition("://")
    if separator and scheme in {*SCHEMES} - canonicalizer.rules.schemes:
        wider = ",".join(name for name in SCHEMES if name == scheme or name in canonicalizer.rules.schemes)
        return f"{shown} is left out by scope.schemes; --set scope.schemes={wider} allows {scheme}"
    if SCHEME.fullmatch(scheme) and separator and scheme not in SCHEMES:
        spoken = f"{', '.join(SCHEMES[:-1])} and {SCHEMES[-1]}"
        return f"{shown} cannot be requested: tiptoe speaks {spoken}, not {scheme}"
    if SPACED_HOST.match(address):
        return f"{shown} is no address: there is a space in the name of its host"
    if (port := BEYOND_PORTS.match(address)) and int(port[1]) > PORT_MAX:
        return f"{shown} is no address: ports end at {PORT_MAX}"
    return f"{shown} is no address; one looks like https://www.example.org/"


def _and_more(alike: Collection[str]) -> str:
    """Return how many there are besides the one that is named."""
    return f", and {len(alike) - 1} more likewise" if len(alike) > 1 else ""


def _shown(word: str) -> str:
    """Return a word made safe to print: it cannot move the cursor."""
    return word if word.isprintable() else repr(word)


def read_downlist(settings: Settings, canonicalizer: Canonicalizer) -> Downlist | None:
    """Return what others have downloaded; None when the settings name no list."""
    if not settings.crawl.downlist:
        return None
    try:
        content = _content(Path(settings.crawl.downlist))
        # In lists written by `tiptoe downlist`, only the first column is a URL.
        words = [address for _, address in _split(re.sub(rb"\t[0-9.]+\t[^\n]*", b"", content))]
    except ValueError as problem:
        raise SettingsError(settings.complain("crawl.downlist", str(problem))) from None
    schemes = canonicalizer.rules.schemes
    whole = (word if "://" in word else address_meant(word, schemes) or word for word in words)
    found = [canonicalizer.canonical(word) for word in whole]
    return Downlist([*dict.fromkeys(url for url in found if url is not None)], found.count(None))


def read_token(settings: Settings) -> str:
    """Return the secret that harvesters on other machines have to present; empty if none."""
    if not settings.harvest.token_file:
        return ""
    try:
        token = _text(_content(Path(settings.harvest.token_file))).strip()
        if not token:
            raise ValueError("empty; a secret must stand in it")
    except ValueError as problem:
        raise SettingsError(settings.complain("harvest.token_file", str(problem))) from None
    return token


def refuse_crawls(words: Iterable[str]) -> None:
    """Refuse the directory of a crawl among the seeds: its user wants to continue that crawl."""
    for word in words:
        if "://" not in word and _is_there(Path(word) / MARKER):
            line = shlex.join(["tiptoe", "crawl", "--out", word])
            raise SettingsError(f"{_shown(word)} is the directory of a crawl; `{line}` continues it")


def check_out(settings: Settings) -> None:
    """Refuse an output path that is not a directory."""
    out = Path(settings.crawl.out)
    for path in (out, *out.parents):
        if _is_there(path) and not path.is_dir():
            name = "this name" if path == out else f"the name {path}"
            raise SettingsError(settings.complain("crawl.out", f"there is a file of {name}"))


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # the name is too long
        return False


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ValueError(error.strerror) from None


def _split(content: bytes) -> Iterator[tuple[int, str]]:
    """Yield words, separated by spaces or line breaks, with their lines; a word with `#` begins a comment."""
    for number, line in enumerate(_text(content).splitlines(), start=1):
        words = takewhile(lambda word: not word.startswith("#"), line.split())
        yield from ((number, word) for word in words)


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")  # with or without a byte order mark
    except UnicodeDecodeError:
        is_wide = content.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
        coded = "it is in UTF-16" if is_wide else "not a UTF-8 text file"
        raise ValueError(f"{coded}; save it as UTF-8") from None
