"""A result as one offline HTML page: graph, evidence, effect curves, reasons. No request leaves it."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagscale.result.report.page import assemble
from dagscale.result.report.payload import payload
from dagscale.runtime.errors import InputError, as_path, shown
from dagscale.runtime.progress import Progress, silent
from dagscale.runtime.workers import one_blas_thread

if TYPE_CHECKING:
    from dagscale.result import Result


def write_page(
    result: "Result",
    path: str | Path,
    progress: Progress = silent,
    title: str | None = None,
    compare: Any = None,
) -> Path:
    """Write the page of a result and return its path; the file appears complete or not at all.

    `title` is what the page is headed with, by default the table's name where it is known; `compare` is another
    graph to lay over this one, anything `Result.compare` takes.
    """
    target = as_path(path)
    with one_blas_thread():
        page = assemble(payload(result, progress, title or result.settings.get("table"), compare))
    partial = target.with_name(target.name + ".partial")
    try:
        partial.write_bytes(page)
        partial.replace(target)
    except OSError as error:
        with suppress(OSError):  # a disk that cannot be written has none
            partial.unlink(missing_ok=True)
        raise InputError(f"cannot write {shown(str(target))}: {error.strerror}; name another file") from None
    return target
