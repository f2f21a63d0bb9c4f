"""Where are the URLs in a page or a style sheet, and how are they replaced?

One walk over the tokens of the markup, in linear time, passes each URL with its role to a function. What the
function returns replaces the URL; everything else is left unchanged. So the same walk finds what is needed to
display a page, and makes a copy whose links lead to local files.
"""

import enum
import html
import re
from collections.abc import Callable
from typing import Final

from tiptoe.parse.nesting import attribute_pattern
from tiptoe.parse.tokens import RAW, TOKEN, raw_end

__all__ = ["AddressRole", "See", "addresses_in", "replace_in_page", "replace_in_style"]

CHARS_MAX: Final = 16_000_000
"""Maximum length of a page or a style sheet; the rest is left unchanged."""

ADDRESSES_MAX: Final = 20_000
CANDIDATES_MAX: Final = 100


class AddressRole(enum.Enum):
    """What a URL is used for."""

    LINK = "link"  # to be followed by people
    FRAME = "frame"
    IMAGE = "image"
    STYLE = "style"
    SCRIPT = "script"
    FONT = "font"
    MEDIA = "media"
    FORM = "form"
    OTHER = "other"


See = Callable[[AddressRole, str], str | None]
"""Takes the role of a URL and the URL as written; returns its replacement, or None to leave it."""

PLACES: Final = {
    AddressRole.LINK: "a href, area href",
    AddressRole.FRAME: "iframe src, frame src",
    AddressRole.IMAGE: "img src, input src, video poster, image href, image xlink:href, use href, "
    "body background, table background, td background",
    AddressRole.SCRIPT: "script src",
    AddressRole.MEDIA: "audio src, video src, source src, track src, embed src, object data",
    AddressRole.FORM: "form action",
}
"""Which attributes of which elements contain URLs."""

ROLES: Final = {tuple(place.split()): role for role, places in PLACES.items() for place in places.split(", ")}
SETS: Final = {("img", "srcset"), ("source", "srcset"), ("link", "imagesrcset")}
PRELOADED: Final = {
    "image": AddressRole.IMAGE,
    "font": AddressRole.FONT,
    "style": AddressRole.STYLE,
    "script": AddressRole.SCRIPT,
}
BARRIERS: Final = frozenset({"integrity", "crossorigin"})
"""Attributes that keep a browser from loading a copy."""

FONT_NAMES: Final = (".woff", ".woff2", ".ttf", ".otf", ".eot")

_ATTRIBUTE = re.compile(attribute_pattern(captured=True))
_IN_STYLE = re.compile(
    r"@import\s++(?:url\(\s*+)?+(?:\"([^\"\n]*+)\"|'([^'\n]*+)'|([^)\"'\s;]++))"
    r"|url\(\s*+(?:\"([^\"\n]*+)\"|'([^'\n]*+)'|([^)\"'\s]++))",
    re.IGNORECASE,
)
_CANDIDATE = re.compile(r"([\s,]*+)([^\s,][^\s]*+)(\s++[^,]*+)?+")
_REFRESH = re.compile(r"(\s*+[\d.]++\s*+[;,]\s*+(?:url\s*+=\s*+)?+['\"]?+)([^'\"\s]++)", re.IGNORECASE)


def replace_in_page(markup: str, see: See, *, drops_barriers: bool = False) -> str:
    """Return a page with its URLs replaced; `drops_barriers` also removes its base and its policy."""
    walk = _Walk(see, drops_barriers)
    pieces: list[str] = []
    at = 0
    while walk.left > 0 and (found := TOKEN.search(markup, at, CHARS_MAX)) is not None:
        slash, name, attributes, bracket = found.groups()
        if not name or slash or not bracket:
            pieces.append(markup[at : found.end()])
            at = found.end()
            continue
        name = name.lower()
        pieces.append(markup[at : found.start()])
        pieces.append(walk.tag(name, attributes, found[0]))
        at = found.end()
        if name in RAW:
            end = raw_end(markup, name, at)
            content = markup[at:end]
            pieces.append(walk.style(content) if name == "style" else content)
            at = end
    return "".join([*pieces, markup[at:]])


def replace_in_style(style: str, see: See, *, addresses_max: int = ADDRESSES_MAX) -> str:
    """Return a style sheet with its URLs replaced, as far as they are not too many."""
    if addresses_max <= 0:
        return style

    def other(found: re.Match[str]) -> str:
        place = found.lastindex or 0
        is_import = place <= 3
        value = found[place]
        role = AddressRole.STYLE if is_import else AddressRole.FONT if _is_font(value) else AddressRole.IMAGE
        new = see(role, value)
        if new is None:
            return found[0]
        start, end = found.span(place)
        quoted = re.sub(r"[\"'()<>\\\s]", lambda odd: f"%{ord(odd[0]):02X}", new)
        return found[0][: start - found.start()] + quoted + found[0][end - found.start() :]

    return _IN_STYLE.sub(other, style, count=addresses_max)


