"""How is a file or a directory of an FTP server requested?

As user anonymous, in passive mode, at the address of the control connection. The result
looks like one over HTTP: status 200 with generated fields, 404 and 403 for what the
server refuses, 503 if it is too busy. A directory (the URL ends in a slash)
becomes a page of links.

Unlike with HTTP, no connection is kept: to close one, libcurl would wait up to a second
for the server's goodbye, and block the event loop. `FtpSockets` closes the connection
before libcurl can wait.
"""

import socket
from contextlib import suppress

import pycurl

from tiptoe.fetch.conclusion import Call, failure_in, peer_address, truncation
from tiptoe.fetch.exchange import Exchange
from tiptoe.fetch.http_blocks import HeaderBlock, made_header_block
from tiptoe.fetch.listing import directory_page, read_list
from tiptoe.fetch.media import guess_media_type
from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.fetch.transfers import Ending

__all__ = ["FtpSockets", "conclude_ftp", "prepare_ftp"]

REFUSALS = {
    9: 404,  # the directory cannot be entered
    19: 404,  # the file cannot be retrieved
    78: 404,  # no such file
    67: 403,  # anonymous login is refused
}
SERVICE_NOT_AVAILABLE = 421


class FtpSockets:
    """The sockets of one FTP transfer; libcurl works on duplicates of them."""

    def __init__(self) -> None:
        self._open: list[socket.socket] = []

    def open(self, _purpose: int, address: tuple[int, int, int, object]) -> socket.socket:
        """Create a socket when libcurl wants to connect."""
        family, kind, protocol, _ = address
        made = socket.socket(family, kind, protocol)
        self._open.append(made)
        return made

    def hang_up(self) -> None:
        """Shut the connections down, although libcurl holds duplicates of the sockets."""
        for held in self._open:
            with suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)
            held.close()


def prepare_ftp(exchange: Exchange, call: Call, sender: str | None) -> FtpSockets:
    """Set the options that FTP needs; such an exchange is used only once."""
    sockets = FtpSockets()
    curl = exchange.curl
    curl.setopt(pycurl.URL, call.url)
    exchange.pin(call.address)
    exchange.make_room(call.target.path, call.body_max)
    curl.setopt(pycurl.USERNAME, "anonymous")
    curl.setopt(pycurl.PASSWORD, sender or "anonymous@")
    curl.setopt(pycurl.FTP_FILEMETHOD, pycurl.FTPMETHOD_SINGLECWD)
    curl.setopt(pycurl.OPT_FILETIME, 1)
    curl.setopt(pycurl.OPENSOCKETFUNCTION, sockets.open)
    # Replies on the control connection are not headers, and their size is unlimited.
    curl.unsetopt(pycurl.HEADERFUNCTION)
    return sockets


def conclude_ftp(call: Call, exchange: Exchange, ending: Ending, *, body_bytes_max: int) -> Answer | Failed:
    """Return the result of an exchange over FTP."""
    address = call.address or peer_address(exchange)
    truncated = truncation(exchange, ending)
    if status := _refusal(exchange, ending):
        body = f"{ending.words}\n".encode("utf-8", "replace")
        header = made_header_block(status, content_type="text/plain; charset=utf-8", length=len(body))
        return call.answer(header, body, protocol="ftp", address=address)
    if ending.code and not truncated:
        failure = failure_in(exchange, ending)
        return call.failed(failure, ending.words, address=address, bytes_received=exchange.bytes_received)
    body = exchange.body()
    if call.target.path.endswith("/"):
        body, has_all = directory_page(call.target.path, read_list(body), bytes_max=body_bytes_max)
        truncated = truncated or (None if has_all else "length")
        header = made_header_block(200, content_type="text/html; charset=utf-8", length=len(body))
    else:
        header = _file_header(call, exchange, len(body))
    return call.answer(header, body, protocol="ftp", truncated=truncated, address=address)


def _file_header(call: Call, exchange: Exchange, length: int) -> HeaderBlock:
    modified_at = exchange.curl.getinfo(pycurl.INFO_FILETIME)
    return made_header_block(
        200,
        content_type=guess_media_type(call.target.path),
        length=length,
        modified_at=modified_at if modified_at >= 0 else None,
    )


def _refusal(exchange: Exchange, ending: Ending) -> int | None:
    """Return the HTTP status for a refusal by the server; None if it did not refuse."""
    if ending.code and exchange.curl.getinfo(pycurl.RESPONSE_CODE) == SERVICE_NOT_AVAILABLE:
        return 503
    return REFUSALS.get(ending.code)
