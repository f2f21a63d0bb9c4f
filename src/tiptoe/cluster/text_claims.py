"""Which texts are on pages that are under way?

Of two pages with the same text that are read at the same moment one is to be kept. The first to ask has the
claim, until its text is known wherever it is to be known; whoever asks meanwhile hears of it and asks again.

All hashes of a page are claimed in one place, so that one page has them all: two pages that had half of each
other's would wait for each other. This place is the block of its smallest paragraph, which copies share, and
those that are copies but for some lines share it nearly always. Claims are in memory only: pages under way
tell them anew when their block has moved.

Pure: `now` is an argument.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

__all__ = ["CLAIMS_MAX", "LINGER_SECONDS", "TextClaims"]

CLAIMS_MAX: Final = 500_000
"""Maximum number of claimed hashes, about 70 MB; above it nobody is told of any."""

LINGER_SECONDS: Final = 3.0
"""How long a claim outlasts its page. A question is answered by several agents, each at its own moment: by
one before it has learned a text, by another after the claim has ended. And whoever takes over the shard of an
agent that is gone has yet to tell its last texts. What is known by then is not waited for."""


class _Claimant:
    __slots__ = ("asker", "block", "keys")

    def __init__(self, asker: str, block: int, keys: Sequence[bytes]) -> None:
        self.asker = asker
        self.block = block
        self.keys = keys


class TextClaims:
    """Claims of pages whose smallest paragraphs fall to blocks that are held here."""

    def __init__(self) -> None:
        self._claims: dict[bytes, str] = {}
        self._pages: dict[str, _Claimant] = {}
        self._ending: deque[tuple[float, str, _Claimant]] = deque()

    def __len__(self) -> int:
        return len(self._claims)

    def claim(self, asker: str, block: int, url: str, keys: Sequence[bytes]) -> bytes:
        """Claim what nobody else has; return for each hash whether somebody has, nothing if for none."""
        if len(self._claims) > CLAIMS_MAX:
            return b""
        claim = self._claims.setdefault
        others = [claim(key, url) != url for key in keys]
        self._pages[url] = _Claimant(asker, block, keys)
        return bytes(others) if True in others else b""

    def look(self, url: str, keys: Sequence[bytes]) -> bytes:
        """Return the same, and claim nothing."""
        others = [self._claims.get(key, url) != url for key in keys]
        return bytes(others) if True in others else b""

    def end(self, asker: str, urls: Iterable[str], now: float) -> None:
        """Pages of an asker are no longer under way: their claims end soon."""
        for url in urls:
            page = self._pages.get(url)
            if page is not None and page.asker == asker:
                self._ending.append((now + LINGER_SECONDS, url, page))

    def lose(self, asker: str, now: float) -> None:
        """An asker is gone."""
        self.end(asker, [url for url, page in self._pages.items() if page.asker == asker], now)

    def drop(self, block: int) -> None:
        """A block is held no longer: its claims are told elsewhere."""
        for url in [url for url, page in self._pages.items() if page.block == block]:
            self._release(url)

    def expire(self, now: float) -> None:
        """End what has lingered for long enough; a page that has asked again since is under way again."""
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
        """State every invariant."""
        for key, url in self._claims.items():
            assert key in self._pages[url].keys, f"a claim of {url} outlived it"
