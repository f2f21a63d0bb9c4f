"""Does the API answer whatever its own document allows to ask, and nothing with a fault of ours?"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from control_rig import NOW, URL, Rig, make_crawl, rig
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tiptoe.control.user_role import UserRole

EXAMPLES = int(os.environ.get("TIPTOE_API_EXAMPLES", "12"))
"""For each operation."""

STARTS_PROCESSES = {"post_crawls_crawl_start", "post_crawls", "post_crawls_crawl_filters_explain"}
"""Left out: each call costs a second."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Rig]:
    with rig(tmp_path / "control", roots=(tmp_path,)) as made:
        made.parts.crawls.open(make_crawl(tmp_path / "old"), NOW)
        yield made


def test_no_request_that_the_document_allows_meets_a_fault_of_ours(server: Rig) -> None:
    program = server.program(UserRole.ADMINISTRATOR)
    document = program.get("/api/v1/openapi.json").json()
    operations = list(schemathesis.openapi.from_dict(document).get_all_operations())
    asked = [operation for found in operations if (operation := _valid(found)) is not None]
    assert len(asked) == len(operations) - len(STARTS_PROCESSES) > 20
    for operation in asked:
        answered = document["paths"][operation.path][operation.method.lower()]["responses"]
        _ask_often(program, operation, set(answered))


def _valid(found: Any) -> Any:
    operation = found.ok()  # fails when the document does not describe it right
    return None if operation.definition.raw["operationId"] in STARTS_PROCESSES else operation


def _ask_often(program: TestClient, operation: Any, answered: set[str]) -> None:
    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy(), name=st.sampled_from(["old", ""]))
    def ask(case: Any, name: str) -> None:
        if name and "crawl" in (case.path_parameters or {}):
            case.path_parameters["crawl"] = name  # what is there as often as what is not
        wanted = case.as_transport_kwargs(base_url=URL)
        names = ("method", "url", "params", "json", "data", "headers")
        sent = {key: value for key, value in wanted.items() if key in names and value is not None}
        sent["headers"] = dict(sent.get("headers") or {})
        sent["headers"].pop("Authorization", None)
        answer = program.request(**sent)
        # A path that was changed by its parameters may be another one, or none: 404, 405.
        assert str(answer.status_code) in answered | {"404", "405"}, (sent, answer.text)

    ask()
