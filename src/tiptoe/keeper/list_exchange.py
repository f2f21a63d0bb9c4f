"""How do the robots of one machine exchange their lists?

Each lists what it has and what it claims, the lists are merged, and each takes in what the others have. This
order keeps a URL from being requested twice: no robot requests what it claims before its claim is known to
have won.
"""

from collections.abc import Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tiptoe.keeper.downlist_lists import Exported, apply_list, export_list
from tiptoe.observe.downlist_merge import Merged, merge_lists

__all__ = ["Exchanged", "exchange_lists"]


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The result of an exchange."""

    merged: Merged
    marks: Mapping[str, float]  # by robot: where its next list begins
    taken: Mapping[str, int]  # by robot: how many URLs it newly learned others to have


def exchange_lists(
    robots: Mapping[str, Path], known: Path, *, since: Mapping[str, float], left: Collection[str] = ()
) -> Exchanged:
    """Exchange the lists of these robots; `known` is the file with what all of them have listed so far."""
    with ExitStack() as stack:
        scratch = Path(
            stack.enter_context(TemporaryDirectory(prefix=".exchange-", dir=known.absolute().parent))
        )
        lists: dict[str, Path] = {name: scratch / f"list-{number}" for number, name in enumerate(robots)}
        values: dict[str, Exported] = {
            name: export_list(directory, lists[name], robot=name, since=since.get(name, 0.0))
            for name, directory in robots.items()
        }
        merged = merge_lists(
            list(lists.values()), scratch / "merged", known=known if known.exists() else None, left=left
        )
        (scratch / "merged").replace(known)
    taken = {
        name: apply_list(directory, known, robot=name, exchange=values[name].exchange)
        for name, directory in robots.items()
    }
    return Exchanged(merged, {name: one.mark for name, one in values.items()}, taken)
