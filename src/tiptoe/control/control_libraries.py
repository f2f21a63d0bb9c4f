"""Which additional libraries does the control server need?"""

from contextlib import AbstractContextManager

from tiptoe.observe.extra_libraries import extra_libraries

__all__ = ["control_libraries"]

EXTRA = (
    "argon2",
    "cryptography",
    "jinja2",
    "markupsafe",
    "multipart",
    "python_multipart",
    "starlette",
    "uvicorn",
)


def control_libraries() -> AbstractContextManager[None]:
    """Tell the operator how to install what an import within the context does not find."""
    return extra_libraries("control", EXTRA, who="the control server")
