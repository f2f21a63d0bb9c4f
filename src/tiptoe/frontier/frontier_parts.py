"""What parts is a frontier made of, and which depends on which?

Each part is given what it needs when it is made, so they are made in the order of their dependencies:

    waiting   what waits where: workbench, queues, calendar
    settling  what follows from a result, for its page, its host and others
    the rest  work for harvesters, and everything that `Frontier` calls
"""

from tiptoe.frontier.completion import Completion
from tiptoe.frontier.correspondence import Correspondence
from tiptoe.frontier.dispatch import Dispatch
from tiptoe.frontier.effects import Effects
from tiptoe.frontier.endgame import Endgame
from tiptoe.frontier.exchange_steps import ExchangeSteps
from tiptoe.frontier.front import Front
from tiptoe.frontier.frontier_limits import FrontierLimits
from tiptoe.frontier.gate import GateKeys
from tiptoe.frontier.host_orders import HostOrders
from tiptoe.frontier.intake import Intake
from tiptoe.frontier.link_admission import LinkAdmission
from tiptoe.frontier.lookups import Lookups
from tiptoe.frontier.mirrors import Mirrors
from tiptoe.frontier.outputfiles import OutputFiles
from tiptoe.frontier.pace import Pace, RevisitRoom
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.frontier.reconsidering import Reconsidering
from tiptoe.frontier.reporting import Reporting
from tiptoe.frontier.restraint import Restraint
from tiptoe.frontier.revisit_scheduler import RevisitScheduler
from tiptoe.frontier.revisits import Revisits
from tiptoe.frontier.robots_settlement import RobotsSettlement
from tiptoe.frontier.rounds import Rounds
from tiptoe.frontier.routing import Routing
from tiptoe.frontier.runs import Runs
from tiptoe.frontier.settlement import PageLearners, Settlement
from tiptoe.frontier.shapes import Shapes
from tiptoe.frontier.shares import Shares
from tiptoe.frontier.steering import Steering
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions

__all__ = ["FrontierParts"]


class FrontierParts:
    """All parts of a frontier; they share one `Politeness`, which may change while it runs."""

    def __init__(self, step: Step, policy: FrontierPolicy, *, shard: int) -> None:
        step.gate.rules = policy.politeness
        self.runs = Runs(step)
        self.exchanges = ExchangeSteps(step, are_awaited=policy.awaits_exchanges)
        self._make_waiting(step, policy)
        self._make_settling(step, policy)
        self._make_rest(step, policy, shard)

    def _make_waiting(self, step: Step, policy: FrontierPolicy) -> None:
        rules = policy.politeness
        self.steering = Steering(
            step, min_yield=policy.min_yield, trial_pages=policy.trial_pages,
            unproductive_rest_seconds=policy.unproductive_rest_seconds,
            textless_max=policy.textless_pages_max,
        )  # fmt: skip
        self.front = Front(
            step.store, step.hosts, step.gate, step.gauges, hosts_max=policy.front_hosts,
            turn_seconds=lambda ahead: ahead // rules.max_hosts * rules.general_pause,
            level=self.steering.level, has_revisits=policy.revisit.strategy != "none",
        )  # fmt: skip
        self.transitions = Transitions(step, self.front)
        self.intake = Intake(
            step, self.transitions, policy.schedule, self.steering,
            pages_per_host=policy.pages_per_host, queue_max=policy.host_queue_max, hosts_max=policy.hosts_max,
        )  # fmt: skip
        self.pace = Pace(rules, step.gate)
        self.shares = Shares(step.learned, share=policy.revisit.share)
        self.revisits = Revisits(step, policy.revisit)
        room = RevisitRoom(rules, self.pace, self.front.bench, self.shares)
        self.revisit_scheduler = RevisitScheduler(
            step, self.transitions, self.intake, self.revisits, host_rate=room.rate_of,
            queue_max=policy.host_queue_max, most_seconds=policy.revisit.max_seconds,
        )  # fmt: skip
        self.shapes = Shapes(step.store, pages_max=policy.shape_pages_max)

    def _make_settling(self, step: Step, policy: FrontierPolicy) -> None:
        rules, transitions, intake = policy.politeness, self.transitions, self.intake
        self.restraint = Restraint(step, self.front, transitions, intake, rules, self.revisit_scheduler)
        robots = RobotsSettlement(
            step, transitions, intake, rules, self.restraint, policy.schedule,
            follows_sitemaps=policy.follows_sitemaps, rules_requests=policy.rules_requests,
        )  # fmt: skip
        mirrors = Mirrors(step, leaves_mirrors=policy.leaves_mirrors)
        routing = Routing.of(step)
        self.effects = Effects(
            step, robots, mirrors, self.steering, self.restraint, transitions, intake, routing
        )
        self.admission = LinkAdmission(step, routing, intake)
        # None: there is no other shard.
        self.others = Correspondence.of(
            step, transitions, self.shapes, intake, routing, self.effects, self.admission
        )
        self.settlement = Settlement(
            step, policy, transitions, self.restraint, robots,
            PageLearners(self.steering, mirrors, self.shapes), self.revisits, self.revisit_scheduler,
        )  # fmt: skip

    def _make_rest(self, step: Step, policy: FrontierPolicy, shard: int) -> None:
        rules, transitions, intake = policy.politeness, self.transitions, self.intake
        revisits, scheduler = self.revisits, self.revisit_scheduler
        gates = GateKeys(policy.cdn_ranges)
        self.dispatch = Dispatch(
            step, self.front, transitions, intake, rules, policy.schedule, self.steering,
            gates, self.pace, self.shares, scheduler,
            rules_requests=policy.rules_requests, pages_per_host=policy.pages_per_host,
            shapes=self.shapes, revisits=revisits.is_active, shard=shard,
        )  # fmt: skip
        self.limits = FrontierLimits(step, policy)
        self.rounds = Rounds(step, revisits, is_counted=shard == 0, entered=scheduler.fall_behind)
        self.reporting = Reporting(
            step, self.dispatch, self.settlement, self.effects, revisits, self.admission
        )
        self.reconsidering = Reconsidering(
            step, transitions, intake, policy.schedule, rules,
            rules_requests=policy.rules_requests, pages_per_host=policy.pages_per_host,
        )  # fmt: skip
        self.endgame = Endgame(step, self.front, transitions, self.restraint, rules)
        self.lookups = Lookups(
            step, transitions, self.restraint, gates, intake, self.dispatch.open, self.others
        )
        self.outputs = OutputFiles(step, revisits, scheduler, self.dispatch)
        self.completion = Completion(
            step, self.front, self.dispatch, scheduler, self.limits, self.rounds, policy
        )
        self.orders = HostOrders(step, self.front, self.effects, self.dispatch, self.others)
