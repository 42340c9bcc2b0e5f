"""Compile the solvers ahead: `python -m softshell_kinematics.warm_up`, once after installing.

Later processes then load them in about a second, instead of compiling for about a minute.
"""

import threading
import time
from collections.abc import Callable

import numpy as np

from softshell_kinematics.examples import lower_leg
from softshell_kinematics.kernels.compiled import CACHE
from softshell_kinematics.model.mechanism import ParallelMechanism
from softshell_kinematics.solving.goals import goal_rows
from softshell_kinematics.solving.limbs import Limbs

#: Share of the compilation time of each part, in the order in which they are compiled.
SHARES = {'forward kinematics': 0.055, 'limbs': 0.87, 'mechanisms': 0.075}


class Progress:
    """How far the compilation is: measured between its parts, estimated within one."""

    def __init__(self) -> None:
        self._begin = time.perf_counter()
        self._part = ''
        self._share = self._before = self._expected = 0.0

    @property
    def elapsed(self) -> float:
        """Time since the begin [s]."""
        return time.perf_counter() - self._begin

    def begin(self, part: str) -> None:
        """Begin the next part of `SHARES`; the time of those before it predicts the rest."""
        self._before += self._share
        self._part, self._share = part, SHARES[part]
        self._expected = self.elapsed / self._before if self._before else 0.0

    @property
    def done(self) -> float:
        """Part of the whole that is done, 0 to 1."""
        if not self._expected:
            return 0.0
        within = self.elapsed / self._expected - self._before
        return self._before + min(within, 0.98 * self._share)

    def __str__(self) -> str:
        done, elapsed = self.done, self.elapsed
        text = f'{self._part}, {elapsed:.0f} s so far'
        return (
            f'{text}, {100 * done:.0f} %, {elapsed / done - elapsed:.0f} s left' if done else text
        )


def warm_up(tell: Callable[[str], None] = lambda text: None, period: float = 5.0) -> float:
    """Load or compile the kernels of forward and inverse kinematics.

    Args:
        tell: called from another thread, every `period`, with a text: what is being compiled and
            how far it is.
        period: time between two calls of `tell` [s].

    Returns:
        How long it took [s].
    """
    chain = lower_leg()
    steps: dict[str, Callable[[], object]] = {
        'forward kinematics': lambda: chain.forward(chain.middle()),
        'limbs': lambda: (
            goal_rows(np.eye(4)),
            goal_rows((np.zeros(3), np.eye(4)[3])),
            Limbs([chain]).solve(np.zeros((1, 1, 6))),
        ),
        'mechanisms': lambda: ParallelMechanism([chain]).solve(np.zeros((1, 1, 6))),
    }
    progress, over = Progress(), threading.Event()

    def report() -> None:
        while not over.wait(period):
            tell(str(progress))

    threading.Thread(target=report, name='compilation', daemon=True).start()
    try:
        for part, step in steps.items():
            progress.begin(part)
            step()
    finally:
        over.set()
    return progress.elapsed


if __name__ == '__main__':
    took = warm_up(lambda text: print(f'compiling {text}', flush=True), 1.0)
    print(f'kernels ready after {took:.1f} s, kept in {CACHE}')
