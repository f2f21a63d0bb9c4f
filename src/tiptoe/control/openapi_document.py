"""Which operations can programs call? The OpenAPI document, generated from their declarations."""

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from tiptoe.control.api_operation import API_ROOT, ApiOperation, NoBody
from tiptoe.control.web_problem import ProblemDetails

__all__ = ["openapi_document"]

REF: Final = "#/components/schemas/{name}"
PROBLEMS: Final = {
    "400": "The body is not JSON",
    "401": "No token, or one that is good no longer",
    "403": "The role does not allow it",
    "404": "There is no such thing",
    "409": "It cannot be done now",
    "413": "Too much",
    "415": "The body is not declared as JSON",
    "421": "The server is not called so",
    "422": "Something of the request is wrong",
    "429": "Too often",
    "503": "Too many ask, or it takes too long",
}


def openapi_document(operations: Sequence[ApiOperation], *, version: str, url: str) -> dict[str, Any]:
    """Return the document as plain values."""
    types = [kind for one in operations for kind in (one.query, one.body, one.reply) if kind is not NoBody]
    schemas, components = msgspec.json.schema_components([*types, ProblemDetails], ref_template=REF)
    known = dict(zip(map(repr, types), schemas, strict=False))
    paths: dict[str, dict[str, Any]] = {}
    for one in operations:
        described = _described(one, known, components, schemas[-1])
        paths.setdefault(API_ROOT + one.path, {})[one.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": "tiptoe control", "version": version, "license": {"name": "Apache-2.0"}},
        "servers": [{"url": url}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _described(
    one: ApiOperation, known: dict[str, Any], components: dict[str, Any], problem: dict[str, Any]
) -> dict[str, Any]:
    responses: dict[str, Any] = {
        str(one.status): {
            "description": "Done",
            "content": {"application/json": {"schema": known[repr(one.reply)]}},
        }
    }
    responses |= {
        code: {"description": line, "content": {"application/problem+json": {"schema": problem}}}
        for code, line in PROBLEMS.items()
    }
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"\{(\w+)", one.path)
    ]
    if one.query is not NoBody:
        schema = components[known[repr(one.query)]["$ref"].rpartition("/")[2]]
        parameters += [
            {"name": name, "in": "query", "required": name in schema.get("required", []), "schema": kind}
            for name, kind in schema["properties"].items()
        ]
    described: dict[str, Any] = {
        "operationId": one.id,
        "tags": [one.tag],
        "summary": one.summary,
        "description": f"Takes the role {one.role.word}.",
        "parameters": parameters,
        "responses": responses,
    }
    if one.body is not NoBody:
        described["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": known[repr(one.body)]}},
        }
    return described
