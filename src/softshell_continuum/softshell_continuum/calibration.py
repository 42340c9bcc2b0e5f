"""From what is measured on a real manipulator to the stiffness and the actuation of its chain.

With K_b = F / δ the stiffness of a tip, N joints at (j + ½) L / N and levers from them to the
tip, δ = F Σ lever² / κ for small deflections. So `exact` is κ = K_b Σ lever². `reference` is the
formula of the published procedure (SoMo), κ = L² K_b / (3 / 2N - 1 / 2N²), which makes the chain
about twice as stiff as what was measured. Likewise a moment M in all joints presses against a wall
at the tip with F = M Σ lever / Σ lever², where the published procedure has M = F L.
`recordings.py` applies these formulas to recordings, with errors and residuals.
"""

from enum import StrEnum

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import OutOfRangeError, UnknownNameError
from softshell_kinematics.limits import checked_finite


class Formula(StrEnum):
    """How a chain is calibrated."""

    EXACT = 'exact'
    REFERENCE = 'reference'

    @classmethod
    def named(cls, name: str) -> 'Formula':
        """The formula of a name.

        Raises:
            UnknownNameError: there is no formula of this name.
        """
        if name not in tuple(cls):
            raise UnknownNameError('formula', str(name), tuple(cls))
        return cls(name)


def levers(length: float, joints: int) -> Array:
    """(joints,) distances from each joint to the tip of a chain with joints at (j + ½) L / N [m].

    Raises:
        OutOfRangeError: the length or the number of joints is not positive, or the number is not
            whole.
    """
    refuse_not_positive('length', length)
    refuse_not_positive('number of joints', joints)
    if joints != int(joints):
        raise OutOfRangeError('number of joints', joints, 'a whole number')
    return length * (1.0 - (np.arange(joints) + 0.5) / joints)


def joint_stiffness(
    tip_stiffness: float, length: float, joints: int, formula: str = Formula.EXACT
) -> float:
    """Stiffness of each joint of an even chain [N m/rad].

    Args:
        tip_stiffness: K_b, force over deflection at the tip, across the chain [N/m].
        length: of the chain [m].
        joints: how many of them bend in that direction.
        formula: `exact` gives a chain with this tip stiffness; `reference` is that of SoMo.

    Raises:
        UnknownNameError: there is no such formula.
        OutOfRangeError: a value is not positive.
    """
    refuse_not_positive('tip stiffness', tip_stiffness)
    arms = levers(length, joints)
    if Formula.named(formula) is Formula.REFERENCE:
        return length**2 * tip_stiffness / (1.5 / joints - 0.5 / joints**2)
    return tip_stiffness * float((arms**2).sum())


def actuation_moment(
    blocked_force: float, length: float, joints: int, formula: str = Formula.EXACT
) -> float:
    """Moment in each joint with which a straight chain presses with a force at its tip [N m].

    Args:
        blocked_force: across the chain, at its tip [N].
        length: of the chain [m].
        joints: number of joints that the moment acts in.
        formula: `exact`; `reference` is blocked force times length.

    Raises:
        NonFiniteError: the force is not finite.
        UnknownNameError: there is no such formula.
        OutOfRangeError: length or number of joints is not positive.
    """
    checked_finite(blocked_force, 'blocked force')
    arms = levers(length, joints)
    if Formula.named(formula) is Formula.REFERENCE:
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
        joints: number of joints.
        gap: between the straight chain's tip and the wall [m]; small against the length.

    Returns:
        The force; 0 if the chain does not reach the wall.

    Raises:
        NonFiniteError: moment or gap is not finite.
        OutOfRangeError: stiffness, length or number of joints is not positive.
    """
    checked_finite([moment, gap], 'moment, gap')
    refuse_not_positive('stiffness', stiffness)
    arms = levers(length, joints)
    pressed = (moment * arms.sum() - stiffness * gap) / (arms**2).sum()
    return max(float(pressed), 0.0)


def refuse_not_positive(name: str, value: float) -> None:
    """Check that a value is more than 0, and finite.

    Raises:
        OutOfRangeError: it is not.
    """
    if not 0.0 < value < np.inf:
        raise OutOfRangeError(name, value, 'more than 0, and finite')
