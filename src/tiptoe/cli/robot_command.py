"""`tiptoe robot`: a crawl on this machine, run from a control server."""

import asyncio
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tiptoe import __version__
from tiptoe.cli.exits import Exit
from tiptoe.errors import SettingsError
from tiptoe.observe.printable import printable
from tiptoe.protocol.robot_messages import RobotHello
from tiptoe.robot.control_line import ControlAddress, ControlLine
from tiptoe.robot.robot_journal import RobotJournal
from tiptoe.robot.robot_process import RobotProcess
from tiptoe.write.directory_claim import claimed_directory

__all__ = ["robot_command"]

LOCK_FILE = "robot.lock"
SECRET_BYTES_MAX = 1000
FOR_OTHERS = 0o077


def robot_command(
    *,
    control: Annotated[str, Parameter(help="Address of the control server, such as https://host:8900.")],
    id: Annotated[str, Parameter(help="Id of this robot, as the server knows it.")],
    secret_file: Annotated[Path, Parameter(help="File with its secret, which only you can read.")],
    directory: Annotated[
        Path | None,
        Parameter(name="--dir", help="Directory of the robot and its crawl. By default: robot-ID."),
    ] = None,
    pin: Annotated[
        str, Parameter(help="Fingerprint of the server's certificate, as its page shows it: sha256//…")
    ] = "",
) -> int:
    """Crawl as the control server says, until stopped; continue where an earlier run stopped."""
    address = ControlAddress.parse(control, pin)
    secret = _read_secret(secret_file)
    place = (directory or Path(f"robot-{id}")).absolute()
    with claimed_directory(place, LOCK_FILE, owner="a robot"):
        journal = RobotJournal(place)
        try:
            if journal.robot not in ("", id):
                raise SettingsError(
                    f"{place}: belongs to robot {journal.robot}; choose another --dir for {id}"
                )
            journal.robot = id
            asyncio.run(_live(id, place, journal, address, secret))
        finally:
            journal.close()
    return Exit.DONE


async def _live(name: str, place: Path, journal: RobotJournal, address: ControlAddress, secret: str) -> None:
    closing = threading.Event()
    hello = RobotHello(
        incarnation=journal.incarnation,
        version=__version__,
        machine=socket.gethostname(),
        directory=str(place),
    )
    robot = RobotProcess(
        name, place, journal,
        lambda: ControlLine(address, secret, closing, version=__version__),
        hello=hello, tell=_tell, closing=closing,
    )  # fmt: skip
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, robot.end)
    _tell(f"robot {name} in {place}, at {address.url}; Ctrl-C stops it and its crawl")
    await robot.run()


def _read_secret(path: Path) -> str:
    """Return the secret in a file; refuse a file that others can read."""
    try:
        if path.stat().st_mode & FOR_OTHERS:
            raise SettingsError(f"{path}: others can read or change it; see to that (chmod 600)")
        with path.open("rb") as file:
            secret = file.read(SECRET_BYTES_MAX).decode("ascii").strip()
    except OSError as error:
        raise SettingsError(f"--secret-file {path}: {os.strerror(error.errno or 0)}") from None
    except UnicodeDecodeError:
        secret = ""
    if not secret or not secret.isprintable() or " " in secret:
        raise SettingsError(
            f"{path}: holds no secret; pages of the control server make them, and show them once"
        )
    return secret


def _tell(said: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {printable(said, ' ')}", file=sys.stderr, flush=True)
