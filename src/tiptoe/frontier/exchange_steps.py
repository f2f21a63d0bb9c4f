"""How is an exchange of lists opened and closed? Each is a step of its own."""

from tiptoe.frontier.step import Step

__all__ = ["ExchangeSteps"]


class ExchangeSteps:
    """The exchanges of a crawl, as its operator sees them."""

    def __init__(self, step: Step, *, are_awaited: bool) -> None:
        self._step = step
        step.exchanges.are_awaited = are_awaited

    def open(self) -> int:
        """Begin another one: its list holds what was met before; return its number, 0 if none is awaited."""
        number = self._step.exchanges.open(self._step.batch)
        self._step.commit()
        return number

    def close(self, number: int) -> None:
        """Let what was met before this exchange be asked for."""
        self._step.exchanges.close(self._step.batch, number)
        self._step.commit()
