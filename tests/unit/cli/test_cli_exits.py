"""How a crawl ends can be told from its exit code."""

import pytest

from tiptoe.cli.exits import ENDINGS, Exit, exit_of
from tiptoe.observe.stops import Stop


def test_every_ending_has_its_code() -> None:
    assert set(ENDINGS) == set(Stop)


@pytest.mark.parametrize("stop", Stop)
def test_only_a_crawl_that_is_done_and_brought_something_ends_with_zero(stop: Stop) -> None:
    assert (exit_of(stop, pages=1) == 0) == (stop is Stop.FINISHED)
    assert exit_of(stop, pages=0) != 0


def test_a_crawl_that_was_stopped_before_its_first_page_was_stopped() -> None:
    """What is not over has not brought nothing."""
    assert exit_of(Stop.INTERRUPTED, pages=0) is Exit.INTERRUPTED
    assert exit_of(Stop.TIME_LIMIT, pages=0) is Exit.LIMIT
    assert exit_of(Stop.FINISHED, pages=0) is Exit.NOTHING


def test_pages_without_text_are_an_end_of_their_own_unless_more_may_come() -> None:
    """A script that goes on to the export would have nothing to export."""
    assert exit_of(Stop.FINISHED, pages=3, lacks_text=True) is Exit.TEXTLESS
    assert exit_of(Stop.FINISHED, pages=0, lacks_text=True) is Exit.NOTHING
    assert exit_of(Stop.PAGE_LIMIT, pages=3, lacks_text=True) is Exit.LIMIT
