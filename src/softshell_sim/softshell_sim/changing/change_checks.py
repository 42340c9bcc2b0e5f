"""Checks of the numbers of a change."""

from collections.abc import Iterator

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import BodyState

#: Of a body that is placed: largest distance from the origin [m], speed [m/s] and rate [rad/s].
FARTHEST, FASTEST = 1e4, 1e3
#: How much the length of a quaternion may differ from 1.
NOT_UNIT = 1e-3


def state_problems(state: BodyState) -> Iterator[str]:
    """What is wrong with a state for a body, one line for each problem."""
    yield from vector_problems('position', state.position, FARTHEST, 'm')
    yield from quaternion_problems('orientation', state.orientation)
    yield from vector_problems('linear velocity', state.linear_velocity, FASTEST, 'm/s')
    yield from vector_problems('angular velocity', state.angular_velocity, FASTEST, 'rad/s')


def quaternion_problems(name: str, quaternion: Array) -> Iterator[str]:
    """What is wrong with a quaternion (4,) x, y, z, w; `name`: what the message calls it."""
    numbers = _numbers(quaternion)
    if numbers.shape != (4,) or not abs(np.linalg.norm(numbers) - 1.0) <= NOT_UNIT:
        yield f'{name} is {_shown(quaternion)}; expected a quaternion x, y, z, w of length 1'


def vector_problems(name: str, vector: Array, largest: float, unit: str) -> Iterator[str]:
    """What is wrong with a (3,) vector whose length is to be at most `largest`."""
    numbers = _numbers(vector)
    if numbers.shape != (3,) or not np.linalg.norm(numbers) <= largest:
        yield (
            f'{name} is {_shown(vector)} {unit}; expected three numbers, a vector '
            f'no longer than {largest:g} {unit}'
        )


def _numbers(values: object) -> Array:
    """Values as an array; empty if they are no numbers."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(0)


def _shown(values: object) -> object:
    """Values as a message shows them: an array as a list of numbers."""
    numbers = _numbers(values)
    return numbers.tolist() if numbers.size else values
