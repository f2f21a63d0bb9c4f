"""The entry point of `tiptoe` and `python -m tiptoe`."""

import sys

from tiptoe.cli.exits import Exit

__all__ = ["main"]


def main() -> None:
    """Run the command line; Ctrl-C shows no traceback, even while modules are being loaded."""
    try:
        from tiptoe.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)


if __name__ == "__main__":
    main()
