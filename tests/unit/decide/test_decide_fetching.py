"""The decision point `fetch`: what is asked for."""

import pytest

from tiptoe.decide.discard import Discard
from tiptoe.decide.fetching import PendingRequest, fetch_point
from tiptoe.fetch.robots import Robots

ORIGIN = "http://a.example"
SEARCH = Robots(rules=((False, "/search?"), (True, "/search?page=1")))


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/search", None), ("/search?q=1", Discard.DISALLOWED), ("/search?page=1", None), ("/x", None)],
)
def test_a_path_is_judged_with_its_query(path: str, expected: Discard | None) -> None:
    """Search results are what is disallowed most."""
    assert fetch_point().refusal(PendingRequest(f"{ORIGIN}{path}", SEARCH)) is expected


def test_without_rules_everything_may_be_asked_for() -> None:
    pending = PendingRequest(f"{ORIGIN}/anything", Robots())
    assert fetch_point().refusal(pending) is None
