"""Checks of the assumptions behind a result: `diagnose` measures, `Diagnostics` tells."""

from dagscale.result.diagnostics.all_checks import diagnose, diagnose_result
from dagscale.result.diagnostics.check import Check, Diagnostics

__all__ = ["Check", "Diagnostics", "diagnose", "diagnose_result"]
