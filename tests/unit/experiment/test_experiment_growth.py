"""Is the growing web of the experiment one in which both sides always have work?"""

import pytest

from tiptoe.experiment import growth as growth_module
from tiptoe.experiment.growth import growth


def test_new_pages_starve_when_all_requests_are_for_revisits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the experiment would show nothing."""
    monkeypatch.setattr(growth_module, "DAYS", 4)
    done: list[float] = []
    finding = growth(12, 1, done.append)
    last = finding.tables[0].values()[-1]
    assert float(last["new pages"] or 0) > 0.5
    assert float(last["new pages, all for revisits"] or 0) < 0.15
    assert sum(done) == pytest.approx(1.0)
