"""Hidden causes: columns that measure the same levels, links that no arrow explains."""
