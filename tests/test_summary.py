"""What is printed last when the tests have run?"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CRAWLS = "tests/unit/cli/test_cli_crawl.py::test_a_crawl_says_at_its_end_what_it_took_as_downloaded"
READS_PARQUET = "tests/unit/export/test_export_formats.py::test_every_field_of_the_corpus_is_in_the_table"


def test_the_last_line_is_the_summary() -> None:
    """Whoever has to scroll up for it overlooks a failure."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        CRAWLS,
        READS_PARQUET,
    ]
    run = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert run.stdout.rstrip("\n").splitlines()[-1].startswith("2 passed")
