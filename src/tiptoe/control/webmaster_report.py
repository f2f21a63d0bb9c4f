"""How is the report for a webmaster made: every request to a host, checked against every rule?"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.tiptoe_process import TiptoeProcesses
from tiptoe.control.web_problem import WebProblem

__all__ = ["webmaster_report"]

REPORT_SECONDS: Final = 120.0


def webmaster_report(processes: TiptoeProcesses, crawl: KnownCrawl, host: str) -> bytes:
    """Return the report on a host as one page; raise WebProblem when it cannot be made."""
    with TemporaryDirectory(prefix="tiptoe-") as folder:
        path = Path(folder, "report.html")
        words = ["audit", str(crawl.directory), "--host", host, "--html", str(path)]
        done = processes.run(words, seconds=REPORT_SECONDS)
        try:
            return path.read_bytes()
        except FileNotFoundError:
            raise WebProblem(422, done.fault or "no report could be made") from None
