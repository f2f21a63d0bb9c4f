"""Which parameters of a URL do not affect the page?

Data only: `canonical.py` applies it. Names are matched without regard to case;
`*` in a name matches any run of characters.
"""

from dataclasses import dataclass

__all__ = ["SCHEMES", "CanonicalRules"]

SCHEMES = ("http", "https", "ftp", "file")
"""All schemes that can be requested, if the operator allows them."""

TRACKING_PARAMETERS = (
    *("utm_*", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "srsltid", "_ga", "_gl"),
    *("fbclid", "igshid", "igsh", "msclkid", "twclid", "ttclid", "li_fat_id", "epik", "yclid", "ysclid"),
    *("mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "__hstc", "__hssc", "__hsfp", "hsctatracking"),
    *("pk_campaign", "pk_kwd", "pk_source", "pk_medium", "piwik_*", "mtm_*", "matomo_*", "s_cid"),
    *("vero_id", "vero_conv", "oly_anon_id", "oly_enc_id", "rb_clickid", "wickedid", "_openstat"),
    *("ml_subscriber", "ml_subscriber_hash", "_branch_match_id", "at_campaign", "at_medium"),
    *("dop_source", "dop_ab_variant"),
)
"""Parameters that advertisers and mailing programs add to links."""

UNMISTAKABLE_SESSIONS = (
    *(
        "jsessionid",
        "phpsessid",
        "aspsessionid*",
        "asp.net_sessionid",
        "oscsid",
        "osadcid",
        "zenid",
        "xtcsid",
    ),
    *("cftoken", "phpsession", "viewstate", "__viewstate"),
)
"""Names that only session ids have; the value counts as one unless it is a short number or a word."""

SESSION_PARAMETERS = (
    *UNMISTAKABLE_SESSIONS,
    *("sid", "s", "sess", "session", "ssid", "s_id", "sessionid", "session_id", "sess_id", "sessid"),
)
"""Names that a session id may have; it counts as one if its value is clearly random, and the page confirms
it."""

NUMBERED_PARAMETERS = (("cfid", "cftoken"),)
"""Names of session numbers, if the second name is in the same query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalRules:
    """What the canonical form leaves out, and which URLs have one at all."""

    tracking_parameters: tuple[str, ...] = TRACKING_PARAMETERS
    session_parameters: tuple[str, ...] = SESSION_PARAMETERS
    schemes: frozenset[str] = frozenset({"http", "https", "ftp"})
    url_bytes_max: int = 2000
