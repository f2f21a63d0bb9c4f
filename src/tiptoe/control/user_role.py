"""What may a user do?"""

import enum

__all__ = ["UserRole"]


class UserRole(enum.IntEnum):
    """A user's role; each includes the rights of those before it."""

    READER = 1  # see everything except users
    OPERATOR = 2  # start, stop and change crawls
    ADMINISTRATOR = 3  # change users, and what affects this machine: files and networks

    @property
    def word(self) -> str:
        """The name that is used on pages, in forms and in the API."""
        return self.name.lower()

    @classmethod
    def named(cls, word: str) -> "UserRole":
        """Return the role of this name; raise ValueError when there is none."""
        try:
            return cls[word.upper()]
        except KeyError:
            raise ValueError(f"one of {', '.join(role.word for role in cls)}") from None
