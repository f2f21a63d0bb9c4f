"""Does this lie on a host of the crawl? A rule of more than one decision point."""

from collections.abc import Callable
from typing import Protocol

from tiptoe.url.dropped import Dropped
from tiptoe.url.scope import Scope

__all__ = ["outside"]


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
