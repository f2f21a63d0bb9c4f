"""How can a server be unkind?

Every behaviour has the path `/hostile/NAME/` on every host of `unkind.py`; pages link
there only if the shape says so. Each also has a host of its own, besides those that
are unkind as a whole: see `hostile_web.py`. Behaviours that need a socket name the
`Delivery` that `unkind_delivery.py` carries out. To add one, write a function in the module
of its kind (`hostile_traps.py`, `hostile_answers.py`, `hostile_pages.py`) and add a line
to the table there.
"""

from collections.abc import Callable, Mapping
from typing import Final

from simulated.hostile_answers import ANSWERS
from simulated.hostile_asked import PREFIX, HostileRequest
from simulated.hostile_pages import PAGES
from simulated.hostile_traps import TRAPS
from tiptoe.testing.answer import SimulatedAnswer

__all__ = ["BEHAVIOURS", "PREFIX", "behave"]

Behaviour = Callable[[HostileRequest], SimulatedAnswer]

BEHAVIOURS: Final[Mapping[str, Behaviour]] = {**TRAPS, **ANSWERS, **PAGES}


def behave(path: str, elsewhere: str, *, times: int = 0) -> SimulatedAnswer | None:
    """Return the answer to a path under `PREFIX` that was asked for so often before."""
    name, _, rest = path.removeprefix(PREFIX).partition("/")
    behaviour = BEHAVIOURS.get(name)
    return behaviour(HostileRequest(rest, elsewhere, times)) if behaviour else None
