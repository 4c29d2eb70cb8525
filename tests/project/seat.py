"""A terminal with a command in it, as terminal programs, multiplexers and SSH servers open one.

`seat.py ENVIRONMENT ARGV…`: the command is the leader of a session of its own, has the terminal
as its controlling one, and its exit status is ours.
"""

import json
import os
import pty
import sys

if __name__ == "__main__":
    environment, argv = json.loads(sys.argv[1]), sys.argv[2:]
    child, screen = pty.fork()
    if not child:
        os.execvpe(argv[0], argv, environment)
    try:
        while os.read(screen, 1 << 16):
            pass
    except OSError:  # what Linux says when the other side is closed
        pass
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
