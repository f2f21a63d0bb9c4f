"""Which query parameters say nothing about the page?

Lower-case names; a final * stands for any ending. Both lists are defaults that
the operator may replace (`scope.tracking_parameters`, `scope.session_parameters`).
"""

from typing import Final

__all__ = ["SESSION_PARAMETERS", "TRACKING_PARAMETERS"]

TRACKING_PARAMETERS: Final = (
    "utm_*", "mtm_*", "pk_campaign", "pk_kwd", "piwik_*", "matomo_*",
    "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "_ga", "_gl",
    "fbclid", "igshid", "msclkid", "twclid", "ttclid", "li_fat_id", "yclid", "ysclid",
    "mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "hsctatracking", "vero_id", "oly_anon_id", "oly_enc_id",
    "wickedid", "s_cid", "_openstat", "rb_clickid", "epik", "srsltid", "dop_source", "dop_ab_variant",
)  # fmt: skip
"""Added by advertisers and mailing services to tell where a reader came from."""

SESSION_PARAMETERS: Final = (
    "phpsessid", "jsessionid", "aspsessionid*", "asp.net_sessionid", "cfid", "cftoken",
    "sessionid", "session_id", "sessid", "sid", "zenid", "oscsid", "osadcid", "xtcsid", "s_id",
    "viewstate", "__viewstate",
)  # fmt: skip
"""Added by servers to tell one visitor from another; each visit would see a new address."""
