"""What a shell command would do, read from its text and never by running it.

A leaf: it parses, unwraps and applies the rules of refused commands. It steers and does not
confine: files that are run, programs' own doings and other machines are beyond it.
"""
