"""How does a request come before a server, beside its URL?

A way of its own (proxy, certificate, source address), header fields, a form to send. What is hidden goes to
the server and nowhere else: not into the request block that the archive keeps, nor into any `repr`.
"""

from dataclasses import dataclass, field
from typing import Final

__all__ = ["PLAIN_APPROACH", "PLAIN_WAY", "Approach", "Way"]


@dataclass(frozen=True, slots=True)
class Way:
    """How a server is reached; empty = as the client does without being told."""

    proxy: str = ""
    proxy_login: str = field(default="", repr=False)  # user:password
    certificate: str = ""  # file in PEM, shown to servers that ask who we are
    key: str = ""  # its private key, unless that stands in the same file
    source_address: str = ""  # of this machine, to send from


@dataclass(frozen=True, slots=True)
class Approach:
    """What one request has beside its URL."""

    way: Way = Way()
    fields: tuple[tuple[str, str], ...] = ()  # anybody may see them
    hidden: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    form: bytes | None = field(default=None, repr=False)  # to be posted; None = the URL is got
    hides_cookies: bool = False  # what the server sets opens doors: it is left out of the header block


PLAIN_WAY: Final = Way()
PLAIN_APPROACH: Final = Approach()
