"""Is it the web that does not answer, or are we cut off?

One host that falls silent is in trouble. When hosts at many addresses fall
silent one after the other, hosts that were well among them, and nobody
answers in between, then it is our own line, proxy or router.

    well ─▶ suspicious: silence, and no answer ─▶ cut off: hold everything, try now and then
      ▲──────────── an answer ───────────────────────┘

Rules: an answer, whatever it says, proves the line. Addresses are counted, not
hosts: one server that dies takes many names with it. What only one address can
tell is not decided here, so a crawl of a single server has no outage_detector.

Pure: told what was heard and when. Waits are in units of `backoff_first` (a minute unless configured).
"""

from typing import Final

__all__ = ["OutageDetector"]

SILENT_MIN: Final = 10
"""Minimum of addresses that fall silent before we count as cut off; where fewer have answered lately, all of
them must, but at least two."""

SILENT_LEAST: Final = 2
WELL_SHARE: Final = 0.5
"""This share of those must have answered before: the rest of a crawl may be dead hosts only."""

LATELY_WAITS: Final = 15.0
"""Who has answered within this time has answered lately; it is enough to remember some of them."""

LATELY_MAX: Final = 2 * SILENT_MIN

FIRST_WAIT, LONGEST_WAIT = 0.5, 10.0
TRIAL_VISITS: Final = 3
"""Maximum of visits in one trial of the line; then nothing is asked for twice as long as before, up to the
longest wait."""

SILENT_MAX: Final = 100
"""Maximum of silent addresses that are remembered; above it one more proves nothing."""

CUT_OFF_MAX, CUT_OFF_MAX_FEW = 3 * 24 * 60.0, 6 * 60.0
"""Maximum time for which being cut off is believed, less when few addresses say so; above it the hosts are to
blame after all, and a crawl of which only dead hosts are left ends."""


class OutageDetector:
    """Whether we are cut off, and when to try again."""

    def __init__(
        self, unit: float = 60.0, *, silent_least: int = SILENT_LEAST, longest: float = CUT_OFF_MAX
    ) -> None:
        """`unit`: what all waits are counted in, in seconds; `longest`: how long we believe to be cut off."""
        self._unit = unit
        self._silent_least = silent_least
        self._longest = longest
        self.cut_off_at: float | None = None  # since when; None: we are not
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
        """When it is next found out whether the line is back; while it is cut off."""
        return self._try_at

    def answered(self, address: str, now: float) -> None:
        """Somebody at this address has answered."""
        self._lately.pop(address, None)
        self._lately[address] = now
        if len(self._lately) > LATELY_MAX:
            del self._lately[next(iter(self._lately))]
        self._recover()

    def fell_silent(self, address: str, *, was_well: bool, now: float) -> None:
        """Nobody could be reached at this address; `was_well`: the last time somebody could."""
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
        """Whether somebody has answered lately, so that silence is not ours."""
        if self.is_cut_off:
            return False
        return any(now - at <= LATELY_WAITS * self._unit for at in self._lately.values())

    def room(self, now: float) -> int | None:
        """Return how many visits, or look-ups, may be handed out; None when there is nothing to hold."""
        self._doubt(now)  # here too: there may be nobody left whose silence could be heard
        if self.cut_off_at is None:
            return None
        return TRIAL_VISITS if now >= self._try_at else 0

    def tried(self, now: float) -> None:
        """Visits or look-ups have been handed out to see whether the line is back."""
        if self.cut_off_at is not None:
            self._wait = min(2 * self._wait, LONGEST_WAIT * self._unit)
            self._try_at = now + self._wait

    def overrule(self) -> None:
        """Somebody who knows better says that the line is fine."""
        self._recover()

    def _is_everybody(self, now: float) -> bool:
        lately = sum(now - at <= LATELY_WAITS * self._unit for at in self._lately.values())
        needed = max(self._silent_least, min(SILENT_MIN, lately))
        well = sum(self._silent.values())
        return len(self._silent) >= needed and well >= max(SILENT_LEAST, WELL_SHARE * needed)

    def _doubt(self, now: float) -> None:
        """Being cut off has its time: see `CUT_OFF_MAX`."""
        longest = self._longest if len(self._silent) >= SILENT_MIN else CUT_OFF_MAX_FEW
        if self.cut_off_at is not None and now - self.cut_off_at > longest * self._unit:
            self._recover()
            self._is_mistaken = True

    def _recover(self) -> None:
        self.cut_off_at = None
        self._silent.clear()
        self._is_mistaken = False
