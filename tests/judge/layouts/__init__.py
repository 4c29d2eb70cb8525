"""Tiny real repositories, one a layout of tests, with the same cheats and honest fixes in each."""
