"""How does a program call the API of a control server? Used by `tiptoe control` on the command line."""

import http.client
import json
import os
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from tiptoe.errors import CrawlerError, SettingsError

__all__ = ["DEFAULT_URL", "ApiClient"]

DEFAULT_URL: Final = "http://127.0.0.1:8900"
TOKEN_VARIABLE: Final = "TIPTOE_CONTROL_TOKEN"  # noqa: S105  the name of one
ANSWER_SECONDS: Final = 90.0
ANSWER_BYTES_MAX: Final = 64 << 20
LOCAL: Final = frozenset({"127.0.0.1", "::1", "localhost"})


class ApiClient:
    """A control server, and the token that gives access to it."""

    def __init__(self, url: str, token: str, certificate: Path | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError(f"{url}: expected the address of a control server, such as {DEFAULT_URL}")
        if parts.scheme == "http" and parts.hostname not in LOCAL:
            raise SettingsError(f"{url}: the token would go over the network in the clear; use https://")
        self._parts = parts
        self._token = token
        self._certificate = certificate

    @classmethod
    def found(cls, url: str, token_file: Path | None, certificate: Path | None) -> "ApiClient":
        """Return a client with the token from a file, or from the environment."""
        if token_file is not None:
            try:
                token = token_file.read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise SettingsError(f"{token_file}: cannot be read: {error}") from error
        else:
            token = os.environ.get(TOKEN_VARIABLE, "").strip()
        if not token or not token.isascii() or not token.isprintable():
            raise SettingsError(
                "no token: make one in the browser under your name, and give it by --token-file or "
                f"{TOKEN_VARIABLE}"
            )
        return cls(url, token, certificate)

    def call(
        self, method: str, *path: str, body: object = None, query: Sequence[tuple[str, str]] = ()
    ) -> Any:
        """Call an operation; return its reply as plain values, or raise an error that says what is wrong."""
        connection = self._connection()
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        where = self._parts.path.rstrip("/") + "/api/v1/" + "/".join(quote(part, safe="") for part in path)
        where += f"?{urlencode(query)}" if query else ""
        try:
            connection.request(method, where, content, headers)
            answer = connection.getresponse()
            said = answer.read(ANSWER_BYTES_MAX)
        except ssl.SSLError as error:
            raise SettingsError(
                f"{self._parts.netloc}: its certificate is not trusted ({error.reason}); give it by "
                "--certificate"
            ) from error
        except (OSError, http.client.HTTPException) as error:
            raise CrawlerError(
                f"{self._parts.netloc}: the control server does not answer: {error}"
            ) from error
        finally:
            connection.close()
        return _reply(answer.status, said)

    def _connection(self) -> http.client.HTTPConnection:
        host = self._parts.hostname or ""
        if self._parts.scheme == "http":
            return http.client.HTTPConnection(host, self._parts.port, timeout=ANSWER_SECONDS)
        context = ssl.create_default_context(cafile=str(self._certificate) if self._certificate else None)
        return http.client.HTTPSConnection(host, self._parts.port, timeout=ANSWER_SECONDS, context=context)


def _reply(status: int, said: bytes) -> Any:
    try:
        reply = json.loads(said)
    except ValueError:
        raise CrawlerError(f"the control server answers {status} with something that is not JSON") from None
    if status < 400:
        return reply
    detail = reply.get("detail") or reply.get("title") or f"status {status}"
    errors = [f"{name}: {fault}" for name, fault in reply.get("errors", {}).items() if name]
    raise SettingsError("\n".join([detail, *(error for error in errors if error != detail)]))
