"""What did the server of a page last answer, according to the archive of a crawl?"""

from datetime import UTC, datetime
from pathlib import Path

from tiptoe.errors import CrawlerError
from tiptoe.fetch.outcome import Answer
from tiptoe.ingest.archived_answer import http_answer
from tiptoe.observe.crawl_members import member_directories
from tiptoe.observe.traces import index_entries
from tiptoe.write.archive import read_record
from tiptoe.write.surt import surt

__all__ = ["newest_answer"]


def newest_answer(crawl: Path, url: str, *, bytes_max: int) -> Answer | None:
    """Return the newest good answer in the archive of a crawl for a canonical URL; None if none."""
    directories = (crawl, *member_directories(crawl))
    entries = [entry for entry in index_entries(directories, surt(url)) if entry.status.startswith("2")]
    for entry in sorted(entries, key=lambda entry: entry.timestamp, reverse=True):
        for directory in directories:
            try:
                block = read_record(directory, entry, bytes_max=bytes_max)
            except (CrawlerError, OSError):
                continue
            if (answer := http_answer(entry.url, block, None, _moment(entry.timestamp))) is not None:
                return answer
    return None


def _moment(digits: str) -> float:
    try:
        return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0
