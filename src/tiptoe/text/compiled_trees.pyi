import numpy as np
import numpy.typing as npt

def score(
    measured: npt.NDArray[np.float32],
    asked: npt.NDArray[np.intp],
    borders: npt.NDArray[np.float32],
    questions: npt.NDArray[np.intp],
    leaves: npt.NDArray[np.float32],
) -> npt.NDArray[np.float64]: ...
