"""Send a function to other processes or machines: what it holds once, not with every task.

The functions given to `parallel_map` are closures over a whole table. Pickled with every task, as joblib
would, the table travels as often as there are tasks. Here a function is taken apart into its large arrays
and the small rest. To processes of this machine the arrays go through joblib's shared memory; to a dask
cluster they are scattered to all workers, where they stay for the next map as long as the array exists
here. A worker puts the function together once. All workers hold a copy, so that the death of one loses
nothing.
"""

import hashlib
import io
import pickle
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from threading import Lock
from typing import Any
from uuid import uuid4

import joblib
import numpy as np
from joblib.parallel import get_active_backend

from dagscale.runtime.workers import in_worker

try:
    import cloudpickle
except ImportError:  # joblib before 1.6 brings its own copy
    from joblib.externals import cloudpickle

LARGE = 2**16  # bytes from which on an array, or the rest of a function, travels on its own
OPENED = 4  # functions a worker keeps ready
ATTEMPTS = 3  # times that data lost with the workers which held it are sent again


class _Packer(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles by value, and leaves large arrays aside."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.arrays: list[np.ndarray] = []
        self._places: dict[int, int] = {}

    def persistent_id(self, value: Any) -> tuple[Any, ...] | None:
        """Say where in `arrays` a large array lies, None for anything else.

        Arrays that share memory go as one and keep their strides: the same BLAS calls, the same rounding.
        """
        if type(value) is not np.ndarray or value.dtype.kind not in "biufc":
            return None
        owner = value
        while type(owner.base) is np.ndarray:
            owner = owner.base
        if owner.dtype.kind not in "biufc" or not (owner.flags.c_contiguous or owner.flags.f_contiguous):
            return None
        if id(owner) not in self._places:
            if value.nbytes < LARGE:
                return None
            self._places[id(owner)] = len(self.arrays)
            self.arrays.append(owner)
        offset = _address(value) - _address(owner)
        return self._places[id(owner)], offset, value.shape, value.strides, value.dtype.str


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, arrays: Sequence[np.ndarray]) -> None:
        super().__init__(file)
        self._arrays = arrays

    def persistent_load(self, where: tuple[Any, ...]) -> np.ndarray:
        place, offset, shape, strides, dtype = where
        memory = self._arrays[place].ravel(order="K").view(np.uint8)
        return np.ndarray(shape, dtype, memory.data, offset, strides)


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def shipped_map(function: Callable[[Any], Any], tasks: Sequence[Any], n_workers: int) -> Iterator[Any]:
    """Yield `function(task)` for every task, in order, from the workers of joblib's active backend."""
    file = io.BytesIO()
    packer = _Packer(file)
    packer.dump(function)
    rest: Any = file.getvalue()
    if len(rest) >= LARGE:
        rest = np.frombuffer(rest, dtype=np.uint8)
    parts = [rest, *packer.arrays]
    digest = uuid4().hex  # what a worker knows the function by, while this map lasts
    finished = 0
    for attempt in range(1, ATTEMPTS + 1):
        pool = joblib.Parallel(n_jobs=n_workers, return_as="generator" if _streams() else "list")
        sent = [_on_cluster(part) for part in parts]
        try:
            for result in pool(joblib.delayed(_run)(digest, (task,), *sent) for task in tasks[finished:]):
                finished += 1
                yield result
            return
        except CancelledError:  # every worker that held some of the data is gone
            if attempt == ATTEMPTS:
                raise
            _scattered.clear()


def _streams() -> bool:
    """Say whether results come from the active backend one by one; multiprocessing's only come together."""
    return bool(getattr(get_active_backend()[0], "supports_return_generator", False))


# client -> digest -> the future of an array on that client's cluster
_scattered: "weakref.WeakKeyDictionary[Any, dict[str, Any]]" = weakref.WeakKeyDictionary()


def _on_cluster(part: Any) -> Any:
    """Return the future of an array on the active dask cluster, the thing itself on any other backend."""
    client = getattr(get_active_backend()[0], "client", None)
    if client is None or not isinstance(part, np.ndarray):
        return part
    held = _scattered.setdefault(client, {})
    digest = _digest(part)
    if digest not in held:
        held[digest] = client.scatter(part, broadcast=True, hash=False)
        weakref.finalize(part, held.pop, digest, None)
    return held[digest]


def _digest(part: np.ndarray) -> str:
    """Hash an array's content and layout."""
    order = "F" if part.flags.f_contiguous else "C"
    content = np.ravel(part, order=order)  # type: ignore[call-overload]
    shape = f"{part.dtype.str}{part.shape}{order}".encode()
    return hashlib.sha256(shape + hashlib.sha256(content.view(np.uint8)).digest()).hexdigest()


_opened: "OrderedDict[str, Callable[[Any], Any]]" = OrderedDict()
_lock = Lock()


def _run(digest: str, task: tuple[Any], rest: Any, *arrays: np.ndarray) -> Any:
    """Run one task, in a worker."""
    with _lock:
        function = _opened.pop(digest, None) or _Unpacker(io.BytesIO(rest), arrays).load()
        _opened[digest] = function
        while len(_opened) > OPENED:
            _opened.popitem(last=False)
    with in_worker():
        return function(*task)
