"""Names for the arrays that flow through the stages."""

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]  # data, statistics
BoolArray = npt.NDArray[np.bool_]  # masks and adjacencies, always [parent, child]
IntArray = npt.NDArray[np.intp]  # orders and indices
Array = Any  # an array of whichever namespace the device asks for (numpy, torch, cupy)
