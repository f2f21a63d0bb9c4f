"""How many of the WHATWG URL cases do we read as a browser does?

    python bench/check_url_spec.py urltestdata.json

The file is that of web-platform-tests (`url/resources/urltestdata.json`). Only the
layer below policy is tested, and only for the schemes we may fetch. If `surt` is
installed (in a separate environment, as it is not a dependency), our archive
keys and their cost are compared with those of that library.
"""

import importlib.util
import json
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from timeit import repeat
from typing import Any

from tiptoe.url.canonical import Canonicalizer
from tiptoe.url.whatwg import whatwg_join
from tiptoe.write.surt import surt

SCHEMES = ("http:", "https:", "ftp:", "file:")


def is_ours(case: Any) -> bool:
    """Return whether a case leads, or fails on the way, to a URL that we could fetch."""
    if not isinstance(case, dict):
        return False  # a comment
    leads_to = case.get("protocol") or case["base"] or case["input"].strip().lower()
    return str(leads_to).startswith(SCHEMES)


def compare_keys(urls: Collection[str]) -> None:
    """Print URLs whose key in our archives differs from that of the library that replay tools use."""
    if not importlib.util.find_spec("surt"):
        return
    from surt import surt as theirs

    differing = [url for url in urls if surt(url) != theirs(url)]
    for url in differing:
        print(f"another key: {url}: {surt(url)}, by the library {theirs(url)}")
    print(
        f"{len(urls) - len(differing)} of {len(urls)} keys are those of the library; "
        f"{_microseconds(surt, urls):.1f} µs each, there {_microseconds(theirs, urls):.1f}"
    )


def _microseconds(key: Callable[[str], str], urls: Collection[str]) -> float:
    return 1e6 * min(repeat(lambda: [key(url) for url in urls], number=10, repeat=5)) / (10 * len(urls))


def main(path: Path) -> int:
    """Print passes and each miss; return 1 when there is a miss."""
    cases = [case for case in json.loads(path.read_text("utf-8")) if is_ours(case)]
    misses = 0
    for case in cases:
        expected = case.get("href")
        actual = whatwg_join(case["base"], case["input"])
        if expected != actual:
            misses += 1
            print(f"miss: {case['input']!r} from {case['base']!r}: expected {expected!r}, got {actual!r}")
    print(f"{len(cases) - misses} of {len(cases)} cases pass")
    canonical = Canonicalizer().canonical
    compare_keys({url for case in cases if (url := canonical(case.get("href") or ""))})
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
