"""Does a benchmark leave nothing running?"""

import signal
import subprocess
import sys
from pathlib import Path

import psutil

BENCH = Path(__file__).parents[3] / "bench"

SCRIPT = """
import sys
from rig import end_on_sigterm, started
end_on_sigterm()
with started(["sleep", "600"]) as crawler:
    print(crawler.pid, flush=True)
    crawler.wait()
"""


def test_a_bench_that_is_terminated_ends_what_it_has_started() -> None:
    """Agents that stay behind share the machine with the next measurement."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], cwd=BENCH, stdout=subprocess.PIPE, text=True
    ) as bench:
        assert bench.stdout is not None
        crawler = int(bench.stdout.readline())
        bench.send_signal(signal.SIGTERM)
        assert bench.wait(60) == 128 + signal.SIGTERM
    assert not psutil.pid_exists(crawler)
