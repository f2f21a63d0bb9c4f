"""What waits for the next question to another agent about texts, and when is it sent?

Pure. It is sent as soon as the agent may be asked, and no other request is under way to it.
"""

from collections import deque
from typing import Final

from tiptoe.cluster.peer_breaker import PeerBreaker
from tiptoe.cluster.text_inquiries import OpenClaim, OpenPart

__all__ = ["TextPeer"]

REQUEST_BYTES: Final = 1 << 20
ENDED_MAX: Final = 20_000
"""Maximum ended pages to report to an agent; claims of further ones last until this process has ended."""


class TextPeer:
    """Another agent, with the requests that wait for it."""

    def __init__(self) -> None:
        self.opened: deque[OpenPart | OpenClaim] = deque()
        self.ended: deque[str] = deque(maxlen=ENDED_MAX)
        self.is_asked = False  # a request is under way
        self.breaker = PeerBreaker()

    def has_request(self, now: float) -> bool:
        """Return whether a request should be sent now."""
        return bool(self.opened or self.ended) and not self.is_asked and self.breaker.may_ask(now)

    def take(self, bytes_max: float = REQUEST_BYTES) -> tuple[list[OpenPart], list[OpenClaim], list[str]]:
        """Return the questions, claims and ended pages of the next request."""
        parts: list[OpenPart] = []
        claims: list[OpenClaim] = []
        size = 0
        while self.opened and size < bytes_max:
            opened = self.opened.popleft()
            size += opened.size
            if isinstance(opened, OpenPart):
                parts.append(opened)
            else:
                claims.append(opened)
        ended = list(self.ended)
        self.ended.clear()
        return parts, claims, ended
