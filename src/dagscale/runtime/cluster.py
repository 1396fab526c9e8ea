"""A dask cluster for a block of work: joblib's maps inside it run on its machines."""

from collections.abc import Iterator
from contextlib import contextmanager

import joblib

from dagscale.runtime.errors import InputError, MissingDependencyError


@contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Run the block on the cluster of a dask scheduler, here where no address is given."""
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError:
        raise MissingDependencyError("--dask needs distributed: pip install 'dagscale[dask]'") from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError):
        raise InputError(
            f"no dask scheduler answers at {address!r}; give its address as tcp://HOST:PORT"
        ) from None
    with client, joblib.parallel_config("dask"):
        yield
