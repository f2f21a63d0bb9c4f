from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tiptoe.text.outline import Name

class SignReader:
    def __init__(self, word_bits: Mapping[str, int], tag_bits: Mapping[str, int]) -> None: ...
    def read(self, names: list[Name]) -> npt.NDArray[np.uint64]: ...
