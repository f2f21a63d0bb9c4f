"""Is it the web that does not answer, or are we cut off?

One host that falls silent is in trouble. When hosts at many addresses fall silent one
after the other, among them hosts that used to answer, and nobody answers in between,
the cause is our own line, proxy or router.

    well ─▶ suspicious: silence, and no answer ─▶ cut off: hold everything, try now and then
      ▲──────────── an answer ───────────────────────┘

Rules: any answer proves that the line works, whatever it says. Addresses are counted,
not hosts: one server that dies takes many names with it. A single address is never
enough, so no outage is detected in a crawl of a single server.

Pure: told what was heard and when. Waits are in units of `backoff_first` (a minute unless configured).
"""

from typing import Final

__all__ = ["OutageDetector"]

SILENT_MIN: Final = 10
"""Minimum number of addresses that must fall silent before we count as cut off. If fewer have answered
lately, that many are enough, but at least two."""

SILENT_LEAST: Final = 2
WELL_SHARE: Final = 0.5
"""Minimum share of these addresses that must have answered before: all others may be dead hosts."""

LATELY_WAITS: Final = 15.0
"""Maximum age of an answer that counts as recent, in units of `backoff_first`. Only some are remembered."""

LATELY_MAX: Final = 2 * SILENT_MIN

FIRST_WAIT, LONGEST_WAIT = 0.5, 10.0
TRIAL_VISITS: Final = 3
"""Maximum number of visits in one trial of the line. After each trial the wait is doubled, up to
`LONGEST_WAIT`."""

SILENT_MAX: Final = 100
"""Maximum number of silent addresses that are remembered; above it the oldest is forgotten."""

CUT_OFF_MAX, CUT_OFF_MAX_FEW = 3 * 24 * 60.0, 6 * 60.0
"""Maximum time for which we believe that we are cut off, in units of `backoff_first`; the second if few
addresses are silent. After that the hosts are blamed, so that a crawl with only dead hosts left can end."""


class OutageDetector:
    """Whether we are cut off, and when to try again."""

    def __init__(
        self, unit: float = 60.0, *, silent_least: int = SILENT_LEAST, longest: float = CUT_OFF_MAX
    ) -> None:
        """`unit`: seconds in one unit of all waits; `longest`: maximum time cut off, in units."""
        self._unit = unit
        self._silent_least = silent_least
        self._longest = longest
        self.cut_off_at: float | None = None  # None: we are not
        self._silent: dict[str, bool] = {}  # address -> whether it was well; since the last answer
        self._lately: dict[str, float] = {}  # address -> when it answered
        self._try_at = 0.0
        self._wait = FIRST_WAIT * self._unit
        self._is_mistaken = False

    def __repr__(self) -> str:
        state = "well" if self.cut_off_at is None else f"cut off since {self.cut_off_at:.0f}"
        well = sum(self._silent.values())
        return f"<OutageDetector {state}, {len(self._silent)} silent, {well} of them were well>"

    @property
    def is_cut_off(self) -> bool:
        return self.cut_off_at is not None

    @property
    def try_at(self) -> float:
        """When the line is next tried, while we are cut off."""
        return self._try_at

    def answered(self, address: str, now: float) -> None:
        """Note an answer from this address."""
        self._lately.pop(address, None)
        self._lately[address] = now
        if len(self._lately) > LATELY_MAX:
            del self._lately[next(iter(self._lately))]
        self._recover()

    def fell_silent(self, address: str, *, was_well: bool, now: float) -> None:
        """Note that nothing at this address could be reached; `was_well`: the last time it could."""
        self._silent[address] = was_well or self._silent.get(address, False)
        if len(self._silent) > SILENT_MAX:
            del self._silent[next(iter(self._silent))]
        if self.cut_off_at is not None:
            self._doubt(now)
        elif not self._is_mistaken and self._is_everybody(now):
            self.cut_off_at = now
            self._wait = FIRST_WAIT * self._unit
            self._try_at = now + self._wait

    def is_proven(self, now: float) -> bool:
        """Whether any address has answered lately, so that silence is not our fault."""
        if self.is_cut_off:
            return False
        return any(now - at <= LATELY_WAITS * self._unit for at in self._lately.values())

    def room(self, now: float) -> int | None:
        """Return how many visits or look-ups may be handed out; None if any number may."""
        self._doubt(now)  # here too: there may be no host left that could fall silent
        if self.cut_off_at is None:
            return None
        return TRIAL_VISITS if now >= self._try_at else 0

    def tried(self, now: float) -> None:
        """Note that visits or look-ups were handed out as a trial of the line."""
        if self.cut_off_at is not None:
            self._wait = min(2 * self._wait, LONGEST_WAIT * self._unit)
            self._try_at = now + self._wait

    def overrule(self) -> None:
        """Believe the operator that the line works."""
        self._recover()

    def _is_everybody(self, now: float) -> bool:
        lately = sum(now - at <= LATELY_WAITS * self._unit for at in self._lately.values())
        needed = max(self._silent_least, min(SILENT_MIN, lately))
        well = sum(self._silent.values())
        return len(self._silent) >= needed and well >= max(SILENT_LEAST, WELL_SHARE * needed)

    def _doubt(self, now: float) -> None:
        """Stop believing that we are cut off when that has lasted too long: see `CUT_OFF_MAX`."""
        longest = self._longest if len(self._silent) >= SILENT_MIN else CUT_OFF_MAX_FEW
        if self.cut_off_at is not None and now - self.cut_off_at > longest * self._unit:
            self._recover()
            self._is_mistaken = True

    def _recover(self) -> None:
        self.cut_off_at = None
        self._silent.clear()
        self._is_mistaken = False
