"""`tiptoe control serve`: one place to run crawls from, in the browser."""

import datetime
import logging
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tiptoe import __version__
from tiptoe.cli.arguments import CRAWL_MARK
from tiptoe.cli.listening import why_not_taken
from tiptoe.control.control_libraries import control_libraries
from tiptoe.errors import SettingsError
from tiptoe.observe.crawl_marker import expect_crawl
from tiptoe.url.loopback import is_loopback
from tiptoe.write.directory_claim import claimed_directory

if TYPE_CHECKING:
    from tiptoe.control.control_parts import ControlParts, ControlPlace
    from tiptoe.control.web_server import TlsFiles

__all__ = ["serve_control_command"]

LISTEN = "127.0.0.1:8900"
PORT_MAX = 65_535
LINK_SECONDS = 24 * 3600.0
LOCAL_USER = "local"
LOCK_FILE = "control.lock"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """The options of the command line."""

    directory: Path | None
    host: str
    port: int
    crawls: tuple[Path, ...]
    roots: tuple[Path, ...]
    names: tuple[str, ...]
    tls: bool
    certificate: Path | None
    key: Path | None


def serve_control_command(
    *,
    directory: Annotated[
        Path | None,
        Parameter(
            name="--dir",
            help="Directory of the server: accounts, new crawls. Unless given: `control`; with --crawl "
            "nothing is kept.",
        ),
    ] = None,
    listen: Annotated[
        str,
        Parameter(
            help="Where to listen, as host:port; port 0 takes any free one. Access from other "
            "machines needs TLS."
        ),
    ] = LISTEN,
    crawl: Annotated[
        list[Path] | None,
        Parameter(help="Look at this crawl; may be given several times."),
        CRAWL_MARK,
    ] = None,
    root: Annotated[
        list[Path] | None,
        Parameter(help="Crawls below this directory may be opened in the browser."),
    ] = None,
    name: Annotated[
        list[str] | None, Parameter(help="Further name by which browsers reach this server.")
    ] = None,
    tls: Annotated[bool, Parameter(help="Use TLS with a self-signed certificate.")] = False,
    certificate: Annotated[Path | None, Parameter(help="File with the certificate to use, in PEM.")] = None,
    key: Annotated[Path | None, Parameter(help="File with its key.")] = None,
) -> int:
    """Serve pages and API until it is stopped; print the link to open first."""
    with control_libraries():
        from tiptoe.control.web_app import build_app
        from tiptoe.control.web_server import serve

    host, port = _listener(listen)
    options = ServeOptions(
        directory=_directory(directory, crawl or []),
        host=host,
        port=port,
        crawls=tuple(crawl or ()),
        roots=tuple(root or ()),
        names=tuple(name or ()),
        tls=tls or certificate is not None or key is not None,
        certificate=certificate,
        key=key,
    )
    with _claimed(options.directory):
        files = _tls_files(options)
        with _port_taken(options, listen) as taken:
            parts = _parts(replace(options, port=taken.getsockname()[1]), files)
            logging.basicConfig(
                stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s"
            )

            def greet() -> None:
                for line in _greeting(parts, options, files):
                    print(line, flush=True)

            end = parts.robots.bell.dismiss_all
            serve(build_app(parts), taken, tls=files, on_start=greet, on_end=end)
    return 0


def _claimed(directory: Path | None) -> AbstractContextManager[None]:
    """Claim the directory of a server: each of two would miss what the other does."""
    if directory is None:
        return nullcontext()
    return claimed_directory(directory, LOCK_FILE, owner="a control server")


def _port_taken(options: ServeOptions, listen: str) -> socket.socket:
    from tiptoe.control.web_server import listen as take_port

    try:
        return take_port(options.host, options.port)
    except OSError as problem:
        why = why_not_taken(problem, options.host, options.port)
        raise SettingsError(f"--listen {listen}: {why}") from None


def _parts(options: ServeOptions, files: "TlsFiles | None") -> "ControlParts":
    from tiptoe.control.web_app import build_parts
    from tiptoe.control.web_problem import WebProblem

    parts = build_parts(_place(options, files))
    for path in options.crawls:
        expect_crawl(path)
        try:
            parts.crawls.open(path, time.time())
        except WebProblem as problem:
            raise SettingsError(problem.detail) from None
    return parts


