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

class Tree:
    def __init__(self, root: LexborNode, spare: LexborNode) -> None: ...
    def remove_left_out(self, left_out: bytes) -> None: ...

class ElementMarker:
    def __init__(
        self,
        kinds: bytes,
        names: list[str],
        *,
        dividing: bytes,
        left_out: bytes,
        usual: bytes,
        asked: bytes,
        link: int,
        script: int,
    ) -> None: ...
    @property
    def left_out(self) -> bytes: ...
    def mark_paragraphs(
        self, tree: Tree, findings: TreeFindings, mark_unknown: Callable[[LexborNode], None]
    ) -> None: ...
    def mark_outline(self, tree: Tree, marking: OutlineMarking) -> None: ...

def find_signed(
    tree: Tree,
    rows: tuple[tuple[bytes, int, bytes, int, int, bool], ...],
    questions: int,
    body: LexborNode | None,
) -> list[list[LexborNode]]: ...
