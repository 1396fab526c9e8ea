"""The method `auto`: its search, the proposers of changes, and its settings."""
