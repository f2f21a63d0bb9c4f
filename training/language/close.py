"""How are two languages told apart that share most of their words?

This is about Czech and Slovak without accents: the word lists end at one in a million, and say little about
how much more often one of the two uses a word that both have. The letters of running text say more. Here they
influence the weights of words, of groups of three letters and, for these two languages only, of four.

The likelier of the two classes keeps its weight, so that their relation to all other classes is unchanged.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from letters import LetterModel, letter_models
from sentences import sentences

CLOSE = ("cs", "sk")
LETTERS_TRUST = 0.6
"""Weight of the evidence from letters about a word, relative to that of the lists."""
GRAM_TRUST, LONG_GRAM_TRUST = 0.5, 0.8
"""Weight of the evidence from a group of three letters, and of what the letter before it adds."""
LONG_GRAMS, LONG_GRAM_COUNT_MIN = 16_000, 300
"""Number of groups of four letters that are kept, those with the most effect, and minimum count of each."""

Fields = Mapping[tuple[str, bool], int]
"""The position of each class among the weights: a language typed with accents (False) or without (True)."""


class Pair:
    """Two close languages, with or without accents, and how far the first one is ahead, in nats."""

    def __init__(self, one: LetterModel, two: LetterModel, fields: tuple[int, int]) -> None:
        self.one, self.two, self.fields = one, two, fields

    def lead_of_word(self, word: str) -> float:
        return self.one.log_probability(word) - self.two.log_probability(word)

    def lead_of_letter(self, before: str, letter: str) -> float:
        return math.log(self.one.probability(before, letter) / self.two.probability(before, letter))

    def count(self, group: str) -> int:
        return sum(model.count(group[:-1], group[-1]) for model in (self.one, self.two))

    def lean(self, row: list[float], lead: float) -> None:
        """Make one of the two fall behind the other by `lead`."""
        first, second = self.fields
        top = max(row[first], row[second])
        row[first], row[second] = max(0.0, top + min(lead, 0.0)), max(0.0, top - max(lead, 0.0))


def read_pairs(folder: Path, fields: Fields) -> list[Pair]:
    """Return the pairs with accents and without; none if the languages are not among the classes."""
    if not {(language, True) for language in CLOSE} <= fields.keys():
        return []
    judged_by = sentences(folder / "big-test.txt")
    models = [letter_models(folder, language, judged_by[language]) for language in CLOSE]
    return [
        Pair(one, two, (fields[CLOSE[0], is_plain], fields[CLOSE[1], is_plain]))
        for is_plain, one, two in zip((False, True), *models, strict=True)
    ]


def lean_words(pairs: list[Pair], words: Mapping[str, list[float]]) -> None:
    """Adjust, by their letters, the weights of words that one of the two has."""
    for pair in pairs:
        first, second = pair.fields
        for word, row in words.items():
            if row[first] or row[second]:
                listed = row[first] - row[second]
                pair.lean(row, listed + LETTERS_TRUST * (pair.lead_of_word(word) - listed))


def lean_grams(pairs: list[Pair], grams: Mapping[str, list[float]]) -> None:
    """Adjust the weight of each group by which of the two has its last letter more often after the others."""
    for pair in pairs:
        for gram, row in grams.items():
            pair.lean(row, GRAM_TRUST * pair.lead_of_letter(gram[:-1].lstrip("^"), gram[-1]))


def long_grams(pairs: list[Pair], classes: int, step: float) -> dict[str, list[float]]:
    """Return the groups of four letters that best tell the two apart.

    No weight may be negative. So if one of the two has to fall behind, all other classes get half of the
    difference.
    """
    leads: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(pairs))
    gains: Counter[str] = Counter()
    for number, pair in enumerate(pairs):
        for group in sorted({*pair.one.groups(4), *pair.two.groups(4)}):
            count, before, letter = pair.count(group), group[:-1], group[-1]
            lead = pair.lead_of_letter(before, letter) - pair.lead_of_letter(before[1:], letter)
            if count >= LONG_GRAM_COUNT_MIN and abs(lead) * LONG_GRAM_TRUST >= step / 2:
                leads[group][number] = lead * LONG_GRAM_TRUST
                gains[group] += round(count * abs(lead))
    rows: dict[str, list[float]] = {}
    for group, _ in gains.most_common(LONG_GRAMS):
        behind = max(map(abs, leads[group])) / 2
        rows[group] = [behind] * classes
        for pair, lead in zip(pairs, leads[group], strict=True):
            first, second = pair.fields
            rows[group][first], rows[group][second] = behind + lead / 2, behind - lead / 2
    return rows
