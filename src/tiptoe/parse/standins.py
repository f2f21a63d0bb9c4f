"""Is this the page that was asked for, or does something stand in for it?

Two things do. A *challenge*: a wall before the site that wants to see a browser,
a person or a puzzle solved, often served as if all were well. And a page that
says "not found" with status 200.

Rule: real pages talk about robots and missing pages too, at length. Only what
has little text of its own is looked at, and most pages cost a comparison.
"""

import enum
import re
from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ["StandIn", "has_challenge_field", "is_challenge", "stand_in"]

PARAGRAPHS_MAX: Final = 25
TEXT_CHARS_MAX: Final = 1_500
WALL_CHARS_MAX: Final = 500
"""Maximum length of the text of a wall; only up to it is it worth while to search the markup."""

MARKUP_BYTES_MAX: Final = 16_384
TITLE_CHARS_MAX: Final = 60

CHALLENGE_FIELDS: Final = (
    ("cf-mitigated", ("challenge",)),
    ("x-vercel-mitigated", ("challenge",)),
    ("x-amzn-waf-action", ("challenge", "captcha")),
)
"""Header fields by which a wall says what it is."""

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

# Not `/cdn-cgi/challenge-platform/`: that script also stands in pages that were let through.
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
"""What the scripts of well-known walls contain."""

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
    """What may stand where a page was expected."""

    CHALLENGE = "challenge"
    NOT_FOUND = "not_found"


def stand_in(title: str, paragraphs: Sequence[str], markup: bytes) -> StandIn | None:
    """Say what a document with this title, text and markup stands in for, if it is not what it seems."""
    if len(paragraphs) > PARAGRAPHS_MAX or (chars := sum(map(len, paragraphs))) > TEXT_CHARS_MAX:
        return None
    small = title.lower()
    if small.startswith(CHALLENGE_TITLES) or (chars <= WALL_CHARS_MAX and _is_marked(markup)):
        return StandIn.CHALLENGE
    if len(small) <= TITLE_CHARS_MAX and NOT_FOUND_TITLE.match(small):
        return StandIn.NOT_FOUND
    return None


def is_challenge(fields: Mapping[str, str], markup: bytes) -> bool:
    """Say whether an answer that refuses us does so by a challenge; `markup` may be cut."""
    if has_challenge_field(fields) or _is_marked(markup):
        return True
    title = TITLE.search(markup[:MARKUP_BYTES_MAX])
    return title is not None and title[1].decode("latin-1").strip().lower().startswith(CHALLENGE_TITLES)


def has_challenge_field(fields: Mapping[str, str]) -> bool:
    """Say whether a wall names itself in the header."""
    for name, values in CHALLENGE_FIELDS:
        said = fields.get(name)
        if said and said.lower() in values:
            return True
    return False


def _is_marked(markup: bytes) -> bool:
    start = markup[:MARKUP_BYTES_MAX]
    return any(mark in start for mark in CHALLENGE_MARKS)
