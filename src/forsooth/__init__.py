"""Forsooth holds coding agents to their word: a goal is done when it is proven, not claimed.

Importing the package costs nothing: it reads, prints and loads nothing.
"""

__version__ = "0.1.0"
