"""What may a user do who may only read a crawl?

Readers are in a NATS account of their own, which has no streams. It imports the services listed here from the
account of the crawl, and nothing else: any other message of a reader does not reach the crawl. Permissions
within the account of the crawl would not be enough: a sender of a request names the subject of the answer,
which may be that of a key, and so could make others write it.
"""

from collections.abc import Iterable
from typing import Any, Final

from tiptoe.errors import SettingsError

__all__ = ["READ_STREAMS", "NotAllowed", "expect_readable", "exported", "imported", "readers_account"]

QUESTIONS: Final = ("status", "files", "file", "freshness", "why", "obeyed")
"""The requests to `agent.<name>` that change nothing."""

STREAM_QUESTIONS: Final = ("STREAM.INFO.*", "STREAM.MSG.GET.*")
STREAMS: Final = "$JS.API"
READ_STREAMS: Final = "tiptoe-read.API"
"""Prefix of readers' stream requests: the usual one would address their own account, which has no streams."""


class NotAllowed(SettingsError):
    """These credentials are for reading."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: these credentials may only read the crawl, not change it")


def readers_account(account: str) -> str:
    """Return the account of the users who may read another account."""
    return f"readers-of-{account}"


def services() -> dict[str, str]:
    """Return the requests of readers: subjects in the account of the crawl, with those in their own."""
    streams = {f"{STREAMS}.{question}": f"{READ_STREAMS}.{question}" for question in STREAM_QUESTIONS}
    asks = (f"tiptoe.*.ask.agent.*.{question}" for question in QUESTIONS)
    return streams | {subject: subject for subject in asks}


def exported(to: Iterable[str]) -> list[dict[str, Any]]:
    """Return, for the configuration of an account, the services it exports to these accounts."""
    return [{"service": subject, "accounts": list(to)} for subject in services()]


def imported(account: str) -> list[dict[str, Any]]:
    """Return, for the configuration of an account, the services it imports from another one."""
    return [
        {"service": {"account": account, "subject": subject}, "to": own}
        for subject, own in services().items()
    ]


def expect_readable(subject: str) -> None:
    """Raise NotAllowed for a request that would not reach the crawl."""
    if subject.rpartition(".")[2] not in QUESTIONS:
        raise NotAllowed(subject)
