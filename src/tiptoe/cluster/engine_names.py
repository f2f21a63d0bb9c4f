"""Which names may crawls, keys, subjects and objects of an engine have?

They become subjects of messages and names of directories on servers that others may share, so a name may not
contain anything that has a special meaning there.
"""

import re

from tiptoe.cluster.engine import MESSAGE_BYTES_MAX, MessageTooLarge
from tiptoe.errors import SettingsError

__all__ = [
    "LOG_KINDS",
    "check_crawl_name",
    "check_log",
    "check_name",
    "check_prefix",
    "check_size",
]

NAME_LENGTH_MAX = 200
LOG_KINDS = ("log", "mail")

_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
_CRAWL = re.compile(r"[a-z0-9][a-z0-9_-]{0,47}")


def check_crawl_name(name: str) -> str:
    """Return the name of a crawl; raise SettingsError if it is not valid."""
    if not _CRAWL.fullmatch(name):
        raise SettingsError(
            f"{name!r} cannot be the name of a crawl: up to 48 of a-z, 0-9, - and _, a letter or digit first"
        )
    return name


def check_name(name: str) -> str:
    """Return the name of a key, a subject or an object; raise ValueError if it is not valid."""
    if len(name) > NAME_LENGTH_MAX or not _NAME.fullmatch(name):
        shown = repr(name[:NAME_LENGTH_MAX])
        raise ValueError(f"{shown} is not made of words of letters, digits, - and _, joined by dots")
    return name


def check_log(subject: str) -> str:
    """Return the subject of a log; raise ValueError if it is not valid."""
    kind, _, rest = check_name(subject).partition(".")
    if kind not in LOG_KINDS or not rest:
        raise ValueError(f"{subject!r} is not a log: those begin with `log.` or `mail.`")
    return subject


def check_prefix(prefix: str) -> str:
    """Return a prefix of keys, if valid; the empty one stands for all keys."""
    return check_name(prefix) if prefix else prefix


def check_size(name: str, data: bytes) -> None:
    """Raise MessageTooLarge for data that do not fit into one message."""
    if len(data) > MESSAGE_BYTES_MAX:
        raise MessageTooLarge(name, len(data))
