"""Which pages are there?

A new group of pages needs a module beside this one with `ROUTES`, a line here, and one in `navigation.py`.
"""

from typing import Final

from tiptoe.control.page_route import PageRoute
from tiptoe.control.pages import (
    crawl_pages,
    filter_pages,
    host_pages,
    login_pages,
    overview_page,
    report_pages,
    robot_pages,
    schedule_pages,
    search_pages,
    settings_pages,
    task_pages,
    user_pages,
)

__all__ = ["PAGES"]

PAGES: Final[tuple[PageRoute, ...]] = (
    *login_pages.ROUTES,
    *overview_page.ROUTES,
    *crawl_pages.ROUTES,
    *settings_pages.ROUTES,
    *host_pages.ROUTES,
    *search_pages.ROUTES,
    *report_pages.ROUTES,
    *filter_pages.ROUTES,
    *schedule_pages.ROUTES,
    *robot_pages.ROUTES,
    *task_pages.ROUTES,
    *user_pages.ROUTES,
)
