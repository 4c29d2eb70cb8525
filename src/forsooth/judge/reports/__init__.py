"""What test runners write, read back: one format a file.

Every reader is total: any bytes give a report or a typed problem, never an exception.
"""
