"""Benchmarks: suites of cases, methods and seeds; a runner that resumes; tables, plots and pages.

Seeds 0-9 are for reporting. Anything tuned is tuned on seeds of 1000 and above.
"""
