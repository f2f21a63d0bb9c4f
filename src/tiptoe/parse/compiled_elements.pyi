from collections.abc import Callable
from typing import Protocol

from selectolax.lexbor import LexborNode

from tiptoe.parse.tree_findings import TreeFindings
from tiptoe.text.outlining import Named

class OutlineMarking(Protocol):
    findings: TreeFindings
    names: list[Named]
    styled: set[int]
    def mark_styled(self, node: LexborNode, tag_id: int) -> None: ...
    def mark_unknown(self, node: LexborNode) -> None: ...

class ElementMarker:
    def __init__(
        self,
        kinds: bytes,
        names: list[str],
        *,
        dividing: bytes,
        left_out: bytes,
        usual: bytes,
        link: int,
    ) -> None: ...
    def mark_paragraphs(
        self, nodes: list[LexborNode], findings: TreeFindings, mark_unknown: Callable[[LexborNode], None]
    ) -> None: ...
    def mark_outline(self, nodes: list[LexborNode], marking: OutlineMarking) -> None: ...

def find_signed(
    nodes: list[LexborNode],
    rows: tuple[tuple[bytes, int, bytes, int, int, bool], ...],
    questions: int,
    body: LexborNode | None,
) -> list[list[LexborNode]]: ...
