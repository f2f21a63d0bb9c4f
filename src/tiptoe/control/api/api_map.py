"""Which operations does the API have?

A new group needs a module beside this one with `OPERATIONS`, and a line here. The OpenAPI document follows
from them.
"""

from typing import Final

from tiptoe.control.api import (
    crawl_operations,
    filter_operations,
    host_operations,
    report_operations,
    robot_operations,
    search_operations,
    setting_operations,
    task_operations,
    user_operations,
)
from tiptoe.control.api_operation import ApiOperation

__all__ = ["OPERATIONS"]

OPERATIONS: Final[tuple[ApiOperation, ...]] = (
    *crawl_operations.OPERATIONS,
    *robot_operations.OPERATIONS,
    *setting_operations.OPERATIONS,
    *task_operations.OPERATIONS,
    *host_operations.OPERATIONS,
    *report_operations.OPERATIONS,
    *search_operations.OPERATIONS,
    *filter_operations.OPERATIONS,
    *user_operations.OPERATIONS,
)
