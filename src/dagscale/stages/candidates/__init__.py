"""Ways of proposing parents: masks [parent, child] for the pruning to test, one file each."""
