"""Tables of any kind as one array of numbers with names."""

from dagscale.inputs.table.table import Table, read_table

__all__ = ["Table", "read_table"]
