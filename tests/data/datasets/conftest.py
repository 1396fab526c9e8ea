"""What the tests of datasets share."""

from importlib.metadata import PackageNotFoundError

import pytest

from dagscale.data.datasets import packages


@pytest.fixture
def nothing_installed(monkeypatch):
    """Let no other package be installed."""

    def missing(package):
        raise PackageNotFoundError(package)

    monkeypatch.setattr(packages, "files", missing)