def _place(options: ServeOptions, files: "TlsFiles | None") -> "ControlPlace":
    from tiptoe.control.control_parts import ControlPlace
    from tiptoe.control.server_certificate import key_pin

    for root in options.roots:
        if not root.is_dir():
            raise SettingsError(f"--root {root}: no such directory")
    return ControlPlace(
        url=_url(options),
        directory=options.directory,
        roots=options.roots,
        is_secure=options.tls,
        names=frozenset(name.lower() for name in _names(options)),
        version=__version__,
        # A certificate that was given is signed by a trusted authority, and may be renewed with another key.
        pin=key_pin(files.certificate) if files is not None and options.certificate is None else "",
    )


def _greeting(parts: "ControlParts", options: ServeOptions, files: "TlsFiles | None") -> list[str]:
    """Return what to print: where the server is, and the link to open first."""
    from tiptoe.control.one_time_links import OneTimeLinks
    from tiptoe.control.server_certificate import fingerprint
    from tiptoe.control.user_role import UserRole

    url = parts.place.url
    ends_at = time.time() + LINK_SECONDS
    lines = [f"control server ready at {url}"]
    if files is not None:
        lines.append(f"its certificate is {files.certificate}, SHA-256 {fingerprint(files.certificate)}")
    if options.directory is None:
        key = parts.links.make(OneTimeLinks.LOOK, UserRole.OPERATOR, ends_at, user=LOCAL_USER)
        lines.append(f"open this link, it works once: {url}/welcome?key={key}")
    elif not parts.accounts.list_all():
        key = parts.links.make(OneTimeLinks.FIRST, UserRole.ADMINISTRATOR, ends_at)
        lines.append(f"make the first account, this link works once: {url}/welcome?key={key}")
    return lines


def _directory(given: Path | None, crawls: Sequence[Path]) -> Path | None:
    if given is None:
        return None if crawls else Path("control")
    if given.exists() and not given.is_dir():
        raise SettingsError(f"--dir {given}: there is a file of this name")
    return given


def _listener(listen: str) -> tuple[str, int]:
    host, colon, port = listen.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > PORT_MAX:
        raise SettingsError(f"--listen {listen}: expected host:port, as {LISTEN}")
    return host.strip("[]") or "127.0.0.1", int(port)


def _tls_files(options: ServeOptions) -> "TlsFiles | None":
    from tiptoe.control.server_certificate import own_certificate
    from tiptoe.control.web_server import TlsFiles

    if not options.tls:
        if not is_loopback(options.host):
            raise SettingsError(
                f"--listen {options.host}: passwords would go over the network in the clear; say --tls, or "
                "give --certificate and --key, or listen on 127.0.0.1"
            )
        return None
    if options.certificate is not None and options.key is not None:
        for path in (options.certificate, options.key):
            if not path.is_file():
                raise SettingsError(f"{path}: no such file")
        return TlsFiles(options.certificate, options.key)
    if options.certificate is not None or options.key is not None:
        raise SettingsError("--certificate and --key: give both, or neither and say --tls")
    if options.directory is None:
        raise SettingsError(
            "--tls: a certificate is kept in the directory of the server; name one with --dir"
        )
    options.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    now = datetime.datetime.now(datetime.UTC)
    return TlsFiles(*own_certificate(options.directory, _names(options), now))


def _names(options: ServeOptions) -> list[str]:
    """Return the names and addresses under which browsers may call the server."""
    if is_loopback(options.host):
        found = ["localhost", "127.0.0.1", "::1"]
    elif options.host in ("0.0.0.0", "::"):  # noqa: S104  everywhere, if whoever starts it says so
        found = [socket.gethostname().lower(), socket.getfqdn().lower(), "localhost", "127.0.0.1"]
    else:
        found = [options.host]
    return list(dict.fromkeys([*options.names, *found]))


def _url(options: ServeOptions) -> str:
    host = options.names[0] if options.names else options.host
    if host in ("0.0.0.0", "::"):  # noqa: S104
        host = socket.gethostname()
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if options.tls else 'http'}://{shown}:{options.port}"
