"""What does the frontier know of the files that harvesters write?

How much of each is committed and which pages it holds, noted in the step that settles them; and what
follows when a file turns out to lack some.
"""

from collections.abc import Iterable, Iterator, Mapping

from tiptoe.frontier.dispatch import Dispatch
from tiptoe.frontier.filemarks import FileMark, is_numbered
from tiptoe.frontier.holdings import Holding
from tiptoe.frontier.ledger import Ledger
from tiptoe.frontier.losses import Loss, Losses, Verdicts
from tiptoe.frontier.returning import Returning
from tiptoe.frontier.revisits import Revisits

__all__ = ["OutputFiles"]


class OutputFiles:
    """The files of a crawl by their names; nobody here opens one."""

    def __init__(self, ledger: Ledger, revisits: Revisits, returning: Returning, dispatch: Dispatch) -> None:
        self._ledger = ledger
        self._dispatch = dispatch
        self._losses = Losses(ledger, revisits, returning, dispatch)

    def grow(self, sizes: Mapping[str, int]) -> None:
        """Note, within a step, how far files have grown by the pages that it settles."""
        ledger = self._ledger
        ledger.files.note(ledger.batch, sizes)
        ledger.counters.holdings += 1
        numbered = [name for name in sizes if is_numbered(name)]
        ledger.holdings.write(ledger.batch, numbered, ledger.counters.holdings)

    def marks(self) -> dict[str, FileMark]:
        """Return how much of every file is committed, and whether it is finished."""
        return self._ledger.files.all()

    def note(self, marks: Mapping[str, FileMark | None]) -> None:
        """Note how files are after somebody has looked at them; None forgets one."""
        for name, mark in marks.items():
            self._ledger.files.put(self._ledger.batch, name, mark)
        self._ledger.commit()

    def holdings(self, name: str) -> Iterator[Holding]:
        """Yield what was written while this file grew."""
        return self._ledger.holdings.of(name)

    def ask_again(self, losses: Iterable[Loss], now: float) -> Verdicts:
        """Queue the pages of which something was lost; return what can be done for how many."""
        verdicts = self._losses.ask_again(losses, self._dispatch.leased(), now)
        self._ledger.commit()
        return verdicts
