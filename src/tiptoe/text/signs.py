"""What do the tag, class and id of an element say about the text in it?

Authors give the parts of their pages English names whatever language they write in,
so these words work everywhere. A sign is a bit; what it means for the text is
learned (see the `training` folder), not decided here.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

__all__ = ["SIGNS", "TAGS", "TAG_SIGNS", "WORD_SIGNS", "read_signs"]

TAGS: Final = (
    "body", "div", "p", "li", "ul", "ol", "td", "th", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6",
    "section", "article", "main", "aside", "nav", "header", "footer", "form", "button", "dl", "dt", "dd",
    "pre", "blockquote", "figure", "figcaption", "details", "summary", "fieldset", "address",
)  # fmt: skip
"""Elements with a number of their own, their place in this list; all others share the next number."""

_WORDS: Final[Mapping[str, str]] = {
    # sign        words of class, id and role
    "main":       "main",
    "article":    "article story blog",
    "content":    "content contenido inhalt obsah body text copy prose markdown wysiwyg richtext rte cms",
    "post":       "post entry",
    "message":    "message msg thread topic reply replies answer question forum discussion",
    "comment":    "comment disqus feedback",
    "author":     "author byline user avatar member profile signature poster contributor nick username",
    "date":       "date time meta published timestamp",
    "nav":        "nav navbar navigation topnav subnav",
    "menu":       "menu megamenu submenu dropdown flyout drawer offcanvas hamburger burger",
    "header":     "header masthead topbar toolbar head heading utility",
    "footer":     "footer foot bottom colophon copyright legal disclaimer terms privacy imprint",
    "sidebar":    "sidebar aside side rail widget secondary complementary",
    "breadcrumb": "breadcrumb crumb trail",
    "related":    "related recommend similar more also recent popular trending suggest upsell crosssell "
                  "cross carousel slider swiper slick slide",
    "share":      "share sharing social follow facebook twitter addthis",
    "advert":     "ad advert advertisement sponsor promo promotion banner adsbygoogle offer "
                  "announcement marquee",
    "cookie":     "cookie consent gdpr onetrust ccpa cmp",
    "overlay":    "modal popup overlay dialog lightbox tooltip toast alert notice notification popover",
    "login":      "login signin signup register account auth password",
    "newsletter": "newsletter subscribe subscription email mailing klaviyo optin",
    "search":     "search filter facet sort refine refinement toggle",
    "form":       "form input field select label checkbox radio captcha",
    "button":     "button btn cta control action",
    "cart":       "cart basket bag checkout wishlist buy buybox purchase quantity qty minicart",
    "price":      "price pricing cost money sale discount currency amount",
    "product":    "product pdp item goods sku",
    "listing":    "list listing grid collection catalog catalogue result plp tile card feed archive category",
    "detail":     "detail description desc spec specification feature attribute ingredient info information "
                  "about summary overview intro excerpt",
    "review":     "review rating star testimonial quote bazaarvoice yotpo",
    "panel":      "faq accordion tab panel collapse collapsible expand",
    "hero":       "hero jumbotron lead title headline subtitle tagline",
    "tag":        "tag keyword label badge chip pill topics",
    "paging":     "pagination pager paging paginate prev previous next page",
    "hidden":     "hidden hide sr visually screen offscreen invisible noscript skip print collapsed none",
    "contents":   "toc contents outline jump anchor index",
    "code":       "code highlight snippet example syntax codeblock console pre copybtn",
    "media":      "image img photo picture gallery video media player thumb thumbnail caption figure icon "
                  "logo brand swatch",
    "place":      "lang language locale country region currency store shipping delivery",
    "vote":       "vote score like karma views stat count counter",
    "section":    "section row container wrapper wrap layout column col block module component shopify "
                  "elementor vc wp",
    "step":       "step recipe instruction method guide tutorial chapter lesson",
    "table":      "table cell td tr tbody matrix compare comparison",
    "people":     "team staff person people bio contact location address phone map hours",
}  # fmt: skip

_SIGN_TAGS: Final = (
    "nav", "header", "footer", "aside", "main", "article", "form", "button", "table", "ul", "ol", "dl",
    "details", "figure", "blockquote", "pre", "address", "section", "p", "li",
)  # fmt: skip

SIGNS: Final = (*_WORDS, *(f"<{tag}>" for tag in _SIGN_TAGS))
"""All signs; the place in this list is the number of the bit."""


def _word_signs() -> dict[str, int]:
    bits: dict[str, int] = {}
    for place, words in enumerate(_WORDS.values()):
        for word in words.split():
            bits[word] = bits.get(word, 0) | 1 << place
    plurals = {f"{word}s": signs for word, signs in bits.items()}
    return plurals | bits


WORD_SIGNS: Final = _word_signs()
"""The signs of each word, as bits."""

TAG_SIGNS: Final = {tag: 1 << SIGNS.index(f"<{tag}>") for tag in _SIGN_TAGS}
_FORMS: Final = (str, str.capitalize, str.upper)

# All forms of each word: lookups in a larger table are faster than reducing words to base forms.
_BITS: Final = {form(word): signs for word, signs in WORD_SIGNS.items() for form in _FORMS}
_WORD: Final = re.compile(r"[a-z]++|[A-Z](?:[a-z]++|[A-Z]*+)")


@lru_cache(maxsize=16_384)  # the pages of a site name their elements alike
def read_signs(tag: str, words: str) -> int:
    """Return the signs of an element as bits; `postBody`, `post-body` and `post_bodys` say the same."""
    signs = TAG_SIGNS.get(tag, 0)
    # The tag of an element that is not in the standard is a name like a class: <product-card>.
    if "-" in tag:
        words = f"{tag} {words}"
    for word in _WORD.findall(words):
        if word in _BITS:
            signs |= _BITS[word]
    return signs
