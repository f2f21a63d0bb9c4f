"""What may somebody do who may only read a crawl?

A reader is in a NATS account of its own, which has no streams. Into it the services listed here are brought
from the account of the crawl, and nothing else: whatever else a reader says, nobody of the crawl hears it.
Permissions within the account of the crawl would not do: whoever may ask anything there names the subject of
the answer, which may be that of a key, and so has somebody else write for it.
"""

from collections.abc import Iterable
from typing import Any, Final

from tiptoe.errors import SettingsError

__all__ = ["READ_STREAMS", "NotAllowed", "expect_readable", "exported", "imported", "readers_account"]

QUESTIONS: Final = ("status", "files", "file", "freshness", "why", "obeyed")
"""Of those at `agent.<name>`, which change nothing."""

STREAM_QUESTIONS: Final = ("STREAM.INFO.*", "STREAM.MSG.GET.*")
STREAMS: Final = "$JS.API"
READ_STREAMS: Final = "tiptoe-read.API"
"""Where a reader asks for streams: what begins as usual would be asked of its own account, which has none."""


class NotAllowed(SettingsError):
    """These credentials are for reading."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: these credentials may only read the crawl, not change it")


def readers_account(account: str) -> str:
    """Return the account of those who may read what is in another one."""
    return f"readers-of-{account}"


def services() -> dict[str, str]:
    """Return what a reader may ask: the subjects in the account of the crawl, and in its own."""
    streams = {f"{STREAMS}.{question}": f"{READ_STREAMS}.{question}" for question in STREAM_QUESTIONS}
    asks = (f"tiptoe.*.ask.agent.*.{question}" for question in QUESTIONS)
    return streams | {subject: subject for subject in asks}


def exported(to: Iterable[str]) -> list[dict[str, Any]]:
    """Return, for the configuration of an account, what these accounts may ask there."""
    return [{"service": subject, "accounts": list(to)} for subject in services()]


def imported(account: str) -> list[dict[str, Any]]:
    """Return, for the configuration of an account, what it may ask in another one."""
    return [
        {"service": {"account": account, "subject": subject}, "to": own}
        for subject, own in services().items()
    ]


def expect_readable(subject: str) -> None:
    """Refuse a request that would not be heard."""
    if subject.rpartition(".")[2] not in QUESTIONS:
        raise NotAllowed(subject)
