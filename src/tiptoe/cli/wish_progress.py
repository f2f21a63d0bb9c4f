"""How is it shown who has yet to carry out what owners want to be forgotten?"""

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from tiptoe.cluster.forgetting_progress import WishProgress
from tiptoe.observe.amounts import counted

__all__ = ["print_progress"]


def print_progress(progress: Sequence[WishProgress], console: Console) -> None:
    """Say who has yet to carry out these wishes."""
    for one in progress:
        if one.is_done:
            text = f"{one.target} is forgotten by all shards and members"
        else:
            text = f"{one.target} is still to be forgotten by {_waiting_for(one)}"
        console.print(escape(text), soft_wrap=True)
    if any(one.members for one in progress):
        console.print(
            "A member does it before its agent is started again, or with `tiptoe forget --resume` in its "
            "directory; until then nobody can copy its files.",
            soft_wrap=True,
        )


def _waiting_for(one: WishProgress) -> str:
    parts = []
    if one.shards:
        parts.append(f"{counted(len(one.shards), 'shard')} (when an agent holds them)")
    if one.members:
        parts.append(f"{counted(len(one.members), 'member')} ({', '.join(one.members)})")
    return " and ".join(parts)
