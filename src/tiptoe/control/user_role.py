"""What may somebody do here?"""

import enum

__all__ = ["UserRole"]


class UserRole(enum.IntEnum):
    """Each may do what those before it may."""

    READER = 1  # look at everything but users
    OPERATOR = 2  # start, stop and change crawls
    ADMINISTRATOR = 3  # users, and what reaches beyond a crawl: files and networks of this machine

    @property
    def word(self) -> str:
        """The name by which people, forms and the API know it."""
        return self.name.lower()

    @classmethod
    def named(cls, word: str) -> "UserRole":
        """Return the role of this name; ValueError when there is none."""
        try:
            return cls[word.upper()]
        except KeyError:
            raise ValueError(f"one of {', '.join(role.word for role in cls)}") from None
