"""Do agents say of a text what one machine would say?

In virtual time: agents crawl a small web with many copied texts, in one world after another. Each page is
judged by them and, at the same moment, by the index of a single machine. Counted are the pages of which only
one of the two says that they are copies, and those of which they give another share of known text. Of two
copies that are read at one moment either may be the one that is kept; such pairs count as the same.

example:
    python bench/same_texts.py --worlds 40 --pause 5
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # simulates agents in virtual time

from simulated.agent_world import LONG
from simulated.text_world import TextWorld, is_copy

SECONDS_MAX = 7200.0


def play(seed: int, options: argparse.Namespace) -> Counter[str]:
    """Crawl one world; count its pages by what was said of them."""
    world = TextWorld(seed, machines_max=options.agents)
    world.rules = replace(LONG, req_delay=options.pause)
    try:
        for number in range(options.agents):
            world.start(number)
        if not world.run(until=SECONDS_MAX):
            raise SystemExit(f"same_texts: world {seed} never ends")
        agents = Counter(world.texts.whole(one.url) for one in world.compared if is_copy(one.agents))
        alone = Counter(world.texts.whole(one.url) for one in world.compared if is_copy(one.alone))
        return Counter(
            pages=len(world.compared),
            copies=agents.total(),
            judged_differently=((agents - alone) + (alone - agents)).total(),
            other_share=sum(one.agents.duplicity != one.alone.duplicity for one in world.compared),
            kept_twice=sum(len(urls) > 1 for urls in world.kept().values()),
        )
    finally:
        world.close()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--agents", type=int, default=3)
    parser.add_argument("--pause", type=float, default=5.0, help="between two requests to a host (5 s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first world")
    options = parser.parse_args(arguments)
    found: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.worlds):
        found += play(seed, options)
    pages = found["pages"]
    print(f"{pages:,} pages, {found['copies']:,} of them copies; texts kept twice: {found['kept_twice']}")
    for name in ("judged_differently", "other_share"):
        print(f"{name.replace('_', ' ')}: {found[name]}, the same in {100 * (1 - found[name] / pages):.2f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
