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
        help="When they become text: by `tiptoe convert`, beside the crawl, or never. Unless never, they "
        "are archived for that, also where write.warc is false.",
    )
    types: tuple[str, ...] = words(
        DOCUMENT_TYPES, each=form.be_one_of(*DOCUMENT_TYPES), option="--documents",
        help="Which of them are kept and converted, such as pdf,epub; others as if convert were never.",
    )
    timeout: float = duration(
        "60s", at_least="100ms", at_most="1h", option="--document-timeout",
        help="Longest time for reading one of them.",
    )
    memory: int = size(
        "1GiB", at_least="64MiB", at_most="1TiB", option="--document-memory",
        help="Most memory that reading one of them may take.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSettings:
    """Which texts enter the corpus."""

    respect_tdm: bool = flag(
        True,
        help="Leave out what is reserved against text and data mining (TDMRep); false needs a legal ground.",
    )
    extraction: str = choice(
        "marked", "all", "main", "marked", option="--extraction",
        help="What of a page is taken: all its text, with each paragraph marked as main text or boilerplate "
        "(menus, footers and the like); only its main text; or all, without a look.",
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
        help="Languages wanted, such as cs and sk; texts in others are left out, and count as "
        "not usable: of two such pages in a row, the links on the second are not followed (see "
        "scope.follow_useless). Empty: all.",
    )
    duplicity: bool = flag(
        True, option="--duplicity",
        help="Compare every text with all others, paragraph by paragraph, and leave copies out.",
    )
    duplicity_min_chars: int = count(
        50, unit="characters", at_least=1, at_most=10_000,
        help="Shorter paragraphs are not compared: menus and captions are alike everywhere. "
        "A Chinese character counts as 2.5.",
    )
    duplicity_max: float = share(
        0.9,
        help="Share of a text, of its long paragraphs and by characters, that may stand elsewhere already; "
        "a text with this share or more is left out. What stands on many pages of its site does not count.",
    )
    fields: str = text(
        "", option="--fields", is_remembered=False,
        help="TOML file with rules for fields of documents, by CSS, XPath, JSON-LD or META tags: read when "
        "the crawl starts, then remembered with it.",
    )
    field_rules: tuple[str, ...] = lines(
        help="What was read there, as the crawl remembers it and tells harvesters; not for hand editing.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmenterSettings:
    """Who says how usable a text is."""

    url: str = text(
        "", each=form.be_service, option="--segmenter",
        help="Address of a segmenter, such as http://127.0.0.1:8750; empty: the one that is built in.",
    )
    timeout: float = duration(
        "5s", at_least="10ms", at_most="5m",
        help="Longest wait for its answer; then the usability of a text is unknown, and the crawl goes on.",
    )
    batch: int = count(
        50, unit="documents", at_least=1, at_most=1000,
        help="Documents that are sent to it at once, at most.",
    )
    off: bool = flag(False, help="Rate nothing: the usability of every text stays unknown.")
