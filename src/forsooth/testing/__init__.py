"""What the tool is measured with: agents that cheat, agents that do not, and other judges.

It drives the tool through its command line alone, as anybody would.
"""
