"""Where `tiptoe` and `python -m tiptoe` begin."""

import sys

from tiptoe.cli.exits import Exit

__all__ = ["main"]


def main() -> None:
    """Run the command line; who presses Ctrl-C while it is loading is shown no traceback either."""
    try:
        from tiptoe.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)


if __name__ == "__main__":
    main()
