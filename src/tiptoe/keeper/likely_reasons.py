"""Why has a crawl probably brought nothing, and what would change that?

The reason with the highest count is named. If two have the same count, the one that comes first in the table
is, since it prevents more.
"""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tiptoe.decide.discard import Discard
from tiptoe.frontier.counters import Totals
from tiptoe.frontier.patience import Trouble
from tiptoe.keeper.phrases import REMEDIES
from tiptoe.url.dropped import Dropped

__all__ = ["EMPTY_HANDED", "TEXTLESS", "is_textless", "likely_reason", "read_anew"]

EMPTY_HANDED: Final[Mapping[str, str]] = {
    Dropped.OUT_OF_SCOPE: "the bounds of the crawl leave out the seeds",
    Dropped.DOWNLIST: "all seeds are on the list of what is downloaded",
    Dropped.LINK_FILTERED: "the filters leave out the seeds",
    Trouble.PRIVATE_ADDRESS.value: "the seeds lie in a private network",
    Trouble.NO_SUCH_HOST.value: "the names of the seeds do not exist",
    Trouble.DNS_FAILED.value: "the names of the seeds could not be looked up",
    Dropped.FORGOTTEN: "everything was removed with `tiptoe forget`",
    Discard.DISALLOWED: "robots.txt keeps this robot out",
    Discard.FILTERED: "the filters leave out the seeds",
    Dropped.CRAWL_DELAY: "the sites allow only very rare requests (Crawl-delay)",
    Trouble.REFUSED.value: "the servers refuse the connection",
    Trouble.UNREACHABLE.value: "there is no route to the servers",
    Trouble.TIMED_OUT.value: "the servers do not answer in time",
    Trouble.TLS_FAILED.value: "no secure connection can be made",
    Trouble.LOGIN_FAILED.value: "the login did not work",
    Trouble.CHALLENGE.value: "the sites let in only browsers or people (CAPTCHA)",
    Trouble.OVERLOADED.value: "the servers ask to be left alone",
    Trouble.SERVER_ERROR.value: "the servers have a fault",
    Trouble.ROBOTS_UNREACHABLE.value: "robots.txt could not be fetched",  # after its possible causes
    "http_401": "the sites want a login",
    "http_403": "the sites do not want this robot",
    "http_404": "there are no pages at the addresses of the seeds",
}
"""Possible reasons why not a single page was received."""

TEXTLESS: Final[Mapping[str, str]] = {
    Discard.OTHER_LANGUAGE: "the texts are in other languages than those wanted",
    Discard.NO_TEXT: "the pages have no text",
    Discard.NO_MAIN_TEXT: "the pages have no main text",
    Discard.TOO_SHORT: "the texts are too short",
    Discard.NOINDEX: "the pages ask not to be stored",
    Discard.TDM_RESERVED: "the texts are reserved against text and data mining",
    Discard.DUPLICATE: "all of it is already in the corpus",
    Discard.REPEATED_TEXT: "the sites say the same under every address",
    Discard.FILTERED: "the filters leave out the texts",
    Discard.NOT_HTML: "nothing that came was a web page",
    Discard.SOFT_404: "the pages say that they do not exist",
}
"""Possible reasons why no text entered the corpus although pages were received."""


READ_ANEW: Final[Mapping[str, str]] = {
    Discard.OTHER_LANGUAGE: "--languages default",
    Discard.NO_MAIN_TEXT: "--extraction default",
    Discard.TOO_SHORT: "--min-chars default",
}
"""Options with which `tiptoe read` would find texts in the pages that were received."""


def is_textless(totals: Totals) -> bool:
    """Whether pages were received but no text: none is in the corpus, no document waits for conversion."""
    return bool(totals.pages) and not (totals.documents or totals.outcomes.get(Discard.STORED_ASIDE))


def likely_reason(reasons: Mapping[str, str], *counts: Mapping[str, int]) -> str:
    """Return the likeliest of some reasons, with what would change it; empty if none was counted."""
    found = _most_counted(reasons, counts)
    if not found:
        return ""
    remedy = REMEDIES.get(found, "")
    return f"The likely reason: {reasons[found]}{f' ({remedy})' if remedy else ''}."


def read_anew(directory: Path, counts: Mapping[str, int]) -> str:
    """Return how the pages can become a corpus without new requests; empty if they cannot."""
    options = READ_ANEW.get(_most_counted(TEXTLESS, [counts]))
    if not options:
        return ""
    source, out = shlex.quote(str(directory)), shlex.quote(f"{directory}-anew")
    command = f"`tiptoe read {source} --out {out} {options}`"
    return f"{command} makes a corpus from what was received, without new requests."


def _most_counted(reasons: Mapping[str, str], counts: Iterable[Mapping[str, int]]) -> str:
    sums = {name: sum(some.get(name, 0) for some in counts) for name in reasons}
    best = max(sums, key=sums.__getitem__)  # of equals the first in the table
    return best if sums[best] else ""
