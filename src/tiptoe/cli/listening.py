"""Why can a service of ours not listen where it was told to?"""

import os
from errno import EADDRINUSE
from typing import Final

__all__ = ["why_not_taken"]

PORT_MAX: Final = 65_535


def why_not_taken(problem: OSError, host: str, port: int) -> str:
    """Return what is in the way, and what to do about it if a command line can."""
    # In words of the system: those of asyncio repeat the address.
    code = problem.errno or 0
    said = os.strerror(code) if code > 0 else problem.strerror or str(problem)
    if code == EADDRINUSE:
        shown = f"[{host}]" if ":" in host else host
        other = port + 1 if port < PORT_MAX else port - 1
        return f"{said}; choose another port, as in --listen {shown}:{other}"
    return said
