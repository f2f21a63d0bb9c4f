"""Which parameters of an address say nothing about the page?

Data only: `canonical.py` applies it. Names are matched without regard to case;
`*` in a name stands for any run of characters.
"""

from dataclasses import dataclass

__all__ = ["SCHEMES", "CanonicalRules"]

SCHEMES = ("http", "https", "ftp", "file")
"""All that can be asked for, if the operator wants it."""

TRACKING_PARAMETERS = (
    *("utm_*", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "srsltid", "_ga", "_gl"),
    *("fbclid", "igshid", "igsh", "msclkid", "twclid", "ttclid", "li_fat_id", "epik", "yclid", "ysclid"),
    *("mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "__hstc", "__hssc", "__hsfp", "hsctatracking"),
    *("pk_campaign", "pk_kwd", "pk_source", "pk_medium", "piwik_campaign", "piwik_kwd", "mtm_*", "matomo_*"),
    *("vero_id", "vero_conv", "oly_anon_id", "oly_enc_id", "rb_clickid", "wickedid", "_openstat"),
    *("ml_subscriber", "ml_subscriber_hash", "_branch_match_id", "at_campaign", "at_medium"),
)
"""Marks that advertisers and mailing programs hang on links."""

SESSION_PARAMETERS = (
    *("jsessionid", "phpsessid", "aspsessionid*", "asp.net_sessionid", "oscsid", "zenid", "xtcsid"),
    *("cfid", "cftoken", "sessionid", "session_id", "sess_id", "sessid", "phpsession"),
)
"""Names that carry a session id, whatever the value; also as `;name=value` in a path."""

TOKEN_PARAMETERS = ("sid", "s", "sess", "session", "ssid")
"""Names that carry a session id only when the value looks like one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalRules:
    """What the canonical form leaves out, and which addresses have one at all."""

    tracking_parameters: tuple[str, ...] = TRACKING_PARAMETERS
    session_parameters: tuple[str, ...] = SESSION_PARAMETERS
    token_parameters: tuple[str, ...] = TOKEN_PARAMETERS
    schemes: frozenset[str] = frozenset({"http", "https", "ftp"})
    url_bytes_max: int = 2000
