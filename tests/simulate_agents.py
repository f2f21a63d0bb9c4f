"""Do agents crawl together as one would? `python tests/simulate_agents.py --seeds 0-1000`.

Every seed is another web, with machines, clocks, commands, limits and troubles, the same each time.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor

from simulate_crawls import seed_range
from simulated.agent_web import PAGE_BYTES
from simulated.agent_world import AgentWorld

__all__ = ["main", "play"]

TROUBLE_SECONDS = 300.0
SECONDS_MAX = 7200.0
LIMITS = ((0, 0), (0, 0), (10, 0), (60, 0), (0, 50 * PAGE_BYTES))
"""Pages and bytes; 0 = no limit."""


def play(seed: int) -> list[str]:
    """Play one world to its end; return what was wrong with it."""
    pages_max, bytes_max = LIMITS[seed % len(LIMITS)]
    world = AgentWorld(
        seed, machines=2 + seed % 3, shards=(2, 4, 8)[seed % 3], hosts=12 + seed % 12,
        pages_max=pages_max, bytes_max=bytes_max,
    )  # fmt: skip
    try:
        world.trouble(TROUBLE_SECONDS)
        if not world.run(until=SECONDS_MAX):
            return [f"it never ends: {world.living()}"]
        return world.judge()
    finally:
        world.close()


def main(arguments: list[str] | None = None) -> int:
    """Play the worlds asked for; return 1 if any of them shows a problem."""
    parser = argparse.ArgumentParser(
        prog="python tests/simulate_agents.py",
        description="Play agents that crawl together on a virtual clock, with faults from a seed.",
    )
    parser.add_argument("--seeds", type=seed_range, metavar="FIRST-LAST", required=True)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    failed = 0
    with ProcessPoolExecutor(options.processes) as pool:
        for seed, wrong in zip(options.seeds, pool.map(play, options.seeds), strict=True):
            if wrong:
                failed += 1
                print(f"seed {seed}: {'; '.join(wrong[:3])[:600]}", flush=True)
    print(f"{len(options.seeds)} worlds, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
