"""How much work is one turn of a simulated crawl for a keeper?"""

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from tiptoe.experiment.frontier_player import FrontierPlayer, rules_of
from tiptoe.protocol.work import Report, Visit
from tiptoe.url.address import origin_of

__all__ = ["Stopwatch", "number_of", "own_address", "turn"]

HARVESTER = "bench"

Told = ParamSpec("Told")
Said = TypeVar("Said")


class Stopwatch:
    """Measures steps of the frontier: the CPU time of all, and of the longest."""

    def __init__(self) -> None:
        self.spent = 0.0
        self.longest = 0.0

    def step(self, act: Callable[Told, Said], *args: Told.args, **kwargs: Told.kwargs) -> Said:
        """Run one step of the frontier."""
        began = time.process_time()
        done = act(*args, **kwargs)
        spent = time.process_time() - began
        self.spent += spent
        self.longest = max(self.longest, spent)
        return done

    def lap(self) -> float:
        """Return the CPU time since the last lap."""
        spent, self.spent = self.spent, 0.0
        return spent


def turn(player: FrontierPlayer, watch: Stopwatch, visits_max: int) -> list[Report]:
    """Hand out some visits and take their results back; return the reports."""
    visits = watch.step(_take, player, visits_max)
    reports = [_with_rules(player.report_of(visit), visit) for visit in visits]
    watch.step(player.tell, reports)
    return reports


def _take(player: FrontierPlayer, visits_max: int) -> list[Visit]:
    player.frontier.tick(player.now)
    player.look_up()
    return player.frontier.visits(visits_max, HARVESTER, player.now)


def _with_rules(report: Report, visit: Visit) -> Report:
    """Add the rules that a harvester reads when it does not know those of its hosts."""
    for work in visit.hosts:
        origins = {origin_of(request.url) for request in work.requests} - set(work.robots)
        report.results[:0] = [rules_of(origin) for origin in origins]
    return report


def number_of(host: str) -> int:
    """Return the number in the name of a host, as in `h17.example`."""
    return int(host[1:].partition(".")[0])


def own_address(host: str) -> str:
    """Return the address of a host that does not share it."""
    number = number_of(host)
    return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
