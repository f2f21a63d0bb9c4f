"""What kinds of hosts are there, and which of them is this one?

A kind is chosen by one draw from 0 to 1: the shares of a table follow one another,
and the remainder is the usual kind.
"""

import enum
from typing import Final, TypeVar

from tiptoe.testing.chance import Trait, fraction
from tiptoe.testing.shape import WebShape

__all__ = ["Conduct", "HostTraits", "Life", "RobotsKind", "Table", "choose"]

CHARSETS: Final = ("utf-8", "windows-1250", "iso-8859-2")

Kind = TypeVar("Kind")
Table = tuple[tuple[Kind, float], ...]
"""Kinds and their shares."""


class Life(enum.Enum):
    """Whether a host exists and answers."""

    ALIVE = "alive"
    NO_SUCH_HOST = "no_such_host"
    REFUSED = "refused"


class Conduct(enum.Enum):
    """How a living host treats all its visitors."""

    NORMAL = "normal"
    MOVED = "moved"  # every page redirects to another host
    FORBIDDING = "forbidding"  # every page is 403
    BROKEN = "broken"  # every page is 500
    SILENT = "silent"  # accepts connections and never answers


class Declaration(enum.Enum):
    """What a host declares about the charset of its pages."""

    RIGHT = "right"
    NONE = "none"
    WRONG_HEADER = "wrong_header"  # the page is right
    WRONG_META = "wrong_meta"  # the header names none


class RobotsKind(enum.Enum):
    """What a host answers to a request for robots.txt."""

    OPEN = "open"
    RULES = "rules"
    MISSING = "missing"
    ERROR = "error"
    SLOW = "slow"
    HUGE = "huge"
    PATTERNS = "patterns"
    NAMED = "named"
    CLOSED = "closed"
    HTML = "html"
    MOVED = "moved"


def choose(draw: float, table: Table[Kind], usual: Kind) -> Kind:
    """Return the kind in whose share the draw falls."""
    for kind, share in table:
        if draw < share:
            return kind
        draw -= share
    return usual


class HostTraits:
    """Chooses the kinds of a web's hosts, each by the host's salt.

    Tables hold only what the shape specifies: a web without a trait does not pay for it.
    """

    def __init__(self, shape: WebShape) -> None:
        self._legacy_share = shape.legacy_charset_share
        self._lives = _table(
            (Life.NO_SUCH_HOST, shape.dead_host_share / 2), (Life.REFUSED, shape.dead_host_share / 2)
        )
        self._conducts = _table(
            (Conduct.MOVED, shape.moved_host_share),
            (Conduct.FORBIDDING, shape.forbidding_host_share),
            (Conduct.BROKEN, shape.broken_host_share),
            (Conduct.SILENT, shape.silent_host_share),
        )
        self._robots = _table(
            (RobotsKind.RULES, shape.robots_share),
            (RobotsKind.MISSING, shape.robots_missing_share),
            (RobotsKind.ERROR, shape.robots_error_share),
            (RobotsKind.SLOW, shape.robots_slow_share),
            (RobotsKind.HUGE, shape.robots_huge_share),
            (RobotsKind.PATTERNS, shape.robots_patterns_share),
            (RobotsKind.NAMED, shape.robots_named_share),
            (RobotsKind.CLOSED, shape.robots_closed_share),
            (RobotsKind.HTML, shape.robots_html_share),
            (RobotsKind.MOVED, shape.robots_moved_share),
        )
        self._declarations = _table(
            (Declaration.NONE, shape.charset_undeclared_share),
            (Declaration.WRONG_HEADER, shape.charset_wrong_header_share),
            (Declaration.WRONG_META, shape.charset_wrong_meta_share),
        )

    def life(self, salt: int) -> Life:
        """Return whether a host lives: of the dead, half have no address."""
        return choose(fraction(salt, Trait.LIFE), self._lives, Life.ALIVE) if self._lives else Life.ALIVE

    def conduct(self, salt: int) -> Conduct:
        """Return how a host treats its visitors."""
        if not self._conducts:
            return Conduct.NORMAL
        return choose(fraction(salt, Trait.CONDUCT), self._conducts, Conduct.NORMAL)

    def robots(self, salt: int) -> RobotsKind:
        """Return how a host states its rules."""
        if not self._robots:
            return RobotsKind.OPEN
        return choose(fraction(salt, Trait.ROBOTS), self._robots, RobotsKind.OPEN)

    def charset(self, salt: int) -> str:
        """Return the charset of a host's pages."""
        if not self._legacy_share or fraction(salt, Trait.CHARSET) >= self._legacy_share:
            return "utf-8"
        return "windows-1250" if salt & 2 else "iso-8859-2"

    def declared(self, charset: str, salt: int) -> tuple[str, str]:
        """Return which charsets the header and the page name; empty: none."""
        if self._declarations:
            draw = fraction(salt, Trait.DECLARATION)
            declaration = choose(draw, self._declarations, Declaration.RIGHT)
            if declaration is not Declaration.RIGHT:
                others = [name for name in CHARSETS if name != charset]
                wrong = others[salt >> 3 & 1]
                return {
                    Declaration.NONE: ("", ""),
                    Declaration.WRONG_HEADER: (wrong, charset),
                    Declaration.WRONG_META: ("", wrong),
                }[declaration]
        if charset == "utf-8":
            return charset, charset
        # With a legacy charset one declaration is usual, with UTF-8 both are.
        return (charset, "") if salt & 4 else ("", charset)


def _table(*rows: tuple[Kind, float]) -> Table[Kind]:
    return tuple(row for row in rows if row[1])
