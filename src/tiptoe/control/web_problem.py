"""How is it reported that something cannot be done?

One value serves both interfaces: programs get it as problem details (RFC 9457), people as a page.
"""

from collections.abc import Mapping
from http import HTTPStatus

import msgspec

from tiptoe.errors import CrawlerError, CrawlInUse

__all__ = ["ProblemDetails", "WebProblem", "problem_of"]


class ProblemDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is wrong, where, and what to try (RFC 9457)."""

    title: str
    status: int
    detail: str = ""
    type: str = "about:blank"
    errors: dict[str, str] = {}  # by field of the request


class WebProblem(Exception):
    """Something cannot be done; `detail` says why and what to try, `errors` has the errors by field."""

    def __init__(
        self, status: int, detail: str = "", *, errors: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.errors = dict(errors or {})
        self.headers = dict(headers or {})

    @property
    def title(self) -> str:
        return HTTPStatus(self.status).phrase

    @property
    def details(self) -> ProblemDetails:
        return ProblemDetails(title=self.title, status=self.status, detail=self.detail, errors=self.errors)


def problem_of(error: CrawlerError) -> WebProblem:
    """Return the error of a crawl as a problem with the request about it."""
    return WebProblem(409 if isinstance(error, CrawlInUse) else 422, str(error))
