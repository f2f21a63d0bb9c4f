"""Which links has a crawl left unfollowed although nothing is wrong with their targets?

A URL that was never met may have been among them, or reachable only through them; no rule about URLs can
tell. What the URL itself decides (bounds, filters, lists) is reported by the rules: see
`decide/rule_verdicts`.
"""

from collections.abc import Mapping
from typing import Final

from tiptoe.observe.amounts import counted, human_count, was
from tiptoe.url.dropped import Dropped

__all__ = ["may_be_unfollowed", "unfollowed_in", "useless_unfollowed"]

UNFOLLOWED: Final[Mapping[str, tuple[str, str]]] = {
    # reason: where the links are or lead, and the setting behind it
    Dropped.ZERO_USABILITY: ("on the second page in a row without any usable text", "scope.follow_useless"),
    Dropped.TOO_DEEP: ("too many links away from the seeds", "scope.depth"),
    Dropped.UNLISTED: ("in other places than those from which links are wanted", "scope.follow"),
    Dropped.NO_YIELD: ("to hosts, or parts of them, with next to no usable text", "frontier.min_yield"),
    Dropped.HOST_FULL: ("to hosts that have given all the pages they may", "crawl.pages_per_host"),
    Dropped.TRAP_SHAPE: ("to endless pages that differ only in numbers", "scope.shape_pages_max"),
    Dropped.TRAP_TEXTLESS: ("to hosts, or parts of them, with ever more pages and no new text", ""),
    Dropped.MANY_LINKS: ("beyond those that are taken of one page", ""),
    Dropped.REPEATED_LINKS: ("under a text that its host repeats over and over", ""),
    Dropped.UNFOLLOWED: ("that they, their page or its server ask not to follow", ""),
    Dropped.MANY_HOSTS: ("to more hosts than the filters allow", ""),
}

REASONS_SHOWN: Final = 4


def unfollowed_in(discards: Mapping[str, int]) -> dict[str, int]:
    """Return those discard counts that are about links not followed because of where they were found."""
    return {name.value: discards[name] for name in Dropped if name in UNFOLLOWED and discards.get(name)}


def may_be_unfollowed(counts: Mapping[str, int]) -> str:
    """Return a sentence that a URL may have been among such links; empty if there are none."""
    if not counts:
        return ""
    ordered = sorted(counts.items(), key=lambda pair: -pair[1])
    lines = [_said(name, count) for name, count in ordered[:REASONS_SHOWN] if name in UNFOLLOWED]
    lines += [counted(len(ordered) - REASONS_SHOWN, "more reason")] if len(ordered) > REASONS_SHOWN else []
    return f"It may have been among links that this crawl did not follow, or behind them: {', '.join(lines)}."


def useless_unfollowed(discards: Mapping[str, int]) -> str:
    """Return how many links on useless pages were not followed, and what would change that; or nothing."""
    count = discards.get(Dropped.ZERO_USABILITY, 0)
    if not count:
        return ""
    where, setting = UNFOLLOWED[Dropped.ZERO_USABILITY]
    links = f"{counted(count, 'link')} {was(count)} not followed: {where}"
    return f"{links}. A new crawl with `--set {setting}=true` follows such links."


def _said(name: str, count: int) -> str:
    words, setting = UNFOLLOWED[name]
    return f"{human_count(count)} {words}{f' ({setting})' if setting else ''}"
