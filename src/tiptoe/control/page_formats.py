"""How are numbers and moments shown on a page?"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final

from markupsafe import Markup, escape

from tiptoe.observe.amounts import amount_text, counted, human_bytes, human_count, human_share
from tiptoe.observe.meanings import in_plain_words

__all__ = ["FILTERS", "moment_html"]

ARCHIVE_DIGITS: Final = 14


def moment_html(at: float | str | None, missing: str = "never") -> Markup | str:
    """Return a moment as markup; a script on the page shows it in the reader's time zone."""
    if not at:
        return missing
    moment = _written_moment(at) if isinstance(at, str) else datetime.fromtimestamp(at, UTC)
    if moment is None:
        return str(at)
    return Markup('<time datetime="{}">{}</time>').format(
        moment.strftime("%Y-%m-%dT%H:%M:%SZ"), escape(moment.strftime("%Y-%m-%d %H:%M:%S UTC"))
    )


def _written_moment(text: str) -> datetime | None:
    """Parse a moment as written in files: ISO 8601, or the 14 digits of an archive."""
    try:
        if len(text) == ARCHIVE_DIGITS and text.isdecimal():
            return datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def rate(value: float) -> str:
    """Return a rate per second as text."""
    if value and value < 0.095:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 100 else human_count(round(value))


def span(seconds: float) -> str:
    """Return a span of time as text: 12 ms, 3.2 s, 4 min."""
    return amount_text(seconds, "seconds")


FILTERS: Final[Mapping[str, Callable[..., object]]] = {
    "count": human_count,
    "counted": counted,
    "bytes": human_bytes,
    "seconds": span,
    "share": human_share,
    "rate": rate,
    "moment": moment_html,
    "meaning": in_plain_words,
}
