"""
Runs a command in a pseudo-terminal. Standard input has the command and the steps: wait for a text, then send another.
Prints the transcript and the exit code as JSON.
"""

import json
import os
import pty
import select
import sys
import time

given = json.load(sys.stdin)
pid, terminal = pty.fork()
if pid == 0:
    os.execvpe(given["command"][0], given["command"], {**os.environ, **given["env"]})

transcript = ""
steps = list(given["steps"])
at = 0
end = time.monotonic() + 60
while time.monotonic() < end:
    ready, _, _ = select.select([terminal], [], [], 1)
    if ready:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        transcript += piece.decode("utf-8", "replace")
    while steps and steps[0][0] in transcript[at:]:
        wanted, text = steps.pop(0)
        at = transcript.index(wanted, at) + len(wanted)
        os.write(terminal, text.encode())
else:
    os.kill(pid, 9)
_, status = os.waitpid(pid, 0)
print(json.dumps({"transcript": transcript, "code": os.waitstatus_to_exitcode(status), "left": steps}))
