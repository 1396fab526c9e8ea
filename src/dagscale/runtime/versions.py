"""The version of this package, and which software a result was made with."""

import platform
from importlib.metadata import PackageNotFoundError, version

__version__ = "0.2.0"
PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "networkx", "torch")


def versions() -> dict[str, str]:
    """Return the versions of dagscale, Python and the packages its numbers depend on."""
    found = {"dagscale": __version__, "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
