"""Does this URL look like one of an endless number made up by a program?

Judged by the URL alone, in constant memory. What shows only over many pages
(an endless calendar) is caught by counting pages of one `shape_of`.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tiptoe.url.dropped import Dropped

__all__ = ["TrapLimits", "shape_of", "trap_in", "traps_in"]

VARIABLE_PART = re.compile(
    r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"  # a UUID
    r"|(?=[A-Fa-f]*[0-9])[0-9A-Fa-f]{8,}(?![0-9A-Za-z])"  # a hash, or a long number
    r"|(?<![0-9A-Za-z])(?=[A-Za-z]*[0-9])[0-9A-Za-z]{16,}"  # a session id, in any alphabet
    r"|[0-9]+"
)
SLASHES_OF_ORIGIN = 2  # "https://"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrapLimits:
    """Maximum values of normal URLs; above them a URL is a trap."""

    url_chars_max: int = 1000
    segments_max: int = 20
    segment_repeats_max: int = 2  # of one name; numbers may repeat, as dates do
    parameters_max: int = 16
    parameter_repeats_max: int = 6  # of one name; facets repeat theirs


def trap_in(url: str, limits: TrapLimits) -> Dropped | None:
    """Return the kind of trap that a canonical URL seems to lead into, if any."""
    slashes = url.count("/") - SLASHES_OF_ORIGIN
    ampersands = url.count("&")
    if slashes <= limits.segment_repeats_max and ampersands < limits.parameter_repeats_max:
        return Dropped.TRAP_LONG_URL if len(url) > limits.url_chars_max else None
    if len(url) > limits.url_chars_max:
        return Dropped.TRAP_LONG_URL
    address, _, query = url.partition("?")
    return _trap_in_path(address, limits) or _trap_in_query(query, limits)


def traps_in(urls: Sequence[str], limits: TrapLimits) -> dict[str, Dropped]:
    """Return the kinds of traps that some of these canonical URLs seem to lead into, by URL."""
    slashes_max = limits.segment_repeats_max + SLASHES_OF_ORIGIN
    ampersands_max, chars_max = limits.parameter_repeats_max - 1, limits.url_chars_max
    # Traps are rare: most URLs are cleared here, by counting alone, without a call.
    doubtful = [
        url
        for url in urls
        if url.count("/") > slashes_max or url.count("&") > ampersands_max or len(url) > chars_max
    ]
    return {url: trap for url in doubtful if (trap := trap_in(url, limits))}


def _trap_in_path(address: str, limits: TrapLimits) -> Dropped | None:
    segments = address.split("/")[3:]
    if len(segments) > limits.segments_max:
        return Dropped.TRAP_DEEP_PATH
    if len(segments) - len(set(segments)) < limits.segment_repeats_max:
        return None
    repeats = Counter(segment for segment in segments if segment and not segment.isdigit())
    is_trap = max(repeats.values(), default=0) > limits.segment_repeats_max
    return Dropped.TRAP_REPEATING_PATH if is_trap else None


def _trap_in_query(query: str, limits: TrapLimits) -> Dropped | None:
    if query.count("&") < min(limits.parameters_max, limits.parameter_repeats_max):
        return None
    names = [parameter.partition("=")[0] for parameter in query.split("&")]
    if len(names) > limits.parameters_max:
        return Dropped.TRAP_MANY_PARAMETERS
    if max(Counter(names).values()) > limits.parameter_repeats_max:
        return Dropped.TRAP_REPEATED_PARAMETER
    return None


def shape_of(url: str) -> str:
    """Return a canonical URL with numbers as 0 and hashes as h; the origin stays as it is."""
    slash = url.find("/", url.find("://") + 3)
    if slash < 0:
        return url
    return url[:slash] + VARIABLE_PART.sub(_shape_of_part, url[slash:])


def _shape_of_part(part: re.Match[str]) -> str:
    return "0" if part[0].isdigit() else "h"
