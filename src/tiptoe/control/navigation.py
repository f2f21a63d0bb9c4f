"""What is in the navigation bar at the top of every page?

A new group of pages needs a line here.
"""

from dataclasses import dataclass
from typing import Final

from tiptoe.control.user_role import UserRole

__all__ = ["NAVIGATION", "NavigationItem"]


@dataclass(frozen=True, slots=True)
class NavigationItem:
    """One entry; pages that belong to it have its name as `here`."""

    name: str
    label: str
    url: str
    role: UserRole = UserRole.READER


NAVIGATION: Final = (
    NavigationItem("crawls", "Crawls", "/"),
    NavigationItem("robots", "Robots", "/robots"),
    NavigationItem("users", "Users", "/users", UserRole.ADMINISTRATOR),
)
