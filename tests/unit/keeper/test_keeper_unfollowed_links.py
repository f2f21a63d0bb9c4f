"""Which links a crawl has left unfollowed, in words."""

import re

from tiptoe.keeper.unfollowed_links import UNFOLLOWED, may_be_unfollowed, unfollowed_in, useless_unfollowed
from tiptoe.settings.schema import SETTINGS


def test_only_what_an_address_cannot_tell_counts() -> None:
    """An address outside the bounds is told by the rule that says so."""
    discards = {"zero_usability": 2, "out_of_scope": 5, "duplicate": 3, "too_deep": 1}
    assert unfollowed_in(discards) == {"zero_usability": 2, "too_deep": 1}
    assert unfollowed_in({}) == {}


def test_each_reason_is_told_with_its_setting_the_most_frequent_first() -> None:
    assert may_be_unfollowed({"too_deep": 1, "zero_usability": 2000}) == (
        "It may have been among links that this crawl did not follow, or behind them: 2 000 on the second "
        "page in a row without any usable text (scope.follow_useless), 1 too many links away from the seeds "
        "(scope.depth)."
    )
    assert may_be_unfollowed(dict.fromkeys(UNFOLLOWED, 1)).endswith(f", {len(UNFOLLOWED) - 4} more reasons.")
    assert may_be_unfollowed({}) == ""


def test_a_summary_says_what_would_follow_links_on_useless_pages() -> None:
    assert useless_unfollowed({"zero_usability": 1}) == (
        "1 link was not followed: on the second page in a row without any usable text. "
        "A new crawl with `--set scope.follow_useless=true` follows such links."
    )
    assert useless_unfollowed({"too_deep": 1}) == ""


def test_every_setting_that_is_named_exists() -> None:
    named = {setting for _, setting in UNFOLLOWED.values() if setting}
    assert named <= set(SETTINGS)
    assert all(re.fullmatch(r"[a-z_]+\.[a-z_]+", name) for name in named)
