"""Which hosts had to be left alone, and when?

Operators know when an order was confirmed, not when it reached the keeper: connections may be slow, and the
last order that the keeper carries out is the one that counts. So a promise holds from the confirmation until
the keeper receives an order that revokes it, whoever gave either order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tiptoe.protocol.operator import BlockHost, Command, PauseCrawl, ResumeCrawl, UnblockHost

__all__ = ["CarriedOut", "Confirmation", "Promise", "promises_of", "undo_of"]


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """What the keeper has done for an operator; None: it has ended, and with it what only it knew."""

    at: float
    command: Command | None


@dataclass(frozen=True, slots=True)
class Confirmation:
    """An operator was told that an order is obeyed."""

    order: PauseCrawl | BlockHost
    asked_at: float
    told_at: float
    grace: float = 0.0  # in which harvesters that could not be told may still work


@dataclass(frozen=True, slots=True)
class Promise:
    """From one moment to another nobody asks this host or address; "" is everybody."""

    target: str
    from_at: float
    until_at: float


def undo_of(order: PauseCrawl | BlockHost) -> ResumeCrawl | UnblockHost:
    """Return what takes an order back."""
    return UnblockHost(order.target) if isinstance(order, BlockHost) else ResumeCrawl()


def promises_of(confirmations: Iterable[Confirmation], carried_out: Sequence[CarriedOut]) -> list[Promise]:
    """Return what was promised, by what operators were told and the keeper has done, in its order."""
    promises = []
    for told in confirmations:
        # A block is in the database, a pause ends with its keeper.
        ends = (undo_of(told.order),) if isinstance(told.order, BlockHost) else (undo_of(told.order), None)
        begun = [
            number
            for number, done in enumerate(carried_out)
            if done.command == told.order and told.asked_at <= done.at <= told.told_at
        ]
        if not begun:
            continue
        until_at = next((done.at for done in carried_out[begun[0] :] if done.command in ends), float("inf"))
        target = told.order.target if isinstance(told.order, BlockHost) else ""
        if until_at > told.told_at + told.grace:
            promises.append(Promise(target, told.told_at + told.grace, until_at))
    return promises
