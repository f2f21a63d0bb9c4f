"""The API's operations on long tasks for crawls."""

from typing import Final

from tiptoe.control.api_operation import ApiCall, ApiOperation
from tiptoe.control.crawl_tasks import TASKS, TaskState
from tiptoe.control.user_role import UserRole

__all__ = ["OPERATIONS"]


def list_tasks(call: ApiCall) -> list[TaskState]:
    crawl = call.parts.crawls.get(call.path["crawl"])
    return [call.parts.tasks.state(crawl, kind) for kind in TASKS]


def start_task(call: ApiCall) -> TaskState:
    crawl, kind = call.parts.crawls.get(call.path["crawl"]), call.path["kind"]
    call.parts.tasks.start(crawl, kind)
    call.note("task.start", f"crawl/{crawl.name}", kind)
    return call.parts.tasks.state(crawl, kind)


def cancel_task(call: ApiCall) -> TaskState:
    crawl, kind = call.parts.crawls.get(call.path["crawl"]), call.path["kind"]
    call.parts.tasks.cancel(crawl, kind)
    call.note("task.cancel", f"crawl/{crawl.name}", kind)
    return call.parts.tasks.state(crawl, kind)


# fmt: off
OPERATIONS: Final = (
    ApiOperation("GET", "/crawls/{crawl}/tasks", list_tasks, reply=list[TaskState], tag="tasks",
                 summary="Show how far long work for a crawl is: its catalog, its rehearsal"),
    ApiOperation("POST", "/crawls/{crawl}/tasks/{kind}", start_task, role=UserRole.OPERATOR, reply=TaskState,
                 tag="tasks", summary="Begin such work", status=202),
    ApiOperation("DELETE", "/crawls/{crawl}/tasks/{kind}", cancel_task, role=UserRole.OPERATOR,
                 reply=TaskState, tag="tasks", summary="Cancel such work"),
)
