"""How is the language model made?

    python training/language/train.py FOLDER [src/tiptoe/text/language.model]

FOLDER holds the word lists named in README.md. Every class (a language, or a language
typed without accents) gets a weight for each frequent word: how much more probable
the word is there than a word never seen, in steps of half a nat. The same for groups
of letters, which stand in for rare words.
"""

import math
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
import zstandard
from close import lean_grams, lean_words, long_grams, read_pairs
from sources import CYRILLIC, LATIN, PLAIN, Shares, frequencies, with_umlauts_spelled_out, without_accents

from tiptoe.text.language_model import FIELD_BITS, StoredLexicon
from tiptoe.text.language_scripts import script_of
from tiptoe.text.word_weights import short_grams_of

STEP = 0.5
UNSEEN = 1e-7
"""Share assumed for a word that a list does not have."""
MISTYPED = 0.05
"""Share of words without their accents in text that otherwise has them."""
ACCENTS_EXPECTED = 4
"""Head start, in steps, of text with accents."""
SLOVAK_EXPECTED = 1
"""Head start, in steps, of Slovak over Czech: what both write alike would otherwise be taken for Czech."""
WORDS = {
    "cs": 55_000, "sk": 55_000, "pl": 22_000, "sl": 22_000, "hr": 22_000,
    "en": 7000, "de": 7000, "hu": 7000, "ro": 7000, **dict.fromkeys(CYRILLIC, 25_000),
}  # fmt: skip
WORDS_OTHER = 3500
"""Number of words per language; more for languages that are hard to tell apart."""
GRAM_UNSEEN, GRAM_RARE, GRAM_TRUST = 3e-6, 2e-5, 0.5
"""Share of an unseen gram, limit of rare ones, and weight: grams overlap, so they count only in part."""
TELLTALE_WEIGHT, TELLTALE_LEAD = 12, 6

Class = tuple[str, bool, Shares]
"""A language, whether it is typed without accents, and its words."""


def classes_of(languages: Iterable[str], folder: Path) -> list[Class]:
    """Return the classes of some languages."""
    classes = []
    for language in languages:
        pure = frequencies(folder, language)
        mixed, plain = pure.copy(), Shares(float)
        for word, share in pure.items():
            bare = without_accents(word) if language in LATIN else word
            plain[bare] += share
            if bare != word:
                mixed[bare] += MISTYPED * share
                if language == "de":
                    mixed[with_umlauts_spelled_out(word)] += MISTYPED * share
        classes.append((language, False, mixed))
        if language in PLAIN:
            classes.append((language, True, plain))
    return classes


def strength(share: float, unseen: float) -> float:
    """Return how much more probable something is than something never seen, in nats."""
    return max(0.0, math.log(share / unseen)) if share else 0.0


def in_steps(rows: Mapping[str, list[float]]) -> dict[str, list[int]]:
    return {key: [round(nats / STEP) for nats in row] for key, row in rows.items()}


def head_start(language: str, is_plain: bool) -> int:
    return ACCENTS_EXPECTED * (not is_plain) + SLOVAK_EXPECTED * (language == "sk")


def vocabulary(classes: Iterable[Class], script: str) -> set[str]:
    """Return the frequent words of all classes in one script; lists also contain words in other scripts."""
    words: set[str] = set()
    for language, _, shares in classes:
        most = WORDS.get(language, WORDS_OTHER)
        own = (word for word in shares if script_of(word) == script)
        words.update(sorted(own, key=shares.__getitem__, reverse=True)[:most])
    return words


def gram_shares(words: Shares) -> dict[str, float]:
    """Return shares of grams; rare words, for which grams stand in, count more than their share."""
    grams = Shares(float)
    for word, share in words.items():
        if len(word) > 2:
            for gram in short_grams_of(word):
                grams[gram] += math.sqrt(share)
    total = sum(grams.values())
    return {gram: count / total for gram, count in grams.items()}


def packed(rows: Mapping[str, list[int]], first: int) -> list[tuple[bytes, str]]:
    """Group keys by their weights, which become fields of one integer, with `first` in the lowest one."""
    groups: dict[bytes, list[str]] = {}
    for key in sorted(rows):
        fields = b"".join(value.to_bytes(FIELD_BITS // 8, "little") for value in (first, *rows[key]))
        groups.setdefault(fields, []).append(key)
    return [(fields, " ".join(keys)) for fields, keys in sorted(groups.items())]


def telltales(words: Mapping[str, list[int]], classes: list[str]) -> dict[str, str]:
    """Return the frequent words of each language that are rare in all others."""
    found: dict[str, list[str]] = {language: [] for language in classes}
    for word, weights in sorted(words.items()):
        best: dict[str, int] = {}
        for language, value in zip(classes, weights, strict=True):
            best[language] = max(value, best.get(language, 0))
        (value, language), (second, _) = sorted(((v, name) for name, v in best.items()), reverse=True)[:2]
        if value >= TELLTALE_WEIGHT and value - second >= TELLTALE_LEAD:
            found[language].append(word)
    return {language: " ".join(telling) for language, telling in found.items()}


def lexicon(script: str, languages: Iterable[str], folder: Path) -> StoredLexicon:
    classes = classes_of(languages, folder)
    pairs = read_pairs(folder, {each[:2]: field for field, each in enumerate(classes)})
    by_word = {
        word: [strength(shares.get(word, 0.0), UNSEEN) for _, _, shares in classes]
        for word in vocabulary(classes, script)
    }
    lean_words(pairs, by_word)
    words = in_steps(by_word)
    by_class = [gram_shares(shares) for _, _, shares in classes]
    frequent = {
        gram
        for shares in by_class
        for gram, share in shares.items()
        if share > GRAM_RARE and script_of(gram) == script
    }
    by_gram = {
        gram: [GRAM_TRUST * strength(shares.get(gram, 0.0), GRAM_UNSEEN) for shares in by_class]
        for gram in frequent
    }
    lean_grams(pairs, by_gram)
    grams = in_steps(by_gram | long_grams(pairs, len(classes), STEP))
    return StoredLexicon(
        script=script,
        classes=[language for language, _, _ in classes],
        head_starts=[head_start(language, is_plain) for language, is_plain, _ in classes],
        words=packed(words, first=1),
        grams=packed(grams, first=0),
        telltales=telltales(words, [language for language, _, _ in classes]),
    )


def main(folder: Path, target: Path) -> None:
    """Write the model and print its size."""
    lexicons = [lexicon("latin", LATIN, folder), lexicon("cyrillic", CYRILLIC, folder)]
    raw = msgspec.msgpack.encode(lexicons)
    target.write_bytes(zstandard.ZstdCompressor(level=19).compress(raw))
    for made in lexicons:
        words, grams = (sum(len(keys.split(" ")) for _, keys in part) for part in (made.words, made.grams))
        print(f"{made.script}: {len(made.classes)} classes, {words} words, {grams} grams")
    print(f"{target}: {target.stat().st_size} bytes, {len(raw)} unpacked")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "src/tiptoe/text/language.model"))
