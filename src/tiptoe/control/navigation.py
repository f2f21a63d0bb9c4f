"""What stands in the bar at the top of every page?

A new group of pages gets a line here.
"""

from dataclasses import dataclass
from typing import Final

from tiptoe.control.user_role import UserRole

__all__ = ["NAVIGATION", "NavigationItem"]


@dataclass(frozen=True, slots=True)
class NavigationItem:
    """One entry; `here` of a page that belongs to it is its name."""

    name: str
    label: str
    url: str
    role: UserRole = UserRole.READER


NAVIGATION: Final = (
    NavigationItem("crawls", "Crawls", "/"),
    NavigationItem("robots", "Robots", "/robots"),
    NavigationItem("users", "Users", "/users", UserRole.ADMINISTRATOR),
)
