"""Which parts of a host are worth more than others?

A *section* is everything under the first part of the path: `/blog/`, `/tag/`,
`/viewtopic.php?`. Each has its own productivity and is compared with its host. A host has a
bounded number of sections; those with the fewest pages are merged into one, the rest.

Rule: sections that yielded nothing are *unproductive*: links to them are dropped.
"""

import functools
import re
from dataclasses import dataclass
from typing import Final

import msgspec

from tiptoe.frontier.yields import Productivity, expected_yield

__all__ = ["SECTIONS_MAX", "UNPRODUCTIVE", "SectionBook", "Sections", "Shifts", "section_of"]

SECTIONS_MAX = 32
NAME_CHARS_MAX = 40
REST = "*"
"""Name of the section into which small ones are merged."""

UNPRODUCTIVE: Final = 100
"""Shift of a section from which nothing is requested."""

RICH, POOR, BARE = 1.5, 0.5, 0.1
"""Yield of a section relative to its host: above `RICH`, one class earlier; below `POOR`, one class later;
below `BARE`, two."""

LEADS_JUDGED = 5
"""Minimum number of pages that a section has led to; below it the section is not judged."""

_DIGITS = re.compile(r"\d+")


class Section(Productivity, array_like=True, gc=False):
    """The productivity of one section."""

    unproductive_since: float = 0.0  # 0 = it is productive
    leads: float = 0.0  # new links found here that lead to other sections
    led: float = 0.0  # how many pages they led to have been judged

    @property
    def is_tried(self) -> bool:
        """Whether enough is known about the pages it leads to; lists themselves yield nothing."""
        return self.led >= min(self.leads, LEADS_JUDGED)


def section_of(url: str) -> str:
    """Return the section of a canonical URL; numbers do not make sections of their own."""
    start = url.find("/", url.find("://") + 3) + 1
    end = url.find("/", start)
    query = url.find("?", start)
    if query >= 0 and (end < 0 or query < end):
        name = url[start : query + 1]  # a script, up to its query
    else:
        name = url[start:end] if end >= 0 else ""
    return name if name.isalpha() and len(name) <= NAME_CHARS_MAX else _plain(name[:NAME_CHARS_MAX])


@functools.lru_cache(maxsize=10_000)
def _plain(name: str) -> str:
    return _DIGITS.sub("0", name)


@dataclass(frozen=True, slots=True)
class Shifts:
    """By how many classes the requests of each section come later than others of their host."""

    by_section: dict[str, int]
    others: int  # small sections, and those not met yet

    def of(self, url: str) -> int:
        """Return the shift of a URL."""
        return self.by_section.get(section_of(url), self.others)


