"""Ways of improving an order or a graph by its evidence."""
