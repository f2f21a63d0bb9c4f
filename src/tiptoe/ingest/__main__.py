"""A reading process of `tiptoe read`: `python -m tiptoe.ingest`, with units on its standard input."""

import sys

from tiptoe.compose_ingest import read_units

__all__ = ["main"]


def main() -> int:
    """Read the units given, until the parent process closes the pipe."""
    read_units(sys.stdin.buffer, sys.stdout.buffer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
