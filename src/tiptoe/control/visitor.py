"""Who is asking?"""

import msgspec

from tiptoe.control.user_role import UserRole

__all__ = ["SESSION_COOKIE", "Visitor"]

SESSION_COOKIE = "tiptoe_session"


class Visitor(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who was let in, by a browser or by a program."""

    user: str
    role: UserRole
    address: str = ""
    session: str = ""  # id of the browser's session; empty for a program
    csrf: str = ""  # what its forms have to bring along
    token: str = ""  # id of the program's token

    def may(self, role: UserRole) -> bool:
        """Whether what this role may do is allowed."""
        return self.role >= role
