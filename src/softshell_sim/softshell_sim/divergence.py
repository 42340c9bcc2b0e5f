"""A check that a simulation has not diverged."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError


class DivergedError(SoftshellError):
    """The numbers of a simulation are no longer finite."""


def refuse_infinite(
    names: tuple[str, ...], position: Array, velocity: Array, base: Array, time: float
) -> None:
    """Refuse a state of a robot that is not finite.

    Args:
        names: (joints,) of its joints.
        position, velocity: (joints,) of its joints [rad] or [m], [rad/s] or [m/s].
        base: (3,) position of its base in the world [m].
        time: since the last reset [s].

    Raises:
        DivergedError: the text names a joint or the base.
    """
    finite = np.isfinite(position) & np.isfinite(velocity)
    if finite.all() and np.isfinite(base).all():
        return
    if finite.all():
        what = f'the base is at {base.tolist()}'
    else:
        joint = int(np.argmin(finite))
        what = f'joint {names[joint]!r} is at {position[joint]}, its velocity is {velocity[joint]}'
    raise DivergedError(
        f'the simulation diverged {time:.3f} s after its reset: {what}; expected finite numbers. '
        'Reset it; a smaller physics_step or lower gains may avoid this'
    )
