"""`dagscale open`: a page on this machine to choose columns, run, and read the report."""
