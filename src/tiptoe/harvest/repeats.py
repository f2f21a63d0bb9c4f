"""Has this host said exactly that before, under another address?

A site that answers nonsense with the same page, a session id nobody knows, a
counter without content: whatever the reason, the same text again is worth
nothing. Told the hash of each text, it says how many other addresses of the host
had it already. Pure, and bounded: it forgets the host it heard of longest ago.
"""

from collections import OrderedDict
from typing import Final

__all__ = ["FOLLOWED_MAX", "Repeats"]

FOLLOWED_MAX: Final = 10
"""Addresses with the same text whose links are followed: pages of pictures may differ in nothing else."""

HOSTS_MAX: Final = 2_000
TEXTS_MAX: Final = 16

_Texts = OrderedDict[bytes, list[int]]


class Repeats:
    """The last texts of the last hosts, each with its first addresses."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, _Texts] = OrderedDict()

    def count(self, host: str, url: str, text_hash: bytes) -> int:
        """Note a text and return how many other addresses of this host had it before."""
        texts = self._hosts.get(host)
        if texts is None:
            texts = self._hosts[host] = OrderedDict()
            if len(self._hosts) > HOSTS_MAX:
                self._hosts.popitem(last=False)
        else:
            self._hosts.move_to_end(host)
        address = hash(url)
        known = texts.get(text_hash)
        if known is None:
            texts[text_hash] = [address]
            if len(texts) > TEXTS_MAX:
                texts.popitem(last=False)
            return 0
        texts.move_to_end(text_hash)
        if address in known:
            return known.index(address)
        if len(known) < FOLLOWED_MAX:
            known.append(address)
            return len(known) - 1
        return FOLLOWED_MAX
