"""What is said when a service cannot listen."""

import errno
import socket

from tiptoe.cli.listening import why_not_taken


def test_a_port_that_is_taken_comes_with_another_one() -> None:
    taken = OSError(errno.EADDRINUSE, "[Errno 98] error while attempting to bind on address ('::1', 80)")
    assert why_not_taken(taken, "127.0.0.1", 8900) == (
        "Address already in use; choose another port, as in --listen 127.0.0.1:8901"
    )
    assert why_not_taken(taken, "::1", 65_535).endswith("--listen [::1]:65534")


def test_other_troubles_are_told_as_the_system_does() -> None:
    assert why_not_taken(OSError(errno.EACCES, "…"), "127.0.0.1", 80) == "Permission denied"
    unknown = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    assert why_not_taken(unknown, "nosuch.example", 80) == "Name or service not known"
