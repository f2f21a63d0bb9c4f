"""Which texts are on pages that are under way?

Of two pages with the same text that are read at the same time, one must be kept. The first to ask has the
claim until its text is stored in all its blocks; others that ask meanwhile are told of the claim and ask
again.

All hashes of a page are claimed in one place, so that one page gets them all: two pages that each had half of
the hashes would wait for each other. This place is the block of the page's smallest paragraph hash, which
copies share, and which pages that differ in a few lines nearly always share. Claims are in memory only: pages
under way repeat them when their block has moved.

Pure: `now` is an argument.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

__all__ = ["CLAIMS_MAX", "LINGER_SECONDS", "TextClaims"]

CLAIMS_MAX: Final = 500_000
"""Maximum number of claimed hashes, about 70 MB; above it no claims are made or reported."""

LINGER_SECONDS: Final = 3.0
"""How long a claim outlasts its page. A question is answered by several agents at different moments: one may
answer before it has learned a text, another after the claim has ended. And the agent that takes over the
shard of a lost one has yet to deliver its last texts. A text that is known by then is not waited for."""


class _Claimant:
    __slots__ = ("asker", "block", "keys")

    def __init__(self, asker: str, block: int, keys: Sequence[bytes]) -> None:
        self.asker = asker
        self.block = block
        self.keys = keys


class TextClaims:
    """Claims of pages whose smallest paragraph hashes belong to blocks that are held here."""

    def __init__(self) -> None:
        self._claims: dict[bytes, str] = {}
        self._pages: dict[str, _Claimant] = {}
        self._ending: deque[tuple[float, str, _Claimant]] = deque()

    def __len__(self) -> int:
        return len(self._claims)

    def claim(self, asker: str, block: int, url: str, keys: Sequence[bytes]) -> bytes:
        """Claim all free hashes; return for each whether another page has it (empty if none is taken)."""
        if len(self._claims) > CLAIMS_MAX:
            return b""
        claim = self._claims.setdefault
        others = [claim(key, url) != url for key in keys]
        self._pages[url] = _Claimant(asker, block, keys)
        return bytes(others) if True in others else b""

    def look(self, url: str, keys: Sequence[bytes]) -> bytes:
        """Return the same without claiming anything."""
        others = [self._claims.get(key, url) != url for key in keys]
        return bytes(others) if True in others else b""

    def end(self, asker: str, urls: Iterable[str], now: float) -> None:
        """Let the claims of pages end soon that are no longer under way at an asker."""
        for url in urls:
            page = self._pages.get(url)
            if page is not None and page.asker == asker:
                self._ending.append((now + LINGER_SECONDS, url, page))

    def lose(self, asker: str, now: float) -> None:
        """Let all claims of a lost asker end soon."""
        self.end(asker, [url for url, page in self._pages.items() if page.asker == asker], now)

    def drop(self, block: int) -> None:
        """Drop the claims in a block that is no longer held: they are repeated elsewhere."""
        for url in [url for url, page in self._pages.items() if page.block == block]:
            self._release(url)

    def expire(self, now: float) -> None:
        """End claims that have lingered long enough, unless their page has asked again since."""
        while self._ending and self._ending[0][0] <= now:
            _, url, page = self._ending.popleft()
            if self._pages.get(url) is page:
                self._release(url)

    def _release(self, url: str) -> None:
        claims = self._claims
        for key in self._pages.pop(url).keys:
            if claims.get(key) == url:
                del claims[key]

    def check(self) -> None:
        """Assert every invariant."""
        for key, url in self._claims.items():
            assert key in self._pages[url].keys, f"a claim of {url} outlived it"
