"""One module for each ecosystem: how its third-party layer is filled, once, with network."""
