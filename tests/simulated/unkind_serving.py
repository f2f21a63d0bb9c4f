"""`python -m simulated.unkind_serving UnkindProxy …` serves a web with unkind pages, see `unkind.py`."""

import sys

from simulated.unkind import UnkindProxy, UnkindServers, UnkindWeb
from tiptoe.testing.serve import main

KINDS = {kind.__name__: kind for kind in (UnkindProxy, UnkindServers)}

if __name__ == "__main__":
    main(sys.argv[2:], web_type=UnkindWeb, served_type=KINDS[sys.argv[1]])
