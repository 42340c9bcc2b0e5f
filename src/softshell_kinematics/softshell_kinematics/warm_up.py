"""Compile everything ahead: `python -m softshell_kinematics.warm_up`, once after installing.

No process has to wait for it later. It takes about a minute, or a second if nothing has changed.
"""

import time

import numpy as np

from softshell_kinematics.examples import lower_leg
from softshell_kinematics.kernels.compiled import CACHE
from softshell_kinematics.limbs import Limbs
from softshell_kinematics.mechanism import ParallelMechanism


def warm_up() -> float:
    """Load or compile all kernels; returns how long that took [s]."""
    begin = time.perf_counter()
    chain = lower_leg()
    chain.forward(chain.middle())
    Limbs([chain]).solve(np.zeros((1, 1, 6)))
    ParallelMechanism([chain]).solve(np.zeros((1, 1, 6)))
    return time.perf_counter() - begin


if __name__ == '__main__':
    print(f'kernels ready after {warm_up():.1f} s, kept in {CACHE}')