def addresses_in(text: str, *, is_style: bool = False) -> list[tuple[AddressRole, str]]:
    """Return the URLs in a page or a style sheet, as written, each with its role."""
    found: list[tuple[AddressRole, str]] = []

    def see(role: AddressRole, value: str) -> None:
        found.append((role, value))

    (replace_in_style if is_style else replace_in_page)(text, see)
    return found


class _Walk:
    """Replaces the URLs in the tags of one page."""

    def __init__(self, see: See, drops_barriers: bool) -> None:
        self._show = see
        self._drops = drops_barriers
        self.left = ADDRESSES_MAX

    def _see(self, role: AddressRole, value: str) -> str | None:
        self.left -= 1
        return self._show(role, value)

    def style(self, style: str) -> str:
        """Return a style sheet, or the value of a `style` attribute, with its URLs replaced."""
        return replace_in_style(style, self._see, addresses_max=self.left)

    def tag(self, name: str, attributes: str, whole: str) -> str:
        """Return a tag with its URLs replaced."""
        if self._drops and (name == "base" or (name == "meta" and _is_policy(attributes))):
            return ""
        if not attributes:
            return whole
        start = 1 + len(name)
        pieces: list[str] = []
        at = 0
        rel = _value_of("rel", attributes) if name == "link" else ""
        while found := _ATTRIBUTE.match(attributes, at):
            pieces.append(self._attribute(name, rel, attributes, found))
            at = found.end()
        return whole[:start] + "".join([*pieces, attributes[at:]]) + whole[start + len(attributes) :]

    def _attribute(self, tag: str, rel: str, attributes: str, found: re.Match[str]) -> str:
        name = found[1].lower()
        if self._drops and name in BARRIERS and tag in ("link", "script", "img"):
            return ""
        place = next((group for group in (2, 3, 4) if found[group] is not None), 0)
        if not place or self.left <= 0:
            return found[0]
        new = self._value(tag, name, rel, attributes, html.unescape(found[place]))
        if new is None:
            return found[0]
        first = found.start(place) - found.start() - (place != 4)
        return f'{found[0][:first]}"{html.escape(new)}"'

    def _value(self, tag: str, name: str, rel: str, attributes: str, value: str) -> str | None:
        """Return the new value of an attribute; None to leave it unchanged."""
        if name == "style":
            new = self.style(value)
            return new if new != value else None
        if (tag, name) in SETS:
            return self._set(value)
        if tag == "link" and name == "href":
            return self._see(_link_role(rel, attributes), value.strip())
        if tag == "meta" and name == "content" and _value_of("http-equiv", attributes) == "refresh":
            return self._refresh(value)
        role = ROLES.get((tag, name))
        return self._see(role, value.strip()) if role is not None and value.strip() else None

    def _refresh(self, value: str) -> str | None:
        found = _REFRESH.match(value)
        new = self._see(AddressRole.LINK, found[2]) if found else None
        return None if found is None or new is None else f"{found[1]}{new}{value[found.end() :]}"

    def _set(self, value: str) -> str | None:
        """Return a `srcset` with its URLs replaced; None to leave it unchanged."""
        pieces = []
        is_other = False
        at = 0
        for _ in range(CANDIDATES_MAX):
            found = _CANDIDATE.match(value, at)
            if found is None:
                break
            at = found.end()
            url = found[2].rstrip(",")
            new = self._see(AddressRole.IMAGE, url)
            is_other |= new is not None
            pieces.append((new or url).replace(",", "%2C").replace(" ", "%20") + (found[3] or "").rstrip())
        return ", ".join(pieces) if is_other else None


def _value_of(name: str, attributes: str) -> str:
    """Return the value of the first attribute of this name, in lower case; empty if there is none."""
    at = 0
    while found := _ATTRIBUTE.match(attributes, at):
        if found[1].lower() == name:
            value = next((found[group] for group in (2, 3, 4) if found[group] is not None), "")
            return html.unescape(value).strip().lower()
        at = found.end()
    return ""


def _link_role(rel: str, attributes: str) -> AddressRole:
    words = rel.split()
    if "stylesheet" in words:
        return AddressRole.STYLE
    if "icon" in words or "apple-touch-icon" in words:
        return AddressRole.IMAGE
    if "preload" in words or "modulepreload" in words:
        return PRELOADED.get(_value_of("as", attributes) or "script", AddressRole.OTHER)
    return AddressRole.OTHER


def _is_policy(attributes: str) -> bool:
    return _value_of("http-equiv", attributes).startswith("content-security-policy")


def _is_font(url: str) -> bool:
    return url.partition("?")[0].partition("#")[0].lower().endswith(FONT_NAMES)
