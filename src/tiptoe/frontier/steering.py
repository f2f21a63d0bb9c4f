"""Where does the crawl look for usable text?

Where it has found some: this module keeps the productivities of hosts and sections,
and derives from them the level of a host, the class of a request, and whether a
host or section is requested from at all.

Rule: while nothing is known about usability, nothing is ranked lower, and only traps are left alone.
"""

from collections.abc import Callable

from tiptoe.frontier.effect import Effect, LeadRewarded
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.inlinks import Inlinks
from tiptoe.frontier.priority import level_of, level_of_yield
from tiptoe.frontier.sections import Sections, Shifts, section_of
from tiptoe.frontier.step import Step
from tiptoe.frontier.yields import Productivity, cost_of, is_unproductive, usable_chars
from tiptoe.protocol.work import Result
from tiptoe.url.address import host_of, url_key
from tiptoe.url.dropped import Dropped

__all__ = ["Steering"]

LEAD_SHARE, FOREIGN_LEAD_SHARE = 0.5, 0.1
"""Share of a page's yield that is credited to where its link was found: in the same host, or another."""


POOR_SHARE = 0.5
"""Share of the average yield; a host or section below it is credited with what its links lead to."""


class Steering:
    """Keeps the productivities of a crawl and decides by them what comes next."""

    def __init__(
        self,
        step: Step,
        *,
        min_yield: float,
        trial_pages: int,
        unproductive_rest_seconds: float,
        textless_max: int,
    ) -> None:
        self._step = step
        self._min_yield = min_yield
        self._trial_pages = trial_pages
        self._textless_max = textless_max
        self._unproductive_rest_seconds = unproductive_rest_seconds or float("inf")
        self.inlinks = Inlinks()

    def level(self, record: HostRecord) -> int:
        """Return the level of a host among those that may be visited now."""
        if not record.productivity.pages:
            inlinks = self._step.inbox.inlinks(record).bit_count()
            return level_of(record.text_chars, record.body_bytes, record.response_seconds, inlinks)
        average = self._step.learned.experience.share
        ratio = self._step.host_yield(record) / average if average else 1.0
        return level_of_yield(ratio, record.response_seconds)

    def note(
        self, record: HostRecord, result: Result, now: float, effects: list[Effect], *, has_text: bool
    ) -> Dropped | None:
        """Count the yield of a document for its host and section; return why to leave the host, if so.

        If another host led to it, its reward is appended to the effects.
        """
        reason = self._note_text(record, result, now, has_text=has_text)
        if result.usability is None and not result.has_little_text:
            return reason
        cost = cost_of(result.body_bytes)
        chars = None
        if result.usability is not None:
            chars = usable_chars(result.usability, result.text_chars, result.usable_chars, result.discard)
        experience = self._step.learned.experience
        record.productivity.add(cost, chars)
        experience.learn(record.productivity, cost, chars or 0.0)
        name = section_of(result.request.url)
        sections = self._sections(record, now)
        section = sections.add(name, cost, chars)
        if chars is None:
            return reason
        self._step.totals.usable_chars += round(chars)
        if result.request.via:
            self._credit(record, name, result.request.via, chars, now, effects)
        if self._is_unproductive(record.productivity):
            reason = reason or Dropped.NO_YIELD
        elif not section.unproductive_since and section.is_tried and self._is_unproductive(section):
            sections.mark_unproductive(section, now)
        return reason

    def _note_text(self, record: HostRecord, result: Result, now: float, *, has_text: bool) -> Dropped | None:
        """Count whether a page has new text; a host with ever more pages without any is a trap."""
        most = self._textless_max
        record.productivity.meet(has_text=has_text, textless_max=most)
        if record.productivity.met - record.productivity.texts < most // 2:
            return None  # no section can have reached its limit yet; counting by section begins later
        via, name = result.request.via, section_of(result.request.url)
        sections = self._sections(record, now)
        section = sections.meet(name, has_text=has_text, textless_max=most)
        if via and section.texts and (led_from := section_of(via)) != name and host_of(via) == record.host:
            # Lists lead to lists: a section that leads to one with texts is credited with a part of them.
            sections.lead_to_text(led_from, 1.0 if has_text else min(1.0, section.texts / section.met))
        if has_text:
            return None
        if record.productivity.is_hollow(most):
            return Dropped.TRAP_TEXTLESS
        if not section.unproductive_since and section.is_hollow(most):
            sections.mark_unproductive(section, now)
            self._step.outcome(Dropped.TRAP_TEXTLESS)
        return None

    def note_leads(self, record: HostRecord, via: str, urls: list[str], now: float) -> None:
        """Count new links that lead from one section of a host to another, judged by the first link."""
        name = section_of(via)
        if name != section_of(urls[0]):
            self._sections(record, now).lead(name, len(urls))

    def shifts(self, record: HostRecord, now: float) -> Shifts | None:
        """Return how the sections of a host differ; None if they do not."""
        if not record.is_uneven:
            return None
        credence = self._step.learned.experience.credence_pages
        return self._sections(record, now).shifts(self._step.host_yield(record), credence)

    def order(self, record: HostRecord, now: float) -> Callable[[list[str]], list[str]] | None:
        """Return a function that sorts the URLs of a chunk, best first; None if no order is known."""
        shifts = self.shifts(record, now)
        if shifts is None and not record.is_endorsed:
            return None
        count = self.inlinks.count

        def rank(url: str) -> tuple[int, int]:
            return (shifts.of(url) if shifts else 0, -count(url_key(url)))

        return lambda urls: sorted(urls, key=rank)

    def is_rested(self, record: HostRecord, now: float) -> bool:
        """Whether an unproductive host has rested long enough."""
        return now >= self.rested_at(record)

    def rested_at(self, record: HostRecord) -> float:
        """Return when an unproductive host has rested long enough."""
        return record.unproductive_since + self._unproductive_rest_seconds

    def begin_anew(self, record: HostRecord) -> None:
        """Forget the yields of a host that has rested and gets a second trial."""
        record.productivity = Productivity()
        record.sections = b""
        record.is_uneven = False
        self._step.sections.forget(record.host)
        self._step.hosts.touch(record)

    def _sections(self, record: HostRecord, now: float) -> Sections:
        woken_before = now - self._unproductive_rest_seconds
        return self._step.sections.of(record.host, record.sections, woken_before=woken_before)

    def _is_unproductive(self, productivity: Productivity) -> bool:
        experience = self._step.learned.experience
        return is_unproductive(
            productivity, experience, min_yield=self._min_yield, trial_pages=self._trial_pages
        )

    def _credit(
        self, record: HostRecord, name: str, via: str, chars: float, now: float, effects: list[Effect]
    ) -> None:
        """Credit the section or host that led to a page with part of its yield, if its own is low."""
        led_from, leader = section_of(via), host_of(via)
        if leader != record.host:
            if chars:
                effects.append(LeadRewarded(leader, led_from, chars * FOREIGN_LEAD_SHARE))
        elif led_from != name:  # a section is not credited with its own pages
            self._credit_section(record, led_from, chars * LEAD_SHARE, now)

    def reward(self, lead: LeadRewarded, now: float) -> None:
        """Credit a host with what it has led to elsewhere, if its own yield is low."""
        record = self._step.hosts.find(lead.host)
        if record is not None and self._is_needy(record.productivity):
            record.productivity.chars += lead.chars
            self._credit_section(record, lead.section, lead.chars, now)
            self._step.hosts.touch(record)

    def _credit_section(self, record: HostRecord, name: str, chars: float, now: float) -> None:
        sections = self._sections(record, now)
        section = sections.find(name)
        if section is not None and self._is_needy(section):
            sections.credit(section, chars)
            if section.unproductive_since and not self._is_unproductive(section):
                sections.reactivate(section)

    def _is_needy(self, productivity: Productivity) -> bool:
        return (
            productivity.pages > 0 and productivity.share < POOR_SHARE * self._step.learned.experience.share
        )
