"""What does an unkind server know about a request, and what do its pages look like?"""

from dataclasses import dataclass
from typing import Final

from tiptoe.testing.answer import SimulatedAnswer

__all__ = ["HTML", "PREFIX", "HostileRequest", "page", "word"]

PREFIX: Final = "/hostile/"
HTML: Final = ("Content-Type", "text/html; charset=utf-8")
SYLLABLES: Final = ("ka", "lo", "mi", "re", "tu", "ve", "no", "sa", "pi", "du")


@dataclass(frozen=True, slots=True)
class HostileRequest:
    """One request for a path under `/hostile/NAME/`."""

    rest: str  # of the path with its query, behind the name
    elsewhere: str = "/"  # the address of another host
    times: int = 0  # how often the same was asked for before; 0 where nobody counts


def page(title: str, *paragraphs: str, links: tuple[str, ...] = ()) -> SimulatedAnswer:
    """Return an ordinary page."""
    text = "".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs)
    anchors = "".join(f'<p><a href="{link}">onward</a></p>\n' for link in links)
    return SimulatedAnswer(
        200, [HTML], f"<!DOCTYPE html><title>{title}</title>\n<h1>{title}</h1>\n{text}{anchors}".encode()
    )


def word(number: int) -> str:
    """Return a word without digits for a number, another one for each."""
    spelled = SYLLABLES[number % 10]
    while number >= 10:
        number //= 10
        spelled += SYLLABLES[number % 10]
    return spelled
