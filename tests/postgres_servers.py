"""A real PostgreSQL server for tests, with all it has in a directory of its own."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["postgres_server", "why_no_postgres"]

START_SECONDS = 30.0
QUICK = ("fsync=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=20")


def why_no_postgres() -> str:
    """Return what is missing to run a server here; nothing if it can be run."""
    if _programs() is None:
        return "no PostgreSQL server is installed (Debian: postgresql)"
    if os.geteuid() == 0 and _account() is None:
        return "PostgreSQL does not run as root, and there is no user postgres"
    return ""


def _programs() -> Path | None:
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if versions:
        return versions[-1].parent
    found = shutil.which("initdb")
    return Path(found).parent if found else None


def _account() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return None


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """Run a server on a socket of its own; yield the address of its database."""
    programs, account = _programs(), _account()
    assert programs is not None
    directory = Path(tempfile.mkdtemp(prefix="tiptoe-pg-", dir="/tmp"))  # sockets have short names
    user: dict[str, int] = {}
    if os.geteuid() == 0:
        assert account is not None
        shutil.chown(directory, account.pw_uid, account.pw_gid)
        user = {"user": account.pw_uid, "group": account.pw_gid}
    data = directory / "data"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": directory, **user}
    server = None
    try:
        making = [
            programs / "initdb",
            "-D",
            data,
            "-U",
            "tester",
            "-A",
            "trust",
            "-N",
            "-E",
            "UTF8",
            "--locale=C",
        ]
        subprocess.run(making, check=True, timeout=START_SECONDS, **quiet)  # type: ignore[call-overload]
        settings = [word for setting in QUICK for word in ("-c", setting)]
        running = [programs / "postgres", "-D", data, "-k", directory, "-c", "listen_addresses=", *settings]
        server = subprocess.Popen(running, **quiet)  # type: ignore[call-overload]
        _wait_until_ready(programs, directory)
        yield f"postgresql://tester@/postgres?host={directory}"
    finally:
        if server is not None:
            server.terminate()
            server.wait(START_SECONDS)
        shutil.rmtree(directory, ignore_errors=True)


def _wait_until_ready(programs: Path, directory: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    asking = [str(programs / "pg_isready"), "-q", "-h", str(directory), "-U", "tester"]
    while subprocess.run(asking, check=False).returncode != 0:
        assert time.monotonic() < deadline, "the server does not start"
        time.sleep(0.05)
