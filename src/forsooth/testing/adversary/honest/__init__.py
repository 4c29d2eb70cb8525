"""Work that is done, however odd it looks: what a gate must not refuse."""
