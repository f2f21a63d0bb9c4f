"""Why can one of our services not listen where it was told to?"""

import os
from errno import EADDRINUSE
from typing import Final

__all__ = ["why_not_taken"]

PORT_MAX: Final = 65_535


def why_not_taken(problem: OSError, host: str, port: int) -> str:
    """Return the cause, and what to change on the command line if that helps."""
    # Use the message of the operating system: that of asyncio repeats the address.
    code = problem.errno or 0
    said = os.strerror(code) if code > 0 else problem.strerror or str(problem)
    if code == EADDRINUSE:
        shown = f"[{host}]" if ":" in host else host
        other = port + 1 if port < PORT_MAX else port - 1
        return f"{said}; choose another port, as in --listen {shown}:{other}"
    return said
