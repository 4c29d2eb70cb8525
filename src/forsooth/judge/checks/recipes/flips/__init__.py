"""Breaks tests in their own source, one language a file, so that nothing in memory tells which.

A file that is not understood to the letter is left alone. Nothing here runs anything.
"""
