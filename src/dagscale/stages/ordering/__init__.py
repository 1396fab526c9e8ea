"""Ways of finding an order of the columns, sources first, one file each."""
