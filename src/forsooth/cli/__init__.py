"""The command line: parses argv, prints, and decides nothing. One file a verb."""
