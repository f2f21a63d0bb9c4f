"""What is an option of wget or HTTrack called here?

Their users type the options they know by heart. `docs/coming-from.md` has the same for people who read first.
"""

from collections.abc import Mapping
from typing import Final

__all__ = ["FOREIGN_OPTIONS", "foreign_option_message"]

MIRROR: Final = "--profile site --requisites page --export site"
LOGIN: Final = "a rule in a file, named by --access"
CONTINUED: Final = "not needed: the same --out continues; --revisit looks again at what may have changed"
OBEYED: Final = "not possible: robots.txt is always obeyed"
FOLLOWED: Final = "not needed: links are followed; --same-host keeps to the hosts of the seeds"
ARCHIVED: Final = "not needed: WARC files and their index are always written, unless --no-warc is given"
RETRIED: Final = "not needed: what fails is tried again later"

FOREIGN_OPTIONS: Final[Mapping[str, str]] = {
    "-r": FOLLOWED, "--recursive": FOLLOWED,
    "-m": MIRROR, "--mirror": MIRROR,
    "-p": "--requisites page", "--page-requisites": "--requisites page", "--near": "--requisites page",
    "-k": "--export site", "--convert-links": "--export site",
    "-E": "--export site", "--adjust-extension": "--export site",
    "-l": "--depth", "--level": "--depth", "--ext-depth": "--depth",
    "--no-parent": "--same-path", "-np": "--same-path", "--stay-on-same-dir": "--same-path",
    "--stay-on-same-domain": "--same-site",
    "-i": "--list", "--input-file": "--list",
    "-w": "--req-delay", "--wait": "--req-delay", "--random-wait": "--req-delay",
    "--connection-per-second": "--req-delay", "--sockets": "--req-delay",
    "-D": "--domain", "--domains": "--domain", "--exclude-domains": "--exclude",
    "--accept-regex": "--include-url", "--reject-regex": "--exclude-url",
    "-I": "--prefix", "--include-directories": "--prefix",
    "-X": "--exclude-url", "--exclude-directories": "--exclude-url", "-R": "--exclude-url",
    "-A": "--documents, or --include-url for pages", "--accept": "--documents, or --include-url for pages",
    "--user": LOGIN, "--password": LOGIN, "--load-cookies": LOGIN, "--post-data": LOGIN, "--header": LOGIN,
    "--certificate": LOGIN, "--bind-address": LOGIN,
    "-Q": "--max-bytes", "--quota": "--max-bytes", "--max-size": "--max-bytes", "--max-time": "--max-seconds",
    "-P": "--out", "--directory-prefix": "--out", "-O": "--out", "--path": "--out", "-o": "--out",
    "--continue": CONTINUED, "-N": CONTINUED, "--timestamping": CONTINUED,
    "--update": CONTINUED,
    "-b": "--background",
    "-U": "--name, with --contact", "--user-agent": "--name, with --contact",
    "-T": "--set fetch.total_timeout", "--timeout": "--set fetch.total_timeout",
    "-t": RETRIED, "--tries": RETRIED,
    "--warc-file": ARCHIVED, "--warc-cdx": ARCHIVED,
    "-e": f"--proxy for a proxy; robots=off is {OBEYED}", "--robots": OBEYED,
    "--max-rate": "--req-delay", "--language": "--accept-language",
}  # fmt: skip
"""What to use instead, by the option of the other tool."""


def foreign_option_message(option: str) -> str:
    """Return the equivalent of another tool's option; empty when it is not one."""
    ours = FOREIGN_OPTIONS.get(option.partition("=")[0])
    return f"here it is {ours}" if ours else ""
