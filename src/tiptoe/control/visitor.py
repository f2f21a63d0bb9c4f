"""Who makes a request?"""

import msgspec

from tiptoe.control.user_role import UserRole

__all__ = ["SESSION_COOKIE", "Visitor"]

SESSION_COOKIE = "tiptoe_session"


class Visitor(msgspec.Struct, frozen=True, kw_only=True):
    """A user with access, through a browser or a program."""

    user: str
    role: UserRole
    address: str = ""
    session: str = ""  # id of the browser's session; empty for a program
    csrf: str = ""  # the token that its forms must contain
    token: str = ""  # id of the program's token

    def may(self, role: UserRole) -> bool:
        """Return whether the visitor has at least this role."""
        return self.role >= role
