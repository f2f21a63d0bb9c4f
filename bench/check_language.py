"""How often is the language of a text recognised, and at what cost?

    python bench/check_language.py big-test.txt [--others messages.txt ...] [--beside py3langid]

The sentences come with the sources of eld 1.0.6 (`training/language/README.md` says how to get them): web
and news prose that the model has not seen. The first 300 of a language were used to set its thresholds and
are left out. Other files of the same format are read completely. A guess of `und` counts as wrong. py3langid,
if requested, chooses among the same languages. Each of the ten Slavic languages has a bar at 30 characters.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

from tiptoe.text.language import LanguageIdentifier

sys.path.insert(0, str(Path(__file__).parents[1] / "training" / "language"))

from sentences import TUNED_ON, pieces, sentences
from sources import CYRILLIC, LATIN, without_accents

CORE = ("cs", "sk", "pl", "sl", "hr", "en", "de")
BARS = {100: 0.98, 30: 0.90}
SLAVIC = ("cs", "sk", "pl", "sl", "hr", "bg", "mk", "uk", "ru", "sr")
SLAVIC_CHARS, SLAVIC_BAR, SLAVIC_PLAIN_BAR = 30, 0.95, 0.93
TEXTS_MIN = 50
"""Minimum number of texts of a language; fewer say nothing about it."""
PAGE_LINES = 45

Identify = Callable[[str], str]
Samples = dict[str, list[str]]


def samples(
    texts: Samples, languages: tuple[str, ...], chars: int, plain: bool, skipped: int = TUNED_ON
) -> Iterator[tuple[str, str]]:
    """Yield (language, text) pairs of one kind."""
    for language in languages:
        for piece in pieces(texts.get(language, [])[skipped:], chars):
            yield language, without_accents(piece) if plain else piece


def score(
    identify: Identify, pairs: list[tuple[str, str]]
) -> tuple[dict[str, float], Counter[tuple[str, str]]]:
    """Return the share of right guesses by language, and all guesses counted."""
    guesses = Counter((language, identify(text)) for language, text in pairs)
    totals = Counter(language for language, _ in pairs)
    return {language: guesses[language, language] / totals[language] for language in totals}, guesses


def print_scores(name: str, shares: dict[str, float]) -> float:
    mean = sum(shares.values()) / len(shares)
    print(
        f"{name:34} {mean:.4f}  " + " ".join(f"{language} {share:.3f}" for language, share in shares.items())
    )
    return mean


def print_slavic(identify: Identify, texts: Samples, skipped: int) -> bool:
    """Print the shares of the Slavic languages in short texts; return whether one is below its bar."""
    is_missed = False
    for plain, bar in ((False, SLAVIC_BAR), (True, SLAVIC_PLAIN_BAR)):
        enough = tuple(language for language in SLAVIC if len(texts.get(language, [])) - skipped >= TEXTS_MIN)
        shares, guesses = score(identify, list(samples(texts, enough, SLAVIC_CHARS, plain, skipped)))
        print_scores(f"  {'without' if plain else 'with'} accents, bar {bar}", shares)
        below = {language: share for language, share in shares.items() if share < bar}
        wrong = Counter({pair: count for pair, count in guesses.items() if len(set(pair)) > 1})
        print(f"    below: {' '.join(below) or 'none'}; most often wrong: {wrong.most_common(4)}")
        is_missed |= bool(below)
    return is_missed


def print_confusions(guesses: Counter[tuple[str, str]]) -> None:
    """Print which language was taken for which, rows being the truth."""
    columns = [*CORE, *sorted({guess for _, guess in guesses} - set(CORE))]
    print("     " + "".join(f"{guess:>6}" for guess in columns))
    for language in CORE:
        print(f"{language:5}" + "".join(f"{guesses[language, guess] or '.':>6}" for guess in columns))


def pages(texts: list[str]) -> Iterator[list[str]]:
    """Yield documents of 45 paragraphs and about 1500 words: text of several lengths, headings between."""
    rest = cycle(texts)
    for _ in range(30):
        page = []
        for number in range(PAGE_LINES):
            sentence = next(rest)
            longer = [sentence, *(next(rest) for _ in range((0, 1, 4, 6)[number // 2 % 4]))]
            page.append(sentence[:14] if number % 2 else " ".join(longer))
        yield page


def print_cost(identifier: LanguageIdentifier, texts: Samples) -> None:
    for language in (*CORE, "ru", "ja", "eu"):
        documents = list(pages(texts[language]))
        words = sum(len(" ".join(document).split()) for document in documents) // len(documents)
        best = min(cpu_seconds(identifier, documents) for _ in range(5)) / len(documents)
        verdicts = Counter(identifier.identify_document(document).language for document in documents)
        print(f"{language}: {best * 1e6:5.0f} us of CPU a page of {words} words; called {dict(verdicts)}")


def cpu_seconds(identifier: LanguageIdentifier, documents: list[list[str]]) -> float:
    began = time.process_time()
    for document in documents:
        identifier.identify_document(document)
    return time.process_time() - began


def py3langid_identify(languages: tuple[str, ...]) -> Identify:
    from py3langid.langid import MODEL_FILE
    from py3langid.langid import LanguageIdentifier as Other

    other = Other.from_model_file(MODEL_FILE, norm_probs=False)
    other.set_languages(list(languages))
    return lambda text: str(other.classify(text)[0])


def main() -> int:
    """Print the tables; return 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, help="big-test.txt of eld 1.0.6")
    parser.add_argument("--others", type=Path, nargs="*", default=[], help="files of the same form")
    parser.add_argument("--beside", choices=["py3langid"], help="compare with another identifier")
    options = parser.parse_args()
    texts = sentences(options.sentences)
    began = time.process_time()
    everything = LanguageIdentifier.load()
    print(f"model loaded in {time.process_time() - began:.2f} s of CPU\n")
    restricted = LanguageIdentifier.load(CORE)
    rivals: dict[str, Identify] = {
        "all languages": lambda text: everything.identify(text).language,
        "these seven": lambda text: restricted.identify(text).language,
    }
    if options.beside:
        rivals["py3langid, these seven"] = py3langid_identify(CORE)
    missed = False
    for chars, bar in BARS.items():
        for plain in (False, True):
            pairs = list(samples(texts, CORE, chars, plain))
            print(f"{'from 100' if chars >= 100 else f'about {chars}'} characters"
                  f"{', accents taken off' if plain else ''}: {len(pairs)} texts")  # fmt: skip
            for name, identify in rivals.items():
                shares, guesses = score(identify, pairs)
                mean = print_scores(f"  {name}", shares)
                if name == "all languages":
                    missed |= mean < bar
                    confusions = guesses
            print_confusions(confusions)
            print()
    others = (*LATIN, *CYRILLIC)
    for chars in BARS:
        shares, _ = score(rivals["all languages"], list(samples(texts, others, chars, plain=False)))
        print_scores(f"every language, {chars} characters", shares)
    for file in (options.sentences, *options.others):
        print(f"\nabout {SLAVIC_CHARS} characters, {file.name}")
        skipped = TUNED_ON if file == options.sentences else 0
        missed |= print_slavic(rivals["all languages"], sentences(file), skipped)
    print()
    print_cost(everything, texts)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
