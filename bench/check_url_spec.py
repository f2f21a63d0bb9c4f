"""How many of the WHATWG URL cases do we read as a browser does?

    python bench/check_url_spec.py urltestdata.json

The file is that of web-platform-tests (`url/resources/urltestdata.json`). Only the
layer below policy is asked, and only for the schemes we may fetch.
"""

import json
import sys
from pathlib import Path
from typing import Any

from tiptoe.url.whatwg import whatwg_join

SCHEMES = ("http:", "https:", "ftp:", "file:")


def is_ours(case: Any) -> bool:
    """Say whether a case leads to, or fails on the way to, an address we could fetch."""
    if not isinstance(case, dict):
        return False  # a comment
    leads_to = case.get("protocol") or case["base"] or case["input"].strip().lower()
    return str(leads_to).startswith(SCHEMES)


def main(path: Path) -> int:
    """Print passes and each miss; answer 1 when there is a miss."""
    cases = [case for case in json.loads(path.read_text("utf-8")) if is_ours(case)]
    misses = 0
    for case in cases:
        expected = case.get("href")
        actual = whatwg_join(case["base"], case["input"])
        if expected != actual:
            misses += 1
            print(f"miss: {case['input']!r} from {case['base']!r}: expected {expected!r}, got {actual!r}")
    print(f"{len(cases) - misses} of {len(cases)} cases pass")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
