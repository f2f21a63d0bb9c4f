"""How likely does one letter follow others in a language?

lingua counted groups of up to five letters in a million sentences of news, which include the sentences that
we are judged by (see README.md). So the groups of these are subtracted: what is left comes from other
sentences.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path

import brotli
from sources import WORD, without_accents

SIZES = ("unigrams", "bigrams", "trigrams", "quadrigrams", "fivegrams")
WORD_END = "$"
ENDS_SHARE = 0.18
"""Share of letters that end a word, if nothing is known about the previous ones."""
UNSEEN = 1e-7
TRUST = 100
"""How often a group must be seen for its statistics to weigh as much as those of the next shorter group."""

Counts = list[Counter[str]]
"""How often each group was seen, by length: of one letter, of two and so on."""


class LetterModel:
    """How likely each letter is after up to four others, and the end of a word too."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._letters = counts[0].total()
        self._ends = [_ends(shorter, longer) for shorter, longer in pairwise(counts)]
        self.probability = cache(self._find_probability)

    def log_probability(self, word: str) -> float:
        """Return the log probability of a word, summed over its letters."""
        ended, before = word + WORD_END, len(self._ends)
        return sum(
            math.log(self.probability(ended[max(0, place - before) : place], letter))
            for place, letter in enumerate(ended)
        )

    def count(self, before: str, letter: str) -> int:
        """Return how often a letter, or the end of a word, follows the letters `before`."""
        return self._ends[len(before) - 1][before] if letter == WORD_END else self._seen(before + letter)

    def groups(self, size: int) -> Iterable[str]:
        """Return all groups of `size` letters; the end of a word counts as one."""
        yield from self._counts[size - 1]
        yield from (group + WORD_END for group in self._ends[size - 2])

    def _seen(self, group: str) -> int:
        return self._counts[len(group) - 1][group]

    def _find_probability(self, before: str, letter: str) -> float:
        if not before:
            return ENDS_SHARE if letter == WORD_END else self._seen(letter) / self._letters + UNSEEN
        expected = self.probability(before[1:], letter)
        return (self.count(before, letter) + TRUST * expected) / (self._seen(before) + TRUST)


def letter_models(folder: Path, language: str, taken_off: Iterable[str]) -> tuple[LetterModel, LetterModel]:
    """Return the models of a language with and without accents; the sentences `taken_off` are left out."""
    counts = _read_counts(folder / "lingua" / language)
    for sentence in taken_off:
        for word in WORD.findall(sentence.lower()):
            for size, known in enumerate(counts, 1):
                known.subtract(word[at : at + size] for at in range(len(word) - size + 1))
    kept = [Counter({group: count for group, count in known.items() if count > 0}) for known in counts]
    plain: Counts = [Counter() for _ in kept]
    for known, bare in zip(kept, plain, strict=True):
        for group, count in known.items():
            bare[without_accents(group)] += count
    return LetterModel(kept), LetterModel(plain)


def _read_counts(folder: Path) -> Counts:
    """Read the files that say how often each group follows its beginning."""
    counts: Counts = []
    for name in SIZES:
        by_share = json.loads(brotli.decompress((folder / f"{name}.json.br").read_bytes()))["ngrams"]
        known: Counter[str] = Counter()
        letters = 1 if counts else math.lcm(*(int(share.split("/")[1]) for share in by_share))
        for share, groups in by_share.items():
            part, whole = map(int, share.split("/"))
            for group in groups.split(" "):
                known[group] = round(part / whole * (counts[-1][group[:-1]] if counts else letters))
        counts.append(known)
    return counts


def _ends(shorter: Counter[str], longer: Counter[str]) -> Counter[str]:
    """Return how often each group occurs at the end of a word."""
    ends = shorter.copy()
    for group, count in longer.items():
        ends[group[:-1]] -= count
    return Counter({group: count for group, count in ends.items() if count > 0})
