"""Does this lie within the bounds of the crawl? Rules of more than one decision point."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

from tiptoe.url.dropped import Dropped
from tiptoe.url.scope import Scope

__all__ = ["local_files", "outside", "urls_excluded", "urls_outside"]

FILE: Final = "file:"


class OnHost(Protocol):
    """Whatever lies on a host; None: nobody has looked on which."""

    @property
    def host(self) -> str | None: ...


def outside(scope: Scope) -> Callable[[OnHost], Dropped | None]:
    """Return the rule that refuses hosts outside the bounds of the crawl."""

    def other_host(subject: OnHost) -> Dropped | None:
        is_within = subject.host is None or scope.admits_host(subject.host)
        return None if is_within else Dropped.OUT_OF_SCOPE

    return other_host


def urls_excluded(scope: Scope) -> Callable[[Sequence[str]], dict[str, Dropped]]:
    """Return the rule that refuses addresses which nothing may lead to."""
    return lambda urls: dict.fromkeys(scope.excluded(urls), Dropped.OUT_OF_SCOPE)


def urls_outside(scope: Scope) -> Callable[[Sequence[str]], dict[str, Dropped]]:
    """Return the rule that refuses addresses which pages of the crawl cannot have."""
    return lambda urls: dict.fromkeys(scope.not_included(urls), Dropped.OUT_OF_SCOPE)


def local_files(found_in: str, urls: Iterable[str]) -> dict[str, Dropped]:
    """Refuse links to files of this machine, unless they stand in one.

    What the web sends must not make us read what it could not read itself.
    """
    if found_in.startswith(FILE):
        return {}
    return dict.fromkeys((url for url in urls if url.startswith(FILE)), Dropped.OUT_OF_SCOPE)
