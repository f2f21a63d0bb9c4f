"""What the built-in segmenter answers."""

import json

import pytest
from segment_samples import ARTICLE_CS, MENU

from tiptoe import __version__
from tiptoe.segment.scorer import Parts, Scorer
from tiptoe.segment.segmenter_protocol import SubmittedText, TextBatch, encode
from tiptoe.segment.segmenter_service import Service

SERVICE = Service(Scorer())


def test_documents_are_rated_with_the_parts_of_their_score() -> None:
    batch = TextBatch([SubmittedText("a", "", "", ARTICLE_CS), SubmittedText("b", "", "", MENU)])
    reply = SERVICE.respond("POST", "/v1/segment", encode(batch))
    first, second = json.loads(reply.body)["documents"]
    assert (reply.status, first["id"], second["id"], second.get("usability")) == (200, "a", "b", None)
    assert first["usability"] > 0.85
    assert first["annotations"].keys() == set(Parts.__slots__)


def test_it_says_who_it_is() -> None:
    reply = SERVICE.respond("GET", "/v1/about", b"")
    assert json.loads(reply.body) == {"name": "tiptoe", "version": __version__, "protocol": 1}


@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("GET", "/", 404, ""),
        ("GET", "/v1/segment", 405, "POST"),
        ("POST", "/v1/about", 405, "GET, HEAD"),
        ("GET", "/v1/about?x=1", 200, ""),
        ("DELETE", "/v2/segment", 404, ""),
    ],
)
def test_other_paths_and_methods_are_refused(method: str, path: str, status: int, allow: str) -> None:
    reply = SERVICE.respond(method, path, b"{}")
    assert (reply.status, reply.allow) == (status, allow)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{}", b"[]", b"{", b"\xff", b'{"documents":[{}]}', b'{"documents":[{"id":1}]}',
        b'{"documents":[{"id":"1","paragraphs":[1]}]}', b'{"documents":[{"id":"1","paragraphs":"text"}]}',
        b'{"documents":' + b"[" * 100_000,
        json.dumps({"documents": [{"id": str(n)} for n in range(1001)]}).encode(),
        json.dumps({"documents": [{"id": "x" * 201}]}).encode(),
    ],
)  # fmt: skip
def test_what_is_no_batch_is_refused_with_a_reason(body: bytes) -> None:
    reply = SERVICE.respond("POST", "/v1/segment", body)
    assert reply.status == 400
    assert json.loads(reply.body)["error"]
