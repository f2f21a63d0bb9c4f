"""How does a robot call its control server?

One request at a time over one connection, with the secret of the robot. The certificate of the
server has to be one that the machine trusts or, with a pin, the one whose key was given in advance. Nothing
is sent to any other server, and no redirect is followed.
"""

import io
import re
import threading
from typing import Final, TypeVar
from urllib.parse import urlsplit

import msgspec
import pycurl

from tiptoe.control.web_problem import ProblemDetails
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.url.loopback import is_loopback

__all__ = ["ControlAddress", "ControlLine", "LineCut", "LineRefused"]

CONNECT_SECONDS: Final = 15
ANSWER_SECONDS: Final = 60.0
ANSWER_BYTES_MAX: Final = 32 << 20
PIN: Final = re.compile(r"sha256//[A-Za-z0-9+/]{43}=")

Reply = TypeVar("Reply")


class LineCut(CrawlerError):
    """The server cannot be reached at the moment; `retry_after` is the wait it requested, in seconds."""

    def __init__(self, said: str, *, retry_after: float = 0.0) -> None:
        super().__init__(said)
        self.retry_after = retry_after


class LineRefused(CrawlerError):
    """The server has understood the call and refused it."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


class ControlAddress(msgspec.Struct, frozen=True):
    """Where the server is, and how it is authenticated."""

    url: str
    pin: str = ""

    @classmethod
    def parse(cls, url: str, pin: str = "") -> "ControlAddress":
        """Return the address as typed; raise SettingsError when it is invalid or would be unsafe."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise SettingsError(
                f"--control {url}: expected the address of a control server, as https://host:8900"
            )
        if parts.scheme == "http" and not is_loopback(parts.hostname):
            raise SettingsError(
                f"--control {url}: the secret would go over the network in the clear; use https://, see "
                "--tls of `tiptoe control serve`"
            )
        if pin and not PIN.fullmatch(pin):
            raise SettingsError(f"--pin {pin}: expected sha256//… as the page of the robot shows it")
        if pin and parts.scheme == "http":
            raise SettingsError(f"--pin: {url} speaks no TLS, so there is no certificate to compare")
        return cls(url.rstrip("/"), pin)

    @property
    def is_local(self) -> bool:
        return is_loopback(urlsplit(self.url).hostname or "")


class ControlLine:
    """One connection to the server; for one thread at a time."""

    def __init__(
        self, address: ControlAddress, secret: str, closing: threading.Event, *, version: str
    ) -> None:
        self._address = address
        self._closing = closing
        self._curl = pycurl.Curl()
        self._headers = [
            f"Authorization: Bearer {secret}", "Content-Type: application/json", "Expect:",
            f"User-Agent: tiptoe/{version}",
        ]  # fmt: skip
        self._prepare()

    def call(self, path: str, message: msgspec.Struct, reply: type[Reply], *, seconds: float = 0.0) -> Reply:
        """Make a call and return its answer; wait for it `seconds` longer than usual."""
        body, head = io.BytesIO(), io.BytesIO()
        curl = self._curl
        curl.setopt(pycurl.URL, self._address.url + path)
        curl.setopt(pycurl.POSTFIELDS, msgspec.json.encode(message))
        curl.setopt(pycurl.TIMEOUT_MS, int((ANSWER_SECONDS + seconds) * 1000))
        curl.setopt(pycurl.WRITEFUNCTION, lambda part: _write(body, part))
        curl.setopt(pycurl.HEADERFUNCTION, head.write)
        try:
            curl.perform()
        except pycurl.error as error:
            raise LineCut(f"{self._address.url}: {error.args[1] or 'the call was given up'}") from None
        status = int(curl.getinfo(pycurl.RESPONSE_CODE))
        if status != 200:
            raise _fault(status, body.getvalue(), head.getvalue(), self._address.url)
        try:
            return msgspec.json.decode(body.getvalue(), type=reply)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise LineCut(f"{self._address.url}: the answer is none of a control server: {error}") from None

    def close(self) -> None:
        self._curl.close()

    def _prepare(self) -> None:
        curl = self._curl
        curl.setopt(pycurl.HTTPHEADER, self._headers)
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.CONNECTTIMEOUT, CONNECT_SECONDS)
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.FOLLOWLOCATION, 0)
        curl.setopt(pycurl.TCP_KEEPALIVE, 1)
        curl.setopt(pycurl.NOPROGRESS, 0)
        curl.setopt(pycurl.XFERINFOFUNCTION, lambda *amounts: self._closing.is_set())
        if self._address.is_local:
            curl.setopt(pycurl.PROXY, "")
        if self._address.pin:
            # With a pin, the key itself is trusted, whoever signed the certificate.
            curl.setopt(pycurl.PINNEDPUBLICKEY, self._address.pin)
            curl.setopt(pycurl.SSL_VERIFYPEER, 0)
            curl.setopt(pycurl.SSL_VERIFYHOST, 0)


def _write(body: io.BytesIO, part: bytes) -> int:
    """Keep a part of an answer; abort the transfer if the answer gets too long."""
    return body.write(part) if body.tell() + len(part) <= ANSWER_BYTES_MAX else 0


def _fault(status: int, body: bytes, head: bytes, url: str) -> CrawlerError:
    try:
        text = msgspec.json.decode(body, type=ProblemDetails).detail
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = body[:200].decode("utf-8", "replace").strip()
    text = f"{url}: {text or f'status {status}'}"
    if status >= 500 or status in (408, 429):
        found = re.search(rb"(?im)^retry-after:\s*(\d{1,5})\s*$", head)
        return LineCut(text, retry_after=float(found[1]) if found else 0.0)
    return LineRefused(status, text)