class Sections:
    """The sections of one host, opened for a step."""

    def __init__(self, stored: bytes, *, woken_before: float = float("-inf")) -> None:
        productivities = _decode(stored) if stored else {}
        # Unproductive sections that have rested long enough start from scratch.
        self._productivities = {
            name: productivity
            for name, productivity in productivities.items()
            if not productivity.unproductive_since or productivity.unproductive_since > woken_before
        }
        self._shifts: Shifts | None = None
        self._is_compared = False
        self.is_changed = False

    def __repr__(self) -> str:
        named = ", ".join(
            f"/{name} {productivity.share:.3f}" for name, productivity in sorted(self._productivities.items())
        )
        return f"<Sections {named}>"

    def add(self, name: str, cost: float, chars: float | None) -> Section:
        """Count one page, None when it could not be judged; return the productivity of its section."""
        productivity = self._obtain(name)
        productivity.add(cost, chars)
        self._changed()
        return productivity

    def meet(self, name: str, *, has_text: bool, textless_max: int) -> Section:
        """Count one page, judged or not; return the productivity of its section."""
        productivity = self._obtain(name)
        productivity.meet(has_text=has_text, textless_max=textless_max)
        self._changed()
        return productivity

    def lead_to_text(self, name: str, texts: float) -> None:
        """Credit a section with texts that its links led to."""
        productivity = self._productivities.get(name) or self._productivities.get(REST)
        if productivity is not None:
            productivity.texts += texts
            self._changed()

    def lead(self, name: str, count: int) -> None:
        """Count new links that lead from one section to another."""
        productivity = self._productivities.get(name)
        if productivity is not None:
            productivity.leads += count
            self._changed()

    def find(self, name: str) -> Section | None:
        """Return the productivity of a section, if it has any."""
        return self._productivities.get(name)

    def credit(self, productivity: Section, chars: float) -> None:
        """Credit a section with the yield of a page that one of its links led to."""
        productivity.chars += chars
        productivity.led += 1
        self._changed()

    def mark_unproductive(self, productivity: Section, now: float) -> None:
        """Mark a section as unproductive: nothing more is requested from it."""
        productivity.unproductive_since = now
        self._changed()

    def reactivate(self, productivity: Section) -> None:
        """Request from a section again, after it turned out to lead to text."""
        productivity.unproductive_since = 0.0
        self._changed()

    def shifts(self, host_yield: float, credence_pages: float) -> Shifts | None:
        """Compare the sections with their host; return None if none of them differs."""
        if not self._is_compared:
            found = {
                name: _shift(productivity, host_yield, credence_pages)
                for name, productivity in self._productivities.items()
            }
            self._shifts = Shifts(found, found.get(REST, 0)) if any(found.values()) else None
            self._is_compared = True
        return self._shifts

    def encode(self) -> bytes:
        """Return the sections as they are stored."""
        return msgspec.msgpack.encode(self._productivities)

    def _obtain(self, name: str) -> Section:
        productivity = self._productivities.get(name)
        if productivity is None:
            rest = self._productivities.get(REST)
            if len(self._productivities) > SECTIONS_MAX and rest is not None and rest.unproductive_since:
                return rest
            productivity = self._productivities[name] = Section()
            if len(self._productivities) > SECTIONS_MAX:
                self._make_room(name)
        return productivity

    def _changed(self) -> None:
        self._is_compared = False
        self.is_changed = True

    def _make_room(self, newest: str) -> None:
        rest = self._productivities.setdefault(REST, Section())
        lightest = min(
            (name for name in self._productivities if name not in (newest, REST)),
            key=lambda name: (self._productivities[name].met, self._productivities[name].pages, name),
        )
        productivity = self._productivities.pop(lightest)
        rest.pages += productivity.pages
        rest.cost += productivity.cost
        rest.chars += productivity.chars
        rest.judged += productivity.judged
        rest.judged_cost += productivity.judged_cost
        rest.met += productivity.met
        rest.texts += productivity.texts


class SectionBook:
    """The sections that a step of the frontier has opened, by host."""

    def __init__(self) -> None:
        self._open: dict[str, Sections] = {}

    def of(self, host: str, stored: bytes, *, woken_before: float) -> Sections:
        """Return the sections of a host; `stored` is what its record holds."""
        sections = self._open.get(host)
        if sections is None:
            sections = self._open[host] = Sections(stored, woken_before=woken_before)
        return sections

    def forget(self, host: str) -> None:
        """Forget the sections of a host that starts from scratch."""
        self._open.pop(host, None)

    def changed(self) -> list[tuple[str, Sections]]:
        """Return what is to be written, by host."""
        return [(host, opened) for host, opened in self._open.items() if opened.is_changed]

    def committed(self) -> None:
        """The step has been written."""
        self._open.clear()


def _shift(productivity: Section, host_yield: float, credence_pages: float) -> int:
    if productivity.unproductive_since:
        return UNPRODUCTIVE
    if not host_yield:
        return 0
    ratio = expected_yield(productivity, host_yield, credence_pages) / host_yield
    if ratio < BARE:
        return 2
    if ratio < POOR:
        return 1
    return -1 if ratio > RICH else 0


_decode = msgspec.msgpack.Decoder(dict[str, Section]).decode
