"""From what is measured on a real manipulator to the stiffness and the actuation of its chain.

With K_b = F / δ the stiffness of a tip, N joints at (j + ½) L / N and levers from them to the
tip, δ = F Σ lever² / κ for small deflections. So `exact` is κ = K_b Σ lever². `reference` is the
formula of the published procedure (SoMo), κ = L² K_b / (3 / 2N - 1 / 2N²), which makes the chain
about twice as stiff as what was measured. Likewise a moment M in all joints presses against a wall
at the tip with F = M Σ lever / Σ lever², where the published procedure has M = F L.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import OutOfRangeError, SoftshellError


class Formula(Enum):
    """How a chain is calibrated."""

    EXACT = 'exact'
    REFERENCE = 'reference'


def levers(length: float, joints: int) -> Array:
    """(joints,) from each joint to the tip of a chain whose joints are at (j + ½) L / N [m].

    Raises:
        OutOfRangeError: the length is not positive, or there is no joint.
    """
    _positive('length', length)
    _positive('number of joints', joints)
    return length * (1.0 - (np.arange(joints) + 0.5) / joints)


def joint_stiffness(
    tip_stiffness: float, length: float, joints: int, formula: Formula = Formula.EXACT
) -> float:
    """Stiffness of each joint of an even chain [N m/rad].

    Args:
        tip_stiffness: K_b, force over deflection at the tip, across the chain [N/m].
        length: of the chain [m].
        joints: how many of them bend in that direction.
        formula: `exact` gives a chain with that tip stiffness.

    Raises:
        OutOfRangeError: a value is not positive.
    """
    _positive('tip stiffness', tip_stiffness)
    arms = levers(length, joints)
    if formula is Formula.REFERENCE:
        return length**2 * tip_stiffness / (1.5 / joints - 0.5 / joints**2)
    return tip_stiffness * float((arms**2).sum())


def actuation_moment(
    blocked_force: float, length: float, joints: int, formula: Formula = Formula.EXACT
) -> float:
    """Moment in each joint of a straight chain that presses so at its blocked tip [N m].

    Args:
        blocked_force: across the chain, at its tip [N].
        length: of the chain [m].
        joints: how many of them the moment acts in.
        formula: `reference` is blocked force times length.

    Raises:
        OutOfRangeError: length or number of joints is not positive.
    """
    arms = levers(length, joints)
    if formula is Formula.REFERENCE:
        return blocked_force * length
    return blocked_force * float((arms**2).sum() / arms.sum())


def blocked_force(
    moment: float, stiffness: float, length: float, joints: int, gap: float = 0.0
) -> float:
    """Force with which a chain presses against a wall [N]: (M Σ lever - κ gap) / Σ lever².

    Args:
        moment: in each joint [N m].
        stiffness: of each joint [N m/rad].
        length: of the chain [m].
        joints: how many.
        gap: between the straight chain's tip and the wall [m]; small against the length.

    Returns:
        0 where it does not come so far.

    Raises:
        OutOfRangeError: length or number of joints is not positive.
    """
    arms = levers(length, joints)
    pressed = (moment * arms.sum() - stiffness * gap) / (arms**2).sum()
    return max(float(pressed), 0.0)


@dataclass(frozen=True, eq=False)
class LineFit:
    """A proportion between two measured quantities.

    Attributes:
        slope: second per first, by least squares through the origin.
        residuals: (n,) of the second.
        deviation: standard error of the slope.
    """

    slope: float
    residuals: Array
    deviation: float


def proportion(first: ArrayLike, second: ArrayLike) -> LineFit:
    """Fit second = slope · first: forces by deflections, moments by pressures.

    Args:
        first, second: (n,) measured together, of finite values.

    Raises:
        SoftshellError: they are no such arrays, or the first is 0 throughout.
    """
    x, y = np.asarray(first, float), np.asarray(second, float)
    if x.shape != y.shape or x.ndim != 1 or not np.isfinite([x, y]).all() or not (x != 0).any():
        raise SoftshellError(
            f'measured: {x.tolist()} and {y.tolist()}; expected as many numbers of both, and not '
            'only zeros first'
        )
    slope = float(x @ y / (x @ x))
    residuals = y - slope * x
    freedom = max(len(x) - 1, 1)
    return LineFit(slope, residuals, float(np.sqrt(residuals @ residuals / freedom / (x @ x))))


@dataclass(frozen=True)
class RootFit:
    """A parameter at which a model gives what was measured.

    Attributes:
        value: of the parameter.
        residual: what the model gives less what was measured.
        trials: how often the model was asked.
    """

    value: float
    residual: float
    trials: int


def root(
    model: Callable[[float], float], measured: float, bracket: Sequence[float], name: str = 'value'
) -> RootFit:
    """The parameter at which a model gives a measured value, e.g. a modulus by a deflection.

    By Brent's method, on a logarithmic scale: a parameter is positive.

    Args:
        model: what it gives for a parameter.
        measured: what it shall give.
        bracket: two values of the parameter, one on either side.
        name: of the parameter, for people.

    Raises:
        SoftshellError: the measured value is not between those at the ends of the bracket.
    """
    asked: dict[float, float] = {}

    def excess(logarithm: float) -> float:
        asked[logarithm] = model(float(np.exp(logarithm))) - measured
        return asked[logarithm]

    low, high = np.log(bracket[0]), np.log(bracket[1])
    ends = excess(low), excess(high)
    if ends[0] * ends[1] > 0.0:
        raise SoftshellError(
            f'{name} from {bracket[0]:g} to {bracket[1]:g} gives {ends[0] + measured:g} to '
            f'{ends[1] + measured:g}; expected a range that has what was measured, {measured:g}'
        )
    found = float(brentq(excess, low, high, xtol=1e-13))
    return RootFit(float(np.exp(found)), excess(found), len(asked))


def _positive(name: str, value: float) -> None:
    if not 0.0 < value < np.inf:
        raise OutOfRangeError(name, value, 'more than 0')
