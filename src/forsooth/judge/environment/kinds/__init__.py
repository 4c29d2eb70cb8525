"""One module for each ecosystem: what its files say, read without running anything."""
