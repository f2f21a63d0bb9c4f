"""Is this within the bounds of the crawl? Rules used by more than one decision point."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

from tiptoe.url.dropped import Dropped
from tiptoe.url.scope import Scope

__all__ = ["local_files", "outside", "urls_excluded", "urls_outside"]

FILE: Final = "file:"


class OnHost(Protocol):
    """Anything that is on a host; None: the host is not known yet."""

    @property
    def host(self) -> str | None: ...


def outside(scope: Scope) -> Callable[[OnHost], Dropped | None]:
    """Return the rule that refuses hosts outside the bounds of the crawl."""

    def other_host(subject: OnHost) -> Dropped | None:
        is_within = subject.host is None or scope.admits_host(subject.host)
        return None if is_within else Dropped.OUT_OF_SCOPE

    return other_host


def urls_excluded(scope: Scope) -> Callable[[Sequence[str]], dict[str, Dropped]]:
    """Return the rule that refuses URLs excluded from the crawl, whatever leads to them."""
    return lambda urls: dict.fromkeys(scope.excluded(urls), Dropped.OUT_OF_SCOPE)


def urls_outside(scope: Scope) -> Callable[[Sequence[str]], dict[str, Dropped]]:
    """Return the rule that refuses URLs that are not among those included for pages."""
    return lambda urls: dict.fromkeys(scope.not_included(urls), Dropped.OUT_OF_SCOPE)


def local_files(found_in: str, urls: Iterable[str]) -> dict[str, Dropped]:
    """Refuse links to files of this machine, unless they are found in such a file.

    A page from the web must not make us read what its author could not read.
    """
    if found_in.startswith(FILE):
        return {}
    return dict.fromkeys((url for url in urls if url.startswith(FILE)), Dropped.OUT_OF_SCOPE)
