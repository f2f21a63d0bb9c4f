"""Is this the requested page, or does something stand in for it?

Two things do. A *challenge*: a wall in front of the site that demands a browser,
a person or a solved puzzle, often served with status 200. And a page that
says "not found" with status 200.

Rule: real pages talk about robots and missing pages too, at length. So only pages
with little text are examined; for most, this costs one comparison.
"""

import enum
import re
from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ["StandIn", "has_challenge_field", "is_challenge", "stand_in"]

PARAGRAPHS_MAX: Final = 25
TEXT_CHARS_MAX: Final = 1_500
WALL_CHARS_MAX: Final = 500
"""Maximum length of the text of a wall; the markup of pages with more text is not searched."""

MARKUP_BYTES_MAX: Final = 16_384
TITLE_CHARS_MAX: Final = 60

CHALLENGE_FIELDS: Final = (
    ("cf-mitigated", ("challenge",)),
    ("x-vercel-mitigated", ("challenge",)),
    ("x-amzn-waf-action", ("challenge", "captcha")),
)
"""Header fields with which walls identify themselves, and their values."""

CHALLENGE_TITLES: Final = (
    "just a moment...",
    "attention required! | cloudflare",
    "please wait... | cloudflare",
    "ddos-guard",
    "pardon our interruption",
    "making sure you're not a bot",
    "vercel security checkpoint",
    "sucuri website firewall",
    "human verification",
    "are you a robot?",
    "checking your browser",
    "one moment, please...",
    "robot challenge screen",
    "radware bot manager captcha",
    "client challenge",
)

# Not `/cdn-cgi/challenge-platform/`: that script is also in real pages of sites with such a wall.
CHALLENGE_MARKS: Final = (
    b"_cf_chl_opt",
    b"cf-browser-verification",
    b"/.well-known/sgcaptcha",
    b"/.well-known/ddos-guard/",
    b"_Incapsula_Resource",
    b"captcha-delivery.com",
    b"px-captcha",
    b"sucuri_cloudproxy_js",
    b".awswaf.com",
    b"cmd/anubis",
    b"validate.perfdrive.com",
    b"/_sec/cp_challenge",
)
"""Strings in the scripts of well-known walls."""

NOT_FOUND_TITLE: Final = re.compile(
    r"(?:error |chyba |fehler |erreur )?404\b"
    r"|(?:.*\b(?:page|file|document|site|url) (?:(?:was |is )?not|cannot be|can't be|could not be) found\b)"
    r"|not found\s*(?:[-|:.!–—].*)?\Z"
    r"|.*\bstránka (?:nenalezena|nebyla nalezena|sa nenašla|nebola nájdená|neexistuje)\b"
    r"|.*\bseite (?:wurde )?nicht gefunden\b|.*\bpage (?:non trouvée|introuvable)\b"
    r"|.*\bpágina no encontrada\b|.*\bnie znaleziono strony\b"
)
TITLE: Final = re.compile(rb"<title[^>]{0,200}>([^<]{0,200})", re.IGNORECASE)


class StandIn(enum.Enum):
    """What may be served in place of the page."""

    CHALLENGE = "challenge"
    NOT_FOUND = "not_found"


def stand_in(title: str, paragraphs: Sequence[str], markup: bytes) -> StandIn | None:
    """Return as what a document with this title, text and markup stands in for a page; None if it is one."""
    if len(paragraphs) > PARAGRAPHS_MAX or (chars := sum(map(len, paragraphs))) > TEXT_CHARS_MAX:
        return None
    small = title.lower()
    if small.startswith(CHALLENGE_TITLES) or (chars <= WALL_CHARS_MAX and _is_marked(markup)):
        return StandIn.CHALLENGE
    if len(small) <= TITLE_CHARS_MAX and NOT_FOUND_TITLE.match(small):
        return StandIn.NOT_FOUND
    return None


def is_challenge(fields: Mapping[str, str], markup: bytes) -> bool:
    """Tell whether an answer with an error status is a challenge; `markup` may be cut."""
    if has_challenge_field(fields) or _is_marked(markup):
        return True
    title = TITLE.search(markup[:MARKUP_BYTES_MAX])
    return title is not None and title[1].decode("latin-1").strip().lower().startswith(CHALLENGE_TITLES)


def has_challenge_field(fields: Mapping[str, str]) -> bool:
    """Tell whether a wall identifies itself in the header."""
    for name, values in CHALLENGE_FIELDS:
        value = fields.get(name)
        if value and value.lower() in values:
            return True
    return False


def _is_marked(markup: bytes) -> bool:
    start = markup[:MARKUP_BYTES_MAX]
    return any(mark in start for mark in CHALLENGE_MARKS)
