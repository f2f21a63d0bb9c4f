"""How many of Google's robots.txt cases do we judge as Google does?

    python bench/check_robots_spec.py spec.json

The file holds a list of cases: robotstxt, url, agent, allowed, why.
"""

import json
import sys
from pathlib import Path

from tiptoe.fetch.robots import parse_robots


def path_of(url: str) -> str:
    """Return path and query unchanged: the cases test escapes, so nothing may be normalised here."""
    return "/" + url.partition("://")[2].partition("/")[2]


def main(path: Path) -> int:
    """Print passes and each miss; return 1 when there is a miss."""
    cases = json.loads(path.read_text("utf-8"))
    misses = 0
    for case in cases:
        robots = parse_robots(case["robotstxt"].encode(), case["agent"])
        if robots.allows(path_of(case["url"])) != case["allowed"]:
            misses += 1
            print(f"miss in {case['file']}: {case['robotstxt']!r} {case['agent']!r} {case['url']!r}")
            print(f"      allowed should be {case['allowed']}: {case['why']}")
    print(f"{len(cases) - misses} of {len(cases)} cases pass")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
