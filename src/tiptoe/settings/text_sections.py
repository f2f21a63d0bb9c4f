"""Which settings say what becomes of texts and documents?"""

from dataclasses import dataclass
from typing import Final

from tiptoe.settings import form
from tiptoe.settings.setting import choice, count, duration, flag, lines, share, size, text, words

# One argument a line would stretch these tables over twice their length.
# fmt: off

__all__ = ["DOCUMENT_TYPES", "DocumentsSettings", "SegmenterSettings", "TextSettings"]

DOCUMENT_TYPES: Final = ("pdf", "doc", "docx", "odt", "rtf", "epub", "txt")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsSettings:
    """What becomes of pdf, doc, docx, odt, rtf, epub and text files."""

    convert: str = choice(
        "later", "later", "background", "never",
        help="When they are converted to text: later by `tiptoe convert`, in the background during the "
        "crawl, or never. Unless never, they are archived for that even if write.warc is false.",
    )
    types: tuple[str, ...] = words(
        DOCUMENT_TYPES, each=form.be_one_of(*DOCUMENT_TYPES), option="--documents",
        help="Which types are kept and converted, such as pdf,epub; others are treated as if convert were "
        "never.",
    )
    timeout: float = duration(
        "60s", at_least="100ms", at_most="1h", option="--document-timeout",
        help="Longest time for converting one document.",
    )
    memory: int = size(
        "1GiB", at_least="64MiB", at_most="1TiB", option="--document-memory",
        help="Most memory that converting one document may take.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSettings:
    """Which texts enter the corpus."""

    respect_tdm: bool = flag(
        True,
        help="Leave out pages that are reserved against text and data mining (TDMRep); set to false only if "
        "the law allows you to.",
    )
    extraction: str = choice(
        "marked", "all", "main", "marked", option="--extraction",
        help="What is taken from a page. marked: all its text, with each paragraph labelled as main text or "
        "boilerplate (menus, footers and the like). main: only its main text. all: all its text, without "
        "labels.",
    )
    strictness: float = share(
        0.5, option="--strictness",
        help="How certain main text has to be: towards 1 fewer menus and teasers get in, towards 0 less of "
        "the text is missed.",
    )
    min_chars: int = count(
        0, unit="characters", at_most=1_000_000, option="--min-chars",
        help="Shorter texts are left out. A Chinese character counts as 2.5.",
    )
    detect_language: bool = flag(
        True, help="Recognise the language of each text and of its paragraphs.",
    )
    languages: tuple[str, ...] = words(
        each=form.be_language, option="--languages",
        help="Languages to keep, such as cs and sk; texts in others are left out and count as "
        "not usable: of two such pages in a row, the links on the second are not followed (see "
        "scope.follow_useless). Empty: all.",
    )
    duplicity: bool = flag(
        True, option="--duplicity",
        help="Compare every text with all others, paragraph by paragraph, and leave copies out. A text's "
        "duplicity is the share of it that is already in the corpus.",
    )
    duplicity_min_chars: int = count(
        50, unit="characters", at_least=1, at_most=10_000,
        help="Shorter paragraphs are not compared: menus and captions are alike everywhere. "
        "A Chinese character counts as 2.5.",
    )
    duplicity_max: float = share(
        0.9,
        help="A text is left out if this share of it, or more, is already in the corpus, by characters of "
        "its long paragraphs. Paragraphs that are on many pages of its site do not count.",
    )
    fields: str = text(
        "", option="--fields", is_remembered=False,
        help="TOML file with rules for fields of documents, by CSS, XPath, JSON-LD or META tags: read when "
        "the crawl starts, then remembered with it.",
    )
    field_rules: tuple[str, ...] = lines(
        help="What was read there, as the crawl remembers it; not for hand editing.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmenterSettings:
    """Which service rates how usable a text is."""

    url: str = text(
        "", each=form.be_service, option="--segmenter",
        help="Address of a segmenter of your own, a service that tells running text from lists and debris, "
        "such as http://127.0.0.1:8750; empty: the built-in one.",
    )
    timeout: float = duration(
        "5s", at_least="10ms", at_most="5m",
        help="Longest wait for its answer; after that the usability of a text is unknown, and the crawl "
        "continues.",
    )
    batch: int = count(
        50, unit="documents", at_least=1, at_most=1000,
        help="Most documents that are sent to it at once.",
    )
    off: bool = flag(False, help="Do not rate texts: the usability of every text stays unknown.")
