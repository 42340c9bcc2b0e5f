"""The bridge's side of the guardian: starts it, sends it beats, and ends it."""

import contextlib
import mmap
import os
import subprocess
import sys

from softshell_hardware.bus.families import Family
from softshell_hardware.bus.wire import BROADCAST, Instruction, instruction
from softshell_hardware.guard import guardian
from softshell_kinematics.errors import SoftshellError

BEAT, QUIT = b'.', b'q'


class Heartbeat:
    """Keeps a guardian from switching the servos of a port off.

    Args:
        port: file descriptor of the open port; the guardian gets one of its own.
        family: of the servos.
        patience: without a beat for so long, the servos give way [s].

    Raises:
        SoftshellError: the guardian cannot be started.
    """

    def __init__(self, port: int, family: Family, patience: float) -> None:
        with contextlib.ExitStack() as opened:
            try:
                token = os.memfd_create('softshell-token')
                opened.callback(os.close, token)
                os.ftruncate(token, 1)
                self._token = mmap.mmap(token, 1)
                opened.callback(self._token.close)
                self._token[:1] = guardian.DRIVES
                theirs, self._pipe = os.pipe()
            except OSError as error:
                raise SoftshellError(f'no guardian can be started: {error}') from None
            opened.pop_all()  # from here on they are closed one by one
        os.set_blocking(self._pipe, False)
        self._dismissed = False
        try:
            self._process = subprocess.Popen(
                [
                    sys.executable, '-I', '-S', guardian.__file__,
                    str(port), str(theirs), str(token), str(patience), torque_off(family).hex(),
                ],
                pass_fds=(port, theirs, token),
                start_new_session=True,  # a Ctrl-C in the terminal is not meant for it
            )  # fmt: skip
        except OSError as error:
            os.close(self._pipe)
            self._token.close()
            raise SoftshellError(f'no guardian can be started: {error}') from None
        finally:
            os.close(theirs)
            os.close(token)

    @property
    def took_over(self) -> bool:
        """Whether the guardian has switched the servos off."""
        return self._token[:1] != guardian.DRIVES

    def beat(self) -> bool:
        """Tell the guardian that all is well; False: it has ended without `dismiss`."""
        if self.took_over:
            return False
        if self._dismissed:
            return True
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            os.write(self._pipe, BEAT)
        return self._process.poll() is None

    def dismiss(self) -> None:
        """Tell the guardian to end: the caller takes care of the servos from now on."""
        if not self._dismissed:
            self._dismissed = True
            with contextlib.suppress(OSError):
                os.write(self._pipe, QUIT)
            os.close(self._pipe)

    def end(self) -> None:
        """Tell the guardian to end, and wait until it has ended."""
        self.dismiss()
        try:
            self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._token.close()


def torque_off(family: Family) -> bytes:
    """The packet that switches off the torque of all servos of a line."""
    register = family.registers['torque_enable']
    wide = 1 if family.protocol == 1 else 2
    content = register.address.to_bytes(wide, 'little') + b'\0'
    return instruction(family.protocol, BROADCAST, Instruction.WRITE, content)
