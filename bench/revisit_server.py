"""How fresh does the crawler keep its copy of the thesis's server?

Keeper, harvester and server on one virtual clock: 1000 pages that change every 2 to 80 minutes, each
regularly, watched for 8 hours by *uniform*, *adaptive*, and *optimal* with the requests of adaptive. Prints
one table: the thesis's figures, those of the model (`tiptoe simulate revisit --experiment server`) for the
same pages, and the crawler's. The exit code is 0 if all checks hold, 1 otherwise.

    python bench/revisit_server.py                        # four minutes of CPU
    python bench/revisit_server.py --pages 100 --hours 6  # less than one
"""

import argparse
import sys
import time
from pathlib import Path

from tiptoe.experiment.finding import ExperimentFinding, number_text
from tiptoe.experiment.report import MARKS

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # simulates crawls in virtual time

from simulated.server import Experiment, compare


def main() -> int:
    """Run the experiment and print its result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=1_000, help="pages of the server (default: 1000)")
    parser.add_argument("--hours", type=float, default=8.0, help="hours that are measured (default: 8)")
    parser.add_argument("--seed", type=int, default=1, help="of the web (default: 1)")
    options = parser.parse_args()
    if options.pages < 2 or options.hours <= 0.0:
        parser.error("at least 2 pages, and some time")
    began = time.process_time()
    experiment = Experiment(pages=options.pages, hours=options.hours, seed=options.seed)
    finding = compare(experiment, said=lambda line: print(line, file=sys.stderr, flush=True))
    print_finding(finding)
    print(f"{time.process_time() - began:.0f} s of CPU")
    return int(any(check.is_met is False for check in finding.checks))


def print_finding(finding: ExperimentFinding) -> None:
    """Print the tables with aligned columns, then which checks hold and which do not."""
    print(f"{finding.title}\n{finding.lead}\n")
    for table in finding.tables:
        rows = [
            table.head,
            *(
                [number_text(cell, unit) for cell, unit in zip(row, table.units, strict=True)]
                for row in table.rows
            ),
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
            print("  ".join([row[0].ljust(widths[0]), *cells[1:]]))
    print()
    for check in finding.checks:
        print(f"{MARKS[check.is_met]:>11}  {check.text}")


if __name__ == "__main__":
    sys.exit(main())
