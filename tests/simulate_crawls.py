"""Does the crawler survive everything? `python tests/simulate_crawls.py --seeds 0-2000`."""

import argparse
import sys
import time

from simulated.run import Outcome, simulate

__all__ = ["main"]

PROGRESS_SECONDS = 5.0
EXAMPLES = """examples:
  python tests/simulate_crawls.py --seeds 0-2000     two thousand runs
  python tests/simulate_crawls.py --seed 17 --trace  one run, told step by step
"""


def seed_range(text: str) -> range:
    """Read `FIRST-LAST`, or one number."""
    first, dash, last = text.partition("-")
    try:
        seeds = range(int(first), int(last if dash else first) + 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not FIRST-LAST, as in 0-2000") from None
    if not seeds:
        raise argparse.ArgumentTypeError(f"{text!r}: the last seed comes before the first")
    return seeds


def main(arguments: list[str] | None = None) -> int:
    """Play the runs asked for; return 1 if any of them shows a problem."""
    parser = argparse.ArgumentParser(
        prog="python tests/simulate_crawls.py",
        description="Play whole crawls on a virtual clock, with faults from a seed, and check every promise.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--seeds", type=seed_range, metavar="FIRST-LAST", help="play many runs")
    wanted.add_argument("--seed", type=int, metavar="N", help="play one run")
    parser.add_argument("--trace", action="store_true", help="tell what happens, line by line")
    options = parser.parse_args(arguments)
    seeds = options.seeds if options.seeds is not None else range(options.seed, options.seed + 1)
    failed = _play(seeds, is_told=options.trace)
    return 1 if failed else 0


def _play(seeds: range, *, is_told: bool) -> list[int]:
    began, shown = time.process_time(), time.monotonic()
    failed: list[int] = []
    seconds = requests = pages = 0.0
    for count, seed in enumerate(seeds, 1):
        outcome = simulate(seed, show=_say if is_told else None)
        seconds += outcome.seconds
        requests += outcome.requests
        pages += outcome.pages
        if outcome.problems:
            failed.append(seed)
            _accuse(outcome)
        if time.monotonic() - shown > PROGRESS_SECONDS:
            shown = time.monotonic()
            sys.stderr.write(f"{count} of {len(seeds)} seeds, {len(failed)} failed\n")
    spent = time.process_time() - began
    _say(
        f"{len(seeds)} seeds, {len(failed)} failed: {seconds:.0f} virtual seconds, {requests:.0f} requests, "
        f"{pages:.0f} pages, {spent / len(seeds):.3f} CPU seconds a seed"
    )
    if len(seeds) == 1:
        _say(f"digest {outcome.digest}")
    return failed


def _accuse(outcome: Outcome) -> None:
    _say(f"seed {outcome.seed} failed:")
    for problem in outcome.problems:
        _say("  " + problem.replace("\n", "\n  "))
    _say(f"  see it again: python tests/simulate_crawls.py --seed {outcome.seed} --trace")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
