"""Of which parts is a frontier made, and who needs whom?

Each part is given what it needs when it is made, so the order here is that of their dependence:

    waiting   who waits where: workbench, queues, calendar
    settling  what follows from a result, for its page, its host and others
    the rest  work for harvesters, and all that `Frontier` calls
"""

from dataclasses import dataclass

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
from tiptoe.frontier.pace import Pace
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.frontier.reconsidering import Reconsidering
from tiptoe.frontier.reporting import Reporting
from tiptoe.frontier.restraint import Restraint
from tiptoe.frontier.revisit_room import RevisitRoom
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

__all__ = ["FrontierParts", "build_parts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    steering: Steering
    shapes: Shapes
    front: Front
    transitions: Transitions
    intake: Intake
    pace: Pace
    shares: Shares
    revisits: Revisits
    scheduler: RevisitScheduler


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settling:
    restraint: Restraint
    effects: Effects
    admission: LinkAdmission
    others: Correspondence | None
    settlement: Settlement


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierParts:
    """The parts that a frontier itself calls."""

    runs: Runs
    exchanges: ExchangeSteps
    front: Front
    transitions: Transitions
    intake: Intake
    revisits: Revisits
    revisit_scheduler: RevisitScheduler
    effects: Effects
    admission: LinkAdmission
    others: Correspondence | None  # None: there is no other shard
    dispatch: Dispatch
    reporting: Reporting
    reconsidering: Reconsidering
    endgame: Endgame
    lookups: Lookups
    outputs: OutputFiles
    limits: FrontierLimits
    rounds: Rounds
    completion: Completion
    orders: HostOrders


def build_parts(step: Step, policy: FrontierPolicy, *, shard: int) -> FrontierParts:
    """Make the parts of a frontier; all of them go by the same politeness, which may change while it runs."""
    rules = step.gate.rules = policy.politeness
    runs = Runs(step)
    exchanges = ExchangeSteps(step, are_awaited=policy.awaits_exchanges)
    waiting = _build_waiting(step, policy)
    settling = _build_settling(step, policy, waiting)
    front, transitions, intake = waiting.front, waiting.transitions, waiting.intake
    revisits, scheduler = waiting.revisits, waiting.scheduler
    gates = GateKeys(policy.cdn_ranges)
    dispatch = Dispatch(
        step, front, transitions, intake, rules, policy.schedule, waiting.steering,
        gates, waiting.pace, waiting.shares, scheduler,
        rules_requests=policy.rules_requests, pages_per_host=policy.pages_per_host,
        shapes=waiting.shapes, revisits=revisits.is_active, shard=shard,
    )  # fmt: skip
    limits = FrontierLimits(step, policy)
    rounds = Rounds(step, revisits, entered=scheduler.fall_behind)
    return FrontierParts(
        runs=runs,
        exchanges=exchanges,
        front=front,
        transitions=transitions,
        intake=intake,
        revisits=revisits,
        revisit_scheduler=scheduler,
        effects=settling.effects,
        admission=settling.admission,
        others=settling.others,
        dispatch=dispatch,
        reporting=Reporting(
            step, dispatch, settling.settlement, settling.effects, revisits, settling.admission
        ),
        reconsidering=Reconsidering(
            step, transitions, intake, policy.schedule, rules,
            rules_requests=policy.rules_requests, pages_per_host=policy.pages_per_host,
        ),
        endgame=Endgame(step, front, transitions, settling.restraint, rules),
        lookups=Lookups(
            step, transitions, settling.restraint, gates, intake, dispatch.open, settling.others
        ),
        outputs=OutputFiles(step, revisits, scheduler, dispatch),
        limits=limits,
        rounds=rounds,
        completion=Completion(step, front, dispatch, scheduler, limits, rounds, policy),
        orders=HostOrders(step, front, settling.effects, dispatch, settling.others),
    )  # fmt: skip


def _build_waiting(step: Step, policy: FrontierPolicy) -> _Waiting:
    rules = policy.politeness
    steering = Steering(
        step, min_yield=policy.min_yield, trial_pages=policy.trial_pages,
        unproductive_rest_seconds=policy.unproductive_rest_seconds,
        textless_max=policy.textless_pages_max,
    )  # fmt: skip
    front = Front(
        step.store, step.hosts, step.gate, step.gauges, hosts_max=policy.front_hosts,
        turn_seconds=lambda ahead: ahead // rules.max_hosts * rules.general_pause,
        level=steering.level, has_revisits=policy.revisit.strategy != "none",
    )  # fmt: skip
    transitions = Transitions(step, front)
    intake = Intake(
        step, transitions, policy.schedule, steering,
        pages_per_host=policy.pages_per_host, queue_max=policy.host_queue_max, hosts_max=policy.hosts_max,
    )  # fmt: skip
    pace = Pace(rules, step.gate)
    shares = Shares(step.learned, share=policy.revisit.share)
    revisits = Revisits(step, policy.revisit)
    scheduler = RevisitScheduler(
        step, transitions, intake, revisits, host_rate=RevisitRoom(rules, pace, front.bench, shares).rate_of,
        queue_max=policy.host_queue_max, most_seconds=policy.revisit.max_seconds,
    )  # fmt: skip
    return _Waiting(
        steering=steering,
        shapes=Shapes(step.store, pages_max=policy.shape_pages_max),
        front=front,
        transitions=transitions,
        intake=intake,
        pace=pace,
        shares=shares,
        revisits=revisits,
        scheduler=scheduler,
    )


def _build_settling(step: Step, policy: FrontierPolicy, waiting: _Waiting) -> _Settling:
    rules, transitions, intake = policy.politeness, waiting.transitions, waiting.intake
    restraint = Restraint(step, waiting.front, transitions, intake, rules, waiting.scheduler)
    robots = RobotsSettlement(
        step, transitions, intake, rules, restraint, policy.schedule,
        follows_sitemaps=policy.follows_sitemaps, rules_requests=policy.rules_requests,
    )  # fmt: skip
    mirrors = Mirrors(step, leaves_mirrors=policy.leaves_mirrors)
    routing = Routing.of(step)
    effects = Effects(step, robots, mirrors, waiting.steering, restraint, transitions, intake, routing)
    admission = LinkAdmission(step, routing, intake)
    return _Settling(
        restraint=restraint,
        effects=effects,
        admission=admission,
        others=Correspondence.of(step, transitions, waiting.shapes, intake, routing, effects, admission),
        settlement=Settlement(
            step, policy, transitions, restraint, robots,
            PageLearners(waiting.steering, mirrors, waiting.shapes), waiting.revisits, waiting.scheduler,
        ),
    )  # fmt: skip
