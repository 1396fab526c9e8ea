"""What a run remembers of its own work: each finished piece is computed once, however often it is started.

Methods are deterministic, so a run that was killed can be run again from the beginning; every piece that
its checkpoint holds (the leaf of a step, a node's test, the evidence of a node given parents) is then read
instead of computed, and the run arrives where it stopped. Nothing else has to be saved or restored.
"""

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

import numpy as np

T = TypeVar("T")


class Log(Protocol):
    """Where pieces are kept: `dagscale.runtime.checkpoint.Log`."""

    def __contains__(self, key: str) -> bool:
        """Tell whether a piece is known."""

    def recall(self, key: str) -> Any:
        """Return a known piece."""

    def keep(self, key: str, piece: Any) -> None:
        """Take in a piece: numbers, text, arrays, tuples of these, dataclasses of them (back as tuples)."""


class Memory:
    """Pieces of a run, computed where the log does not hold them; without a log, every time.

    A piece is known by its stage and by what it depends on.
    """

    def __init__(self, log: Log | None = None, scope: str = "") -> None:
        self._log, self._scope = log, scope

    def within(self, stage: str, *given: Any) -> "Memory":
        """Return the same memory for a stage whose pieces all depend on `given`."""
        return self if self._log is None else Memory(self._log, key_of(self._scope + stage, given))

    def __reduce__(self) -> Any:
        return Memory, ()  # workers elsewhere compute, the caller remembers

    def once(
        self, stage: str, compute: Callable[[], T], *given: Any, restore: Callable[..., T] | None = None
    ) -> T:
        """Return a piece that depends on `given`; `restore(*fields)` makes a dataclass of it again."""
        if self._log is None:
            return compute()
        key = key_of(self._scope + stage, given)
        if key in self._log:
            return _restored(self._log.recall(key), restore)
        piece = compute()
        self._log.keep(key, piece)
        return piece

    def map(
        self,
        stage: str,
        function: Callable[..., T],
        items: Iterable[Any],
        n_jobs: int | None = None,
        *,
        done: Callable[[int], None] | None = None,
        restore: Callable[..., T] | None = None,
        local: bool = False,
        processes: bool = False,
    ) -> list[T]:
        """Map a function over items as `parallel_map` does; a piece depends on its item."""
        from dagscale.runtime.parallel import parallel_results

        tasks = list(items)
        pieces: dict[int, T] = {}
        keys: list[str] = []
        if self._log is not None:
            keys = [key_of(self._scope + stage, task) for task in tasks]
            known = [k for k, key in enumerate(keys) if key in self._log]
            pieces = {k: _restored(self._log.recall(keys[k]), restore) for k in known}
        new = [k for k in range(len(tasks)) if k not in pieces]
        left = [tasks[k] for k in new]
        found = parallel_results(function, left, n_jobs, local=local, processes=processes)
        for k, piece in zip(new, found, strict=True):
            pieces[k] = piece
            if self._log is not None:
                self._log.keep(keys[k], piece)
            if done is not None:
                done(len(pieces))
        return [pieces[k] for k in range(len(tasks))]


FORGETFUL = Memory()


def _restored(piece: Any, restore: Callable[..., T] | None) -> T:
    known: T = piece if restore is None else restore(*piece)
    return known


def key_of(stage: str, given: Any) -> str:
    """Hash a stage and what its piece depends on: arrays by content, anything else by its repr."""
    digest = hashlib.blake2b(stage.encode(), digest_size=16)
    _feed(digest, given)
    return digest.hexdigest()


def _feed(digest: Any, value: Any) -> None:
    if isinstance(value, np.ndarray):
        digest.update(f"{value.dtype.str}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value).data)
    elif isinstance(value, tuple | list):
        digest.update(f"({len(value)}".encode())
        for part in value:
            _feed(digest, part)
    else:
        digest.update(f"{value!r};".encode())
