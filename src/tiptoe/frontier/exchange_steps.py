"""How is an exchange of lists opened and closed? Opening and closing are a step each."""

from tiptoe.frontier.step import Step

__all__ = ["ExchangeSteps"]


class ExchangeSteps:
    """The exchanges of a crawl, as its operator sees them."""

    def __init__(self, step: Step, *, are_awaited: bool) -> None:
        self._step = step
        step.exchanges.are_awaited = are_awaited

    def open(self) -> int:
        """Open an exchange: its list holds the URLs found so far; return its number, 0 if none is awaited."""
        number = self._step.exchanges.open(self._step.batch)
        self._step.commit()
        return number

    def close(self, number: int) -> None:
        """Allow requests for URLs that were found before this exchange."""
        self._step.exchanges.close(self._step.batch, number)
        self._step.commit()
