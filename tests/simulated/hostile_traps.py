"""How can a server trap a robot in endless pages?

Every page is new and links to further new ones; none is worth the request.
"""

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Final

from simulated.hostile_asked import PREFIX, HostileRequest, page, word
from tiptoe.testing.answer import SimulatedAnswer

__all__ = ["TRAPS"]

LOOP_LENGTH: Final = 3
FORKS: Final = 3
ALPHABET: Final = "0123456789bcdfghjklmnpqrstvwxyzBCDFGHJKLMNPQRSTVWXYZ"
TOKEN_CHARS: Final = 24


def _show_calendar(asked: HostileRequest) -> SimulatedAnswer:
    """Show a month that links to the next and the one before, for ever."""
    month = _number(asked.rest)
    return page(f"Month {month}", "Nothing happens.", links=(str(month + 1), str(max(0, month - 1))))


def _grow_path(asked: HostileRequest) -> SimulatedAnswer:
    depth = asked.rest.count("/")
    return page(f"Level {depth}", f"Below lies {word(depth)}.", links=(word(depth) + "/",))


def _repeat_path(asked: HostileRequest) -> SimulatedAnswer:
    """Link relative to a folder that is none: the classic mistake of templates."""
    return page("Folder", f"Found under {asked.rest or 'nothing'}.", links=("more/pages/",))


def _grow_query(asked: HostileRequest) -> SimulatedAnswer:
    query = asked.rest.partition("?")[2]
    count = query.count("&") + 1 if query else 0
    return page(
        f"{count} filters",
        f"Filtered by {query}.",
        links=(f"?{query}{'&' if query else ''}{word(count)}=on",),
    )


def _grow_value(asked: HostileRequest) -> SimulatedAnswer:
    """One parameter whose value gets longer with every page."""
    value = asked.rest.partition("?choice=")[2]
    count = value.count(".")
    return page(f"{count} choices", f"Chosen: {value}.", links=(f"?choice={value}{word(count)}.",))


def _hide_session_in_path(asked: HostileRequest) -> SimulatedAnswer:
    """Give every page a new session, under a name that is known and under none."""
    first, second = _token(asked.rest), _token(asked.rest + "!")
    return page(
        "Basket",
        f"Basket of {first}.",
        links=(f"{PREFIX}session-path/{first}/basket", f"{PREFIX}session-path/known;jsessionid={second}"),
    )


def _hide_session_in_query(asked: HostileRequest) -> SimulatedAnswer:
    first, second = _token(asked.rest), _token(asked.rest + "!")
    return page(
        "Basket",
        f"Basket of {first}.",
        links=(f"{PREFIX}session-query/?visitor={first}", f"{PREFIX}session-query/known?PHPSESSID={second}"),
    )


def _loop(asked: HostileRequest) -> SimulatedAnswer:
    step = int(asked.rest) if asked.rest in ("0", "1", "2") else 0
    return _redirect(f"{PREFIX}redirect-loop/{(step + 1) % LOOP_LENGTH}", 302)


def _chain(asked: HostileRequest) -> SimulatedAnswer:
    return _redirect(f"{PREFIX}redirect-chain/{_number(asked.rest) + 1}", 302)


def _redirect_to_itself(asked: HostileRequest) -> SimulatedAnswer:
    return _redirect(f"{PREFIX}redirect-itself/{asked.rest}", 302)


def _redirect_home(asked: HostileRequest) -> SimulatedAnswer:
    return _redirect("/")


def _redirect_elsewhere(asked: HostileRequest) -> SimulatedAnswer:
    return _redirect(asked.elsewhere)


def _apologise(asked: HostileRequest) -> SimulatedAnswer:
    """Say the same about every address, and link to more that do not exist."""
    return page("Our shop", "This article is sold out, but we have others.", links=_nonsense(asked.rest))


def _say_not_found(asked: HostileRequest) -> SimulatedAnswer:
    return page("404 - Page not found", f"There is no {asked.rest[:40]} here.", links=_nonsense(asked.rest))


def _nonsense(rest: str) -> tuple[str, ...]:
    start = int.from_bytes(blake2b(rest.encode(), digest_size=4).digest(), "big")
    return tuple(word(start + fork) for fork in range(FORKS))


def _number(rest: str) -> int:
    digits = rest[:6]
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def _token(rest: str) -> str:
    """Return an id that looks like a session's and depends on the page alone."""
    drawn = blake2b(rest.encode(), digest_size=TOKEN_CHARS).digest()
    return "7" + "".join(ALPHABET[octet % len(ALPHABET)] for octet in drawn[1:])


def _redirect(location: str, status: int = 301) -> SimulatedAnswer:
    return SimulatedAnswer(status, [("Location", location)])


TRAPS: Final[Mapping[str, Callable[[HostileRequest], SimulatedAnswer]]] = {
    "calendar": _show_calendar,
    "growing-path": _grow_path,
    "repeating-path": _repeat_path,
    "growing-query": _grow_query,
    "growing-value": _grow_value,
    "session-path": _hide_session_in_path,
    "session-query": _hide_session_in_query,
    "redirect-loop": _loop,
    "redirect-itself": _redirect_to_itself,
    "redirect-chain": _chain,
    "redirect-home": _redirect_home,
    "redirect-elsewhere": _redirect_elsewhere,
    "soft-404": _apologise,
    "soft-404-titled": _say_not_found,
}
