"""How does a crawler reach the simulated web? Through a forward proxy on loopback."""

from tiptoe.testing.answer import SimulatedAnswer
from tiptoe.testing.http_face import ArrivedRequest, HttpConnection
from tiptoe.testing.web_hosts import Life

__all__ = ["ProxyConnection"]

SCHEME = b"http://"


class ProxyConnection(HttpConnection):
    """A client of the proxy: its requests have absolute URLs (`GET http://host/path`)."""

    def locate(self, target: bytes, head: bytes) -> tuple[str, str, str]:
        if not target.startswith(SCHEME):
            return "", target.decode("latin-1"), ""
        authority, slash, path = target[len(SCHEME) :].partition(b"/")
        host = authority.partition(b":")[0].decode("latin-1").lower()
        return host, (slash + path).decode("latin-1") or "/", self._context.web.address_of(host) or ""

    def respond(self, request: ArrivedRequest) -> SimulatedAnswer:
        """Answer for the host, or report, as proxies do, that it could not be reached (RFC 9209)."""
        host = self._context.web.hosts.named(request.host)
        if host is None or host.life is Life.NO_SUCH_HOST:
            return _unreachable("dns_error")
        if host.life is Life.REFUSED:
            return _unreachable("connection_refused")
        return super().respond(request)


def _unreachable(error: str) -> SimulatedAnswer:
    return SimulatedAnswer(502, [("Proxy-Status", f"simulated; error={error}")], b"unreachable\n")
