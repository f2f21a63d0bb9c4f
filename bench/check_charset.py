"""How many documents are decoded right, whatever they say about their encoding?

    python bench/check_charset.py big-test.txt [--show 10]

The sentences come with the sources of eld 1.0.6 (`training/language/README.md` says how to get them). They
are put together to pages of 2 to 60 sentences in each of three encodings; a character that an encoding
lacks is written as a reference, as editors do. Declared: by header or page. Wrongly declared: by header, by
page, by both, or by the header against the page, as another of the three encodings or as ISO-8859-1, the
default of old servers. A document is right when every character is.
"""

import argparse
import html
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from tiptoe.parse.charset import decode

sys.path.insert(0, str(Path(__file__).parents[1] / "training" / "language"))

from sentences import sentences

BAR = 0.99
CHARSETS = ("windows-1250", "iso-8859-2", "utf-8")
LANGUAGES = ("cs", "sk", "pl", "hu", "sl", "hr", "de")
SIZES = (2, 4, 8, 15, 30, 60)
PARAGRAPH_SENTENCES = 3


class Declared(NamedTuple):
    """What is said about the encoding, truly or not; empty: nothing."""

    how: str
    header: str = ""
    meta: str = ""


class Sample(NamedTuple):
    """One document as it is sent."""

    language: str
    charset: str
    declared: Declared
    body: bytes

    @property
    def is_right(self) -> bool:
        """True if it is read as it was written."""
        return decode(self.body, self.declared.header or None).text == self.body.decode(self.charset)


def declarations(charset: str) -> Iterator[Declared]:
    """Yield what may be said about a page in an encoding."""
    yield Declared("declared", header=charset)
    yield Declared("declared", meta=charset)
    yield Declared("undeclared")
    for wrong in (*CHARSETS, "iso-8859-1"):
        if wrong != charset:
            yield Declared("wrongly declared", header=wrong)
            yield Declared("wrongly declared", meta=wrong)
            yield Declared("wrongly declared", header=wrong, meta=wrong)
            yield Declared("wrongly declared", header=wrong, meta=charset)


def page(texts: Sequence[str], meta: str) -> str:
    """Return a page as small sites have it: a menu, a heading, paragraphs."""
    said = f'<meta charset="{meta}">' if meta else ""
    cut = range(0, len(texts), PARAGRAPH_SENTENCES)
    paragraphs = "\n".join(f"<p>{' '.join(texts[at : at + PARAGRAPH_SENTENCES])}</p>" for at in cut)
    menu = "".join(f'<li><a href="/{number}.html">{number}</a></li>' for number in range(5))
    title = " ".join(texts[0].split()[:5])
    return (
        f"<html><head>{said}<title>{title}</title></head><body><ul>{menu}</ul>\n{paragraphs}\n</body></html>"
    )


def samples(language: str, texts: Sequence[str]) -> Iterator[Sample]:
    """Yield all documents that the sentences of a language are enough for, without those in ASCII."""
    begin = 0
    for size in cycle(SIZES):
        taken = [html.escape(text, quote=False) for text in texts[begin : begin + size]]
        begin += size
        if len(taken) < size:
            return
        for charset in CHARSETS:
            for declared in declarations(charset):
                body = page(taken, declared.meta).encode(charset, "xmlcharrefreplace")
                if not body.isascii():
                    yield Sample(language, charset, declared, body)


def shares(judged: Mapping[tuple[str, str, str], list[bool]], row: tuple[str, str]) -> list[float]:
    """Return the shares of right documents in a row of the table: by language, then of all."""
    by_language = [judged[(*row, language)] for language in LANGUAGES if judged[(*row, language)]]
    together = [is_right for each in by_language for is_right in each]
    return [sum(each) / len(each) for each in (*by_language, together)]


def check(texts: Mapping[str, Sequence[str]], show: int = 0) -> bool:
    """Print the table, and some documents that were read wrong; tell whether the bar is met."""
    judged: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for language in LANGUAGES:
        for sample in samples(language, texts.get(language, ())):
            is_right = sample.is_right
            judged[sample.charset, sample.declared.how, language].append(is_right)
            if show and not is_right:
                show -= 1
                decoded = decode(sample.body, sample.declared.header or None)
                print(sample.language, sample.charset, sample.declared, len(sample.body), decoded.charset)
    print(f"{'':30}", *(f"{name:>6}" for name in (*filter(texts.get, LANGUAGES), "all")), f"{'pages':>7}")
    is_met = True
    for row in dict.fromkeys(key[:2] for key in judged):
        found = shares(judged, row)
        count = sum(len(each) for key, each in judged.items() if key[:2] == row)
        print(f"{row[0]:13}{row[1]:17}", *(f"{share:6.3f}" for share in found), f"{count:7}")
        is_met &= found[-1] >= BAR
    print(f"{'yes' if is_met else 'NO':4} at least {BAR:.0%} of the documents of every row are decoded right")
    return is_met


def main() -> int:
    """Answer 1 when the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, help="big-test.txt of eld 1.0.6")
    parser.add_argument("--show", type=int, default=0, help="name so many documents that were read wrong")
    options = parser.parse_args()
    return 0 if check(sentences(options.sentences), options.show) else 1


if __name__ == "__main__":
    sys.exit(main())
