"""What the tests of batches do in other processes, without a world, which is slow to import."""

import os
import signal
import sys
import time

from softshell_kinematics.errors import SoftshellError


class WordlessError(ValueError):
    """An error whose text is another error."""

    def __str__(self):
        raise TypeError


def behave(job, seed):
    """Return, fail or end in the way that the job names."""
    match job:
        case 'wrong':
            raise SoftshellError('no such robot')
        case 'silent':
            raise SoftshellError
        case 'wordless':
            raise WordlessError
        case 'divide':
            return 1 // 0
        case 'leave':
            sys.exit(4)
        case 'killed':
            os.kill(os.getpid(), signal.SIGKILL)
        case 'ended':
            os._exit(3)
        case 'unsendable':
            return lambda: None
        case 'slow':
            time.sleep(0.3)
    return job, os.getpid()


def tell_and_wait(folder, seed):
    """Write the id of this process into a folder, and go on for longer than any test."""
    path = os.path.join(folder, str(os.getpid()))
    with open(path, 'w', encoding='utf-8'):
        pass
    time.sleep(600.0)
