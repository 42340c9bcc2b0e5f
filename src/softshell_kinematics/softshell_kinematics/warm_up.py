"""Compile everything ahead: `python -m softshell_kinematics.warm_up`, once after installing.

No process has to wait for it later. It takes about a minute, or a second if nothing has changed.
"""

import time
from collections.abc import Callable

import numpy as np

from softshell_kinematics.examples import lower_leg
from softshell_kinematics.kernels.compiled import CACHE
from softshell_kinematics.limbs import Limbs
from softshell_kinematics.mechanism import ParallelMechanism


def warm_up(progress: Callable[[str], None] = lambda step: None) -> float:
    """Load or compile all kernels.

    Args:
        progress: told what comes next, e.g. `'2 of 3: limbs'`.

    Returns:
        How long it took [s].
    """
    begin = time.perf_counter()
    chain = lower_leg()
    steps: dict[str, Callable[[], object]] = {
        'forward kinematics': lambda: chain.forward(chain.middle()),
        'limbs': lambda: Limbs([chain]).solve(np.zeros((1, 1, 6))),
        'mechanisms': lambda: ParallelMechanism([chain]).solve(np.zeros((1, 1, 6))),
    }
    for number, (name, step) in enumerate(steps.items(), 1):
        progress(f'{number} of {len(steps)}: {name}')
        step()
    return time.perf_counter() - begin


if __name__ == '__main__':
    print(f'kernels ready after {warm_up():.1f} s, kept in {CACHE}')
