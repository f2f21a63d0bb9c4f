"""A small web with many texts on several pages each: whole, nearly whole, or in part."""

from dataclasses import dataclass

import xxhash

from simulated.agent_web import SmallWeb
from tiptoe.text.fingerprint import HASH_BYTES, Fingerprint
from tiptoe.url.address import host_of

__all__ = ["TextWeb"]


def _hash(name: str) -> bytes:
    return xxhash.xxh3_64_digest(name.encode())


@dataclass(frozen=True)
class TextWeb(SmallWeb):
    """Its pages have paragraphs, by their names."""

    texts: int = 40  # that are copied

    def paragraphs(self, url: str) -> list[str]:
        """Return what stands on a page."""
        chance = self._chance("text", url)
        common = chance.randrange(self.texts)
        original = [
            f"common-{common}-{number}" for number in range(self._chance("long", common).randint(1, 12))
        ]
        own = [f"{url}#{number}" for number in range(chance.randint(1, 10))]
        notice = [f"notice of {host_of(url)}"] if chance.random() < 0.7 else []
        kind = chance.random()
        if kind < 0.35:
            return original
        if kind < 0.45:
            return [*original, *notice]
        if kind < 0.55:
            return [*original[: len(original) // 2], *own, *notice]
        return [*own, *notice]

    def mark(self, url: str) -> Fingerprint:
        """Return the fingerprint of a page."""
        names = self.paragraphs(url)
        weights = [50 + len(name) * 7 % 400 for name in names]
        return Fingerprint(
            hashes=b"".join([_hash("\n".join(names) + "\n"), *map(_hash, names)]), weights=weights,
            places=list(range(len(names))), echoes=[], text_chars=sum(weights),
        )  # fmt: skip

    def whole(self, url: str) -> bytes:
        """Return the hash of the whole text of a page."""
        return self.mark(url).hashes[:HASH_BYTES]
