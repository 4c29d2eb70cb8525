"""Values and rules. Nothing here opens a file, runs a process or reads a clock."""
