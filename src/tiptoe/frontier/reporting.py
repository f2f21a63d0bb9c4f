"""What follows from the reports of harvesters, and from the loss of a harvester?"""

from tiptoe.frontier.dispatch import Dispatch
from tiptoe.frontier.effects import Effects
from tiptoe.frontier.link_admission import LinkAdmission
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.patience import Trouble
from tiptoe.frontier.revisits import Revisits
from tiptoe.frontier.settlement import Settlement
from tiptoe.frontier.step import Step
from tiptoe.protocol.work import HostWork, Report, Result

__all__ = ["Reporting"]


class Reporting:
    """Settles the results of visits, within a step."""

    def __init__(
        self, step: Step, dispatch: Dispatch, settlement: Settlement, effects: Effects, revisits: Revisits,
        admission: LinkAdmission,
    ) -> None:  # fmt: skip
        self._step = step
        self._dispatch = dispatch
        self._settlement = settlement
        self._effects = effects
        self._revisits = revisits
        self._admission = admission

    def settle(self, reports: list[Report], now: float) -> None:
        """Settle the results of visits, and everything that follows from them."""
        self._settlement.expect(result for report in reports for result in report.results)
        found_links: list[LinkBatch] = []
        for report in reports:
            visit = self._dispatch.open.get(report.visit)
            for result in report.results:
                if self._dispatch.accept(visit, result):
                    found_links += self._effects.apply(self._settlement.settle(result, now), now)
                    if result.hints:
                        self._revisits.apply_hints(result, now)
        self._admission.admit(found_links, now)

    def go_on(self, report: Report, requests_max: int, now: float, *, is_over: bool) -> list[HostWork]:
        """Take back requests a visit has not made; return further work, if it is done and wants some."""
        visit = self._dispatch.open.get(report.visit)
        if visit is None:
            return []
        for request in report.returned:
            if visit.take_back(request):
                self._step.gauges.lease([request], -1)
                self._dispatch.put_back(request, now)
        if report.returned:
            self._dispatch.store_lease(visit)
        if not report.is_done:
            return []
        return self._dispatch.go_on(visit, report, requests_max, now, is_over=is_over)

    def lose(self, harvester: str, now: float, *, suspects: frozenset[str], grace: float) -> int:
        """End the leases of a harvester that is gone; return how many requests they held."""
        lost = 0
        for visit in [visit for visit in self._dispatch.open.values() if visit.harvester == harvester]:
            lost += len(visit.outstanding)
            for url in visit.outstanding:
                self._step.texts.release(url)
            for request in visit.suspected(suspects):
                if visit.take_back(request):
                    self._step.gauges.lease([request], -1)
                lost_result = Result(request, failure=Trouble.HARVESTER_LOST.value)
                self._effects.apply(self._settlement.settle(lost_result, now), now)
            self._dispatch.close(visit, now, grace=grace)
        return lost
