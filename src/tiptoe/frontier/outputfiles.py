"""What does the frontier know about the files that harvesters write?

How much of each is committed and which pages it holds, noted in the step that settles them; and which pages
are requested again when a file turns out to lack some.
"""

from collections.abc import Iterable, Iterator, Mapping

from tiptoe.frontier.dispatch import Dispatch
from tiptoe.frontier.filemarks import FileMark, is_numbered
from tiptoe.frontier.holdings import Holding
from tiptoe.frontier.imported_files import forget_imported, imported_files
from tiptoe.frontier.losses import Loss, Losses, Verdicts
from tiptoe.frontier.revisit_scheduler import RevisitScheduler
from tiptoe.frontier.revisits import Revisits
from tiptoe.frontier.step import Step

__all__ = ["OutputFiles"]


class OutputFiles:
    """The output files of a crawl, by name; none is opened here."""

    def __init__(
        self, step: Step, revisits: Revisits, revisit_scheduler: RevisitScheduler, dispatch: Dispatch
    ) -> None:
        self._step = step
        self._dispatch = dispatch
        self._losses = Losses(step, revisits, revisit_scheduler, dispatch)

    def grow(self, sizes: Mapping[str, int]) -> None:
        """Note, within a step, the sizes of files that have grown by the pages that the step settles."""
        step = self._step
        step.files.note(step.batch, sizes)
        step.ids.holdings += 1
        numbered = [name for name in sizes if is_numbered(name)]
        step.holdings.write(step.batch, numbered, step.ids.holdings)

    def marks(self) -> dict[str, FileMark]:
        """Return how much of every file is committed, and whether it is finished."""
        return self._step.files.all()

    def note(self, marks: Mapping[str, FileMark | None]) -> None:
        """Note the state of files after a check; None removes a mark."""
        for name, mark in marks.items():
            self._step.files.put(self._step.batch, name, mark)
        self._step.commit()

    def imported_by(self, agent: str) -> list[str]:
        """Return the files from before many machines shared the crawl, if they are on this member's disk."""
        return imported_files(self._step.store).of(agent)

    def forget_imported(self) -> None:
        """Forget the list of these files."""
        forget_imported(self._step.batch)
        self._step.commit()

    def holdings(self, name: str) -> Iterator[Holding]:
        """Yield what was written while this file grew."""
        return self._step.holdings.of(name)

    def ask_again(self, losses: Iterable[Loss], now: float) -> Verdicts:
        """Queue the pages of which something was lost; return how many can be fetched again."""
        verdicts = self._losses.ask_again(losses, self._dispatch.leased(), now)
        self._step.commit()
        return verdicts
