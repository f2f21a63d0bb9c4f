from tiptoe.text.outline import Outline
from tiptoe.text.outlining import Named

def read_marks(marked: str, names: list[Named], verbatim: frozenset[str]) -> Outline: ...
