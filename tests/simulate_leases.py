"""Does every shard have one holder at most, and soon one? `python tests/simulate_leases.py --seeds 0-2000`.

Every seed is another world of machines, clocks and troubles, the same each time.
"""

import argparse
import sys

from simulate_crawls import seed_range
from simulated.lease_world import LEASE_SECONDS, LeaseWorld

__all__ = ["main"]

TROUBLE_SECONDS = 150.0


def main(arguments: list[str] | None = None) -> int:
    """Play the worlds asked for; return 1 if any of them shows a problem."""
    parser = argparse.ArgumentParser(
        prog="python tests/simulate_leases.py",
        description="Play agents that share shards on a virtual clock, with faults from a seed.",
    )
    parser.add_argument("--seeds", type=seed_range, metavar="FIRST-LAST", required=True)
    seeds = parser.parse_args(arguments).seeds
    failed, longest = 0, 0.0
    for seed in seeds:
        with LeaseWorld(seed, machines=2 + seed % 4, shards=1 + seed % 5) as world:
            world.trouble(TROUBLE_SECONDS)
            world.run(TROUBLE_SECONDS)
            waited = world.wait_until_held(TROUBLE_SECONDS + 3 * LEASE_SECONDS) - TROUBLE_SECONDS
            wrong = world.end()
        longest = max(longest, waited)
        if wrong or waited > 1.01 * LEASE_SECONDS + 5:
            failed += 1
            print(f"seed {seed}: all held after {waited:.1f} s; {'; '.join(wrong[:3])}", flush=True)
    print(f"{len(seeds)} worlds, {failed} failed; all held within {longest:.1f} s after the last trouble")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
