"""A process that lets the servos give way when the bridge that drives them has died.

Servos without a watchdog of their own hold their last goal when nobody speaks to them any more.
Where they shall give way instead, the bridge passes its open port on to a guardian, and sends it a
beat in every control period. If no beat comes in time, or the bridge's end of the pipe is
closed, the guardian changes the token that both share, and switches the torque off. A bridge that
was only asleep finds the token changed, and sends nothing any more.

Run by path with `python -I -S`: it needs nothing but the standard library and starts in
milliseconds. Its arguments are numbers: PORT PIPE TOKEN (file descriptors), PATIENCE (longest
time without a beat [s]), and the bytes that switch the torque off, in hexadecimal digits.
"""

import mmap
import os
import select
import signal
import sys
import time

#: Values of the token: the bridge drives; the guardian has taken over from it.
DRIVES, TAKEN = b'\x01', b'\x00'
#: How often the torque is switched off, since a servo may miss it, and the pause between [s].
TIMES, PAUSE = 20, 0.01
#: How long it is tried on a port that takes no bytes [s].
LONGEST = 10.0


def main(port: int, pipe: int, token: int, patience: float, off: bytes) -> int:
    """Wait for the beats to end; returns the exit status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it ends after its bridge, not with it
    shared = mmap.mmap(token, 1)
    while True:
        ready, _, _ = select.select([pipe], [], [], patience)
        beats = os.read(pipe, 4096) if ready else b''
        if beats.endswith(b'q'):
            return 0  # the bridge takes care of its servos itself
        if not beats:
            break
    shared[:1] = TAKEN
    left, end = TIMES, time.monotonic() + LONGEST
    while left and time.monotonic() < end:
        try:
            os.write(port, off)
            left -= 1
        except BlockingIOError:
            pass  # it is full for a while
        except OSError:
            return 1  # the port has gone
        time.sleep(PAUSE)
    return 0


if __name__ == '__main__':
    descriptors = [int(text) for text in sys.argv[1:4]]
    sys.exit(
        main(
            descriptors[0],
            descriptors[1],
            descriptors[2],
            float(sys.argv[4]),
            bytes.fromhex(sys.argv[5]),
        )
    )
