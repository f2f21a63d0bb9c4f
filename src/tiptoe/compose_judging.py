"""How are the parts put together that judge texts from any source?"""

from tiptoe.decide.storing import StorePoint, store_point
from tiptoe.errors import SettingsError
from tiptoe.fields.field_rule import from_lines
from tiptoe.fields.rule_book import RuleBook
from tiptoe.harvest.extraction import Extraction
from tiptoe.harvest.judgement import DuplicityRules
from tiptoe.settings.layers import Settings

__all__ = [
    "documents_kept", "duplicity_rules", "field_rules", "text_extraction", "text_store_point",
]  # fmt: skip


def text_extraction(settings: Settings) -> Extraction | None:
    """Return the part that separates main text from boilerplate; None if all text is kept."""
    wanted = settings.text.extraction
    if wanted == "all":
        return None
    return Extraction.load(keeps_boilerplate=wanted == "marked", strictness=settings.text.strictness)


def field_rules(settings: Settings) -> RuleBook | None:
    """Return the operator's rules for fields; None if there are none."""
    lines = settings.text.field_rules
    try:
        return RuleBook(from_lines(lines)) if lines else None
    except ValueError as problem:  # the stored lines were not written by this program
        raise SettingsError(f"text.field_rules: {problem}; give --fields again") from None


def documents_kept(settings: Settings) -> tuple[str, ...]:
    """Return which kinds of documents are kept for `tiptoe convert`."""
    return () if settings.documents.convert == "never" else settings.documents.types


def duplicity_rules(settings: Settings) -> DuplicityRules | None:
    """Return the rules for what counts as a copy; None if texts are not compared."""
    if not settings.text.duplicity:
        return None
    own = settings.text
    return DuplicityRules(chars_min=own.duplicity_min_chars, duplicity_max=own.duplicity_max)


def text_store_point(settings: Settings) -> StorePoint:
    """Return the point that decides whether the text of a page or document enters the corpus."""
    own = settings.text
    duplicity = duplicity_rules(settings)
    return store_point(
        respects_tdm=own.respect_tdm,
        chars_min=own.min_chars,
        languages=own.languages if own.detect_language else (),
        is_copy=duplicity.is_copy if duplicity else None,
    )
