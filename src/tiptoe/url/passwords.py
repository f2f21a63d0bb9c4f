"""How is a URL shown without the password in it?

URLs of proxies and databases may contain one: before the host, or among the parameters. All code that shows
settings, on a terminal, in a log or on a page, removes it in this way.
"""

import re
from typing import Final

__all__ = ["without_passwords"]

_BEFORE_HOST: Final = re.compile(r"://[^/\s\"'?]*@")
_PARAMETER: Final = re.compile(r"(?i)([?&](?:ssl)?password=)[^&\s\"']*")


def without_passwords(text: str) -> str:
    """Return a text in which user names and passwords of URLs are replaced by an ellipsis."""
    return _PARAMETER.sub(r"\1…", _BEFORE_HOST.sub("://…@", text))
