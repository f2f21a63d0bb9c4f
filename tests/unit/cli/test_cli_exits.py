"""How a crawl ends can be told from its exit code."""

import pytest

from tiptoe.cli.exits import ENDINGS, Exit, exit_of
from tiptoe.keeper.ending import Ending


def test_every_ending_has_its_code() -> None:
    assert set(ENDINGS) == set(Ending)


@pytest.mark.parametrize("ending", Ending)
def test_only_a_crawl_that_is_done_and_brought_something_ends_with_zero(ending: Ending) -> None:
    assert (exit_of(ending, pages=1) == 0) == (ending is Ending.DONE)
    assert exit_of(ending, pages=0) != 0


def test_a_crawl_that_was_stopped_before_its_first_page_was_stopped() -> None:
    """What is not over has not brought nothing."""
    assert exit_of(Ending.INTERRUPTED, pages=0) is Exit.INTERRUPTED
    assert exit_of(Ending.TIME, pages=0) is Exit.LIMIT
    assert exit_of(Ending.DONE, pages=0) is Exit.NOTHING
