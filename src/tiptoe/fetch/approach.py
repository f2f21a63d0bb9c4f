"""What does a request have besides its URL?

A way of its own (proxy, certificate, source address), header fields, a form to send. Hidden fields go only to
the server: neither into the request block that the archive keeps, nor into any `repr`.
"""

from dataclasses import dataclass, field
from typing import Final

__all__ = ["PLAIN_APPROACH", "PLAIN_WAY", "Approach", "Way"]


@dataclass(frozen=True, slots=True)
class Way:
    """How a server is reached; empty = the client's default."""

    proxy: str = ""
    proxy_login: str = field(default="", repr=False)  # user:password
    certificate: str = ""  # client certificate, a file in PEM format
    key: str = ""  # its private key, unless it is in the same file
    source_address: str = ""  # of this machine, to send from


@dataclass(frozen=True, slots=True)
class Approach:
    """What one request has besides its URL."""

    way: Way = Way()
    fields: tuple[tuple[str, str], ...] = ()  # public header fields
    hidden: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    form: bytes | None = field(default=None, repr=False)  # to be sent by POST; None = a GET request
    hides_cookies: bool = False  # cookies the server sets give access, so they are not archived


PLAIN_WAY: Final = Way()
PLAIN_APPROACH: Final = Approach()
