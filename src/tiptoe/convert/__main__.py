"""A process that reads documents for `tiptoe convert`: `python -m tiptoe.convert`."""

import sys

from tiptoe.convert.reader_process import serve

if __name__ == "__main__":
    sys.exit(serve(sys.stdin.buffer, sys.stdout.buffer))
