"""Which URL does a word without a scheme mean?

People write `www.example.cz` and `example.cz/news`. Such words are taken as http:// URLs, as by wget and
curl: a server that prefers https redirects us there, while one without https could not be reached by it at
all. A word that is more likely the name of a file, such as `seeds.txt`, is not taken as a URL: a typing error
must not become a host. Where a word may be either, as on the command line of a crawl, `may_be_list` says
which is likelier.
"""

import ipaddress
import re
from collections.abc import Collection
from typing import Final

__all__ = ["address_meant", "may_be_list"]

WORD: Final = re.compile(r"([^\s/?#\\@:\[\]]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?([/?#].*)?", re.DOTALL)
# Not [...\x80-\U0010ffff]: compiling such a table of characters would take milliseconds at every start.
LABEL: Final = re.compile(r"(?:[A-Za-z0-9_-]|[^\x00-\x7f]){1,63}")
LAST_LABEL: Final = re.compile(r"xn--[a-z0-9-]+|(?:[a-z]|[^\x00-\x7f]){2,63}")  # in lower case
LOCAL: Final = "localhost"

FILE_ENDINGS: Final = frozenset(
    {"bz2", "cfg", "conf", "csv", "dat", "doc", "docx", "gz", "htm", "html", "ini", "json", "jsonl", "list",
     "log", "lst", "ods", "odt", "pdf", "seed", "seeds", "text", "toml", "tsv", "txt", "url", "urls", "warc",
     "xls", "xlsx", "xml", "xz", "yaml", "yml", "zst"}
)  # fmt: skip
"""Endings of file names; none of them is a top-level domain."""

LIST_ENDINGS: Final = ("bz2", "csv", "gz", "list", "lst", "seeds", "tsv", "txt", "urls", "xz", "zst")
"""Endings of paths that may be lists on this machine."""


def address_meant(word: str, schemes: Collection[str]) -> str | None:
    """Return a word with the scheme that it lacks; None if it does not look like a URL."""
    found = WORD.fullmatch(word)
    scheme = next((scheme for scheme in ("http", "https") if scheme in schemes), None)
    if found is None or scheme is None:
        return None
    host, port, rest = found[1], found[2] or "", found[3] or ""
    return f"{scheme}://{host}{port}{rest or '/'}" if _is_host(host) else None


def may_be_list(word: str) -> bool:
    """Whether a word that looks like a URL may as well be the path of a list, such as my.lists/seeds.txt."""
    found = WORD.fullmatch(word)
    if found is None or (found[3] or "").lower().rpartition(".")[2] not in LIST_ENDINGS:
        return False
    host = found[1].lower()
    return not (found[2] or _is_address(host) or host.startswith("www.") or host.rstrip(".") == LOCAL)


def _is_host(host: str) -> bool:
    if host.lower().rstrip(".") == LOCAL or _is_address(host):
        return True
    labels = host.rstrip(".").split(".")
    is_name = len(labels) > 1 and all(map(LABEL.fullmatch, labels))
    last = labels[-1].lower()
    return is_name and bool(LAST_LABEL.fullmatch(last)) and last not in FILE_ENDINGS


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
