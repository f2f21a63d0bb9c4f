"""How does the crawler introduce itself?

Every request names the robot, its version and a contact, so that a webmaster
who wonders can ask. Without a usable contact there is no crawl.
"""

import re
from typing import Final

from tiptoe.errors import SettingsError

__all__ = ["user_agent"]

CONTACT_CHARACTERS_MAX: Final = 200
TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
# Brackets would end the comment in which the contact stands.
WEB_PAGE: Final = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d+)?(?:/[!-'*-\[\]-~]*)?")
MAIL: Final = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")


def user_agent(name: str, version: str, contact: str) -> str:
    """Return the User-Agent, such as `tiptoe/0.1 (+https://a.example/bot)`."""
    for what, token in (("name", name), ("version", version)):
        if not TOKEN.fullmatch(token):
            raise SettingsError(
                f"robot {what} {token!r}: one word of ASCII letters, digits and -._ is needed"
            )
    return f"{name}/{version} (+{_contact_address(contact.strip())})"


def _contact_address(contact: str) -> str:
    if not contact:
        raise SettingsError(
            "no contact: webmasters must be able to reach you; "
            "give a web page (https://...) about this crawl or a mail address"
        )
    if len(contact) <= CONTACT_CHARACTERS_MAX:
        if WEB_PAGE.fullmatch(contact):
            return contact
        mail = contact.removeprefix("mailto:")
        if MAIL.fullmatch(mail):
            return f"mailto:{mail}"
    raise SettingsError(
        f"contact {contact[:CONTACT_CHARACTERS_MAX]!r}: neither a web page (https://...) nor a mail address"
    )
