import numpy as np
import numpy.typing as npt

from tiptoe.text.outline import Outline

class OutlineMeasurer:
    def __init__(
        self,
        *,
        rows: int,
        kinds: npt.NDArray[np.uint8],
        ideograph_words: float,
        unspaced_words: float,
        prose_words_min: float,
        ancestors: tuple[int, ...],
        tagged_ancestors: tuple[int, ...],
        container_shares: tuple[float, ...],
        signs: int,
        nearby_signs: list[int],
        first_heading: int,
        last_heading: int,
        windows: tuple[int, ...],
        nowhere: int,
    ) -> None: ...
    def measure(
        self,
        outline: Outline,
        is_quoted: npt.NDArray[np.float64],
        signs_of_name: npt.NDArray[np.uint64],
        tag_of_name: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.float32]: ...

def find_quoted(texts: list[str], abstract: str, beginning: int) -> npt.NDArray[np.float64]: ...
