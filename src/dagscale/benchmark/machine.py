"""What made a result: the machine, the versions of the packages, the commit."""

import os
import platform
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from dagscale.runtime.versions import versions


@cache
def machine() -> dict[str, Any]:
    """Describe the machine: CPU model, cores, memory in GiB, system. Not its name."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "memory_gb": _memory_gb(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def software() -> dict[str, Any]:
    """Collect the versions of Python and the packages that compute, and the commit of the source."""
    return {"versions": versions(), **commit()}


@cache
def commit() -> dict[str, Any]:
    """Return the commit of the running source and whether it was edited since; None without git."""
    head = _git("rev-parse", "--short=12", "HEAD")
    changed = _git("status", "--porcelain", "--", ".") if head else ""
    return {"commit": head, "edited": bool(changed)}


def describe(made_on: dict[str, Any]) -> str:
    """Write a machine as one phrase."""
    return f"{made_on['cpu']}, {made_on['cores']} cores, {made_on['memory_gb']} GiB, {made_on['system']}"


def _git(*arguments: str) -> str | None:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None


def _cpu_model() -> str:
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def _memory_gb() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (ValueError, OSError, AttributeError):
        return None
