"""How is an address shown without the password in it?

Those of proxies and databases may have one: before the host, or among the parameters. Whoever prints
settings, to a terminal, a log or a page, prints them so.
"""

import re
from typing import Final

__all__ = ["without_passwords"]

_BEFORE_HOST: Final = re.compile(r"://[^/\s\"'?]*@")
_PARAMETER: Final = re.compile(r"(?i)([?&](?:ssl)?password=)[^&\s\"']*")


def without_passwords(text: str) -> str:
    """Return a text in which dots stand for whoever logs in to an address, and by which password."""
    return _PARAMETER.sub(r"\1…", _BEFORE_HOST.sub("://…@", text))
