"""How many documents are decoded correctly, whatever they declare about their encoding?

    python bench/check_charset.py big-test.txt [--show 10]
    python bench/check_charset.py big-test.txt --others

The sentences come with the sources of eld 1.0.6 (`training/language/README.md` says how to get them). They
are combined into pages of 2 to 60 sentences in each of three encodings; a character that an encoding lacks is
written as a reference, as editors do. "Declared" means by header or page. "Wrongly declared" means by header,
by page, by both, or by a header that contradicts the page, as another of the three encodings or as
ISO-8859-1, the default of old servers. A document is correct when every character is.

With `--others`: undeclared documents in more encodings, compared with the installed detectors (`pip install
faust-cchardet chardet charset-normalizer resiliparse`), with CPU time. Those return the name of an encoding;
they are right if it yields the text by the rules of browsers or of Python.
"""

import argparse
import codecs
import html
import importlib.util
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from tiptoe.parse.charset import decode
from tiptoe.parse.labels import find_codec

sys.path.insert(0, str(Path(__file__).parents[1] / "training" / "language"))

from sentences import sentences

BAR = 0.99
CHARSETS = ("windows-1250", "iso-8859-2", "utf-8")
LANGUAGES = ("cs", "sk", "pl", "hu", "sl", "hr", "de")
SIZES = (2, 4, 8, 15, 30, 60)
PARAGRAPH_SENTENCES = 3
COMPARED = {
    # encoding     languages
    "windows-1252": ("de", "fr", "es", "it", "sv"),
    "windows-1250": ("cs", "sk", "pl", "hu", "sl", "hr", "ro"),
    "iso-8859-2":   ("cs", "sk", "pl", "hu", "sl", "hr", "ro"),
    "windows-1251": ("ru", "uk", "bg", "sr"),
    "koi8-u":       ("ru", "uk"),
    "iso-8859-5":   ("ru", "bg", "sr"),
    "windows-1253": ("el",),
    "windows-1254": ("tr",),
    "windows-1255": ("he",),
    "windows-1256": ("ar",),
    "windows-1257": ("lt", "lv", "et"),
    "cp932":        ("ja",),
    "euc-jp":       ("ja",),
    "gb18030":      ("zh",),
    "euc-kr":       ("ko",),
    "utf-8":        ("cs", "de", "ru", "ja"),
}  # fmt: skip

Detect = Callable[[bytes], str | None]


class Declared(NamedTuple):
    """What is declared about the encoding, correctly or not; empty: nothing."""

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
        """True if it is decoded as it was written."""
        return decode(self.body, self.declared.header or None).text == self.body.decode(self.charset)


def declarations(charset: str) -> Iterator[Declared]:
    """Yield possible declarations for a page in an encoding."""
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
    """Return a page as on small sites: a menu, a heading, paragraphs."""
    said = f'<meta charset="{meta}">' if meta else ""
    cut = range(0, len(texts), PARAGRAPH_SENTENCES)
    paragraphs = "\n".join(f"<p>{' '.join(texts[at : at + PARAGRAPH_SENTENCES])}</p>" for at in cut)
    menu = "".join(f'<li><a href="/{number}.html">{number}</a></li>' for number in range(5))
    title = " ".join(texts[0].split()[:5])
    return (
        f"<html><head>{said}<title>{title}</title></head><body><ul>{menu}</ul>\n{paragraphs}\n</body></html>"
    )


def samples(language: str, texts: Sequence[str]) -> Iterator[Sample]:
    """Yield as many documents as the sentences of a language suffice for, except those in plain ASCII."""
    for taken in takes(texts):
        for charset in CHARSETS:
            for declared in declarations(charset):
                body = page(taken, declared.meta).encode(charset, "xmlcharrefreplace")
                if not body.isascii():
                    yield Sample(language, charset, declared, body)


def takes(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the escaped sentences of each document, while there are enough."""
    begin = 0
    for size in cycle(SIZES):
        taken = [html.escape(text, quote=False) for text in texts[begin : begin + size]]
        begin += size
        if len(taken) < size:
            return
        yield taken


def detectors() -> dict[str, Detect]:
    """Return those of the other detectors that are installed."""
    found: dict[str, Detect] = {}
    if importlib.util.find_spec("cchardet"):
        import cchardet

        found["faust-cchardet"] = lambda body: cchardet.detect(body)["encoding"]
    if importlib.util.find_spec("charset_normalizer"):
        from charset_normalizer import from_bytes

        found["charset-normalizer"] = lambda body: getattr(from_bytes(body).best(), "encoding", None)
    if importlib.util.find_spec("chardet"):
        import chardet

        found["chardet"] = lambda body: chardet.detect(body)["encoding"]
    if importlib.util.find_spec("resiliparse"):
        from resiliparse.parse.encoding import detect_encoding

        found["resiliparse"] = detect_encoding
    return found


def names(name: str | None, body: bytes, text: str) -> bool:
    """Return whether this is the name of a text's encoding, or of one that yields the same text."""
    codec = find_codec(name)
    with suppress(LookupError):
        if name and codecs.decode(body, name, "replace") == text:
            return True
    return body.decode(codec or "windows-1252", "replace") == text


def compare(texts: Mapping[str, Sequence[str]]) -> None:
    """Print the share of documents that each detector is right about, by encoding, and its CPU time."""
    ways: dict[str, Callable[[bytes], str | None]] = {"tiptoe": lambda body: decode(body, None).text}
    ways |= detectors()
    print(f"{'undeclared':14}", *(f"{way:>24}" for way in ways), f"{'pages':>7}")
    for charset, languages in COMPARED.items():
        right, seconds, count = defaultdict[str, int](int), defaultdict[str, float](float), 0
        for language in languages:
            for body in undeclared(charset, texts.get(language, ())):
                count, text = count + 1, body.decode(charset)
                for way, answer in ways.items():
                    begun_at = time.process_time()
                    said = answer(body)
                    seconds[way] += time.process_time() - begun_at
                    right[way] += said == text if way == "tiptoe" else names(said, body, text)
        cells = (f"{right[way] / count:12.3f} {1000 * seconds[way] / count:8.2f} ms" for way in ways)
        print(f"{charset:14}", *cells, f"{count:7}")


def undeclared(charset: str, texts: Sequence[str]) -> Iterator[bytes]:
    """Yield pages of one language that do not declare their encoding."""
    for taken in takes(texts):
        body = page(taken, "").encode(charset, "xmlcharrefreplace")
        if not body.isascii():
            yield body


def shares(judged: Mapping[tuple[str, str, str], list[bool]], row: tuple[str, str]) -> list[float]:
    """Return the shares of correct documents in a row of the table: by language, then overall."""
    by_language = [judged[(*row, language)] for language in LANGUAGES if judged[(*row, language)]]
    together = [is_right for each in by_language for is_right in each]
    return [sum(each) / len(each) for each in (*by_language, together)]


def check(texts: Mapping[str, Sequence[str]], show: int = 0) -> bool:
    """Print the table, and some documents decoded wrongly; return whether the bar is met."""
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
    """Check; return 1 when the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, help="big-test.txt of eld 1.0.6")
    parser.add_argument("--show", type=int, default=0, help="name so many documents that were read wrong")
    parser.add_argument("--others", action="store_true", help="compare with detectors that are installed")
    options = parser.parse_args()
    if options.others:
        compare(sentences(options.sentences))
        return 0
    return 0 if check(sentences(options.sentences), options.show) else 1


if __name__ == "__main__":
    sys.exit(main())
