"""How does a step reach other hosts?

The one place where effects are applied to the hosts of this frontier. Effects for hosts that live in another
frontier are sent there.
"""

from collections.abc import Sequence
from typing import assert_never

from tiptoe.frontier.effect import (
    Downloaded,
    Effect,
    HostOrdered,
    LeadRewarded,
    MirrorFound,
    RulesAnswered,
    RulesWanted,
    TextShared,
)
from tiptoe.frontier.intake import Intake
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.mirrors import Mirrors
from tiptoe.frontier.restraint import Restraint
from tiptoe.frontier.robots_settlement import RobotsSettlement
from tiptoe.frontier.routing import Routing
from tiptoe.frontier.steering import Steering
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.url.dropped import Dropped

__all__ = ["Effects"]


class Effects:
    """Applies effects, and the further effects these cause."""

    def __init__(
        self, step: Step, robots: RobotsSettlement, mirrors: Mirrors, steering: Steering,
        restraint: Restraint, transitions: Transitions, intake: Intake, routing: Routing | None,
    ) -> None:  # fmt: skip
        self._step = step
        self._transitions = transitions
        self._intake = intake
        self._routing = routing  # None: there is no other frontier
        self._robots = robots
        self._mirrors = mirrors
        self._steering = steering
        self._restraint = restraint

    def apply(self, effects: Sequence[Effect], now: float) -> list[LinkBatch]:
        """Apply everything but links; return the links, which are examined together at the end of a step."""
        found_links: list[LinkBatch] = []
        for effect in effects:
            if type(effect) is LinkBatch:
                found_links.append(effect)
            elif self._routing is None or self._routing.keeps(self._step.batch, effect):
                found_links += self.apply(self._apply(effect, now), now)
        return found_links

    def _apply(self, effect: Effect, now: float) -> Sequence[Effect]:
        match effect:
            case LeadRewarded():
                self._steering.reward(effect, now)
            case RulesAnswered():
                return self._robots.take_in(effect, now)
            case RulesWanted():
                self._robots.ask(effect, now)
            case TextShared():
                return self._mirrors.note_shared(effect)
            case MirrorFound():
                record = self._step.hosts.find(effect.host)
                if record is not None:
                    self._restraint.give_up(record, Dropped.MIRROR, now)
            case Downloaded():
                self._intake.mark_downloaded(effect.urls, now)
            case HostOrdered():
                self._obey(effect, now)
            case LinkBatch():
                raise AssertionError("links are looked at together, at the end of a step")
            case _:
                assert_never(effect)
        return []

    def _obey(self, order: HostOrdered, now: float) -> None:
        record = self._step.hosts.obtain(order.host)
        if order.number:
            if order.number <= record.ordered:  # carried out where the host lived before
                return
            record.ordered = order.number
            self._step.hosts.touch(record)
        if order.slowed_to is not None:
            record.slowed_to = order.slowed_to
            self._step.hosts.touch(record)
        if order.is_blocked is not None:
            self._transitions.block(record, now, is_blocked=order.is_blocked)
