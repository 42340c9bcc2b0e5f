"""From what is measured on a real manipulator to the stiffness and the actuation of its chain.

With K_b = F / δ the stiffness of a tip, N joints at (j + ½) L / N and levers from them to the
tip, δ = F Σ lever² / κ for small deflections. So `exact` is κ = K_b Σ lever². `reference` is the
formula of the published procedure (SoMo), κ = L² K_b / (3 / 2N - 1 / 2N²), which makes the chain
about twice as stiff as what was measured. Sums and N are of the joints that bend in the direction
of F; where not all do, e.g. as axes alternate, `which` tells them, and the axes of the others have
to be along F or along the chain. Likewise a moment M in all joints presses against a wall at the
tip with F = M Σ lever / Σ lever², where the published procedure has M = F L. `recordings.py`
applies these formulas to recordings, with errors and residuals.
"""

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from softshell_continuum.checks import refuse_no_count, refuse_no_number, refuse_not_positive
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import OutOfRangeError, SoftshellError, UnknownNameError
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


def levers(length: float, joints: int, which: Sequence[int] | None = None) -> Array:
    """Distances to the tip of a chain from its joints at (j + ½) L / N [m].

    Args:
        length: L of the chain [m].
        joints: N, the number of places where links meet.
        which: places j, from 0, of the joints that bend in the direction meant; None: all. Of two
            axes that alternate, the first has `range(0, N, 2)`, the second `range(1, N, 2)`.

    Returns:
        (which,) of these joints.

    Raises:
        OutOfRangeError: the length or the number of joints is not positive, the number is not
            whole, or `which` is empty, or has a place twice or one that the chain does not have.
        SoftshellError: length or number of joints is not a number, or `which` has no places.
    """
    refuse_not_positive('length', length)
    refuse_no_count('number of joints', joints)
    arms: Array = length * (1.0 - (np.arange(joints) + 0.5) / joints)
    if which is None:
        return arms
    if not np.iterable(which):
        raise SoftshellError(f'joints that bend are {which!r}; expected places, such as [0, 2]')
    refuse_not_positive('number of joints that bend', len(which))
    for place in which:
        if place not in range(int(joints)):
            raise OutOfRangeError('place of a joint', place, f'0 to {joints - 1:g}, whole')
        if list(which).count(place) > 1:
            raise OutOfRangeError('place of a joint', place, 'each place once')
    bending: Array = arms[np.array(which, int)]
    return bending


def joint_stiffness(
    tip_stiffness: float,
    length: float,
    joints: int,
    formula: str = Formula.EXACT,
    which: Sequence[int] | None = None,
) -> float:
    """Stiffness of each joint of an even chain [N m/rad].

    Args:
        tip_stiffness: K_b, force over deflection at the tip, across the chain [N/m].
        length, joints, which: as of `levers`.
        formula: `exact` gives a chain with this tip stiffness; `reference` is that of SoMo.

    Raises:
        UnknownNameError: there is no such formula.
        OutOfRangeError: the tip stiffness is not positive, or as of `levers`.
        SoftshellError: it is not a number, or as of `levers`.
    """
    refuse_not_positive('tip stiffness', tip_stiffness)
    arms = levers(length, joints, which)
    if Formula.named(formula) is Formula.REFERENCE:
        return length**2 * tip_stiffness / (1.5 / len(arms) - 0.5 / len(arms) ** 2)
    return tip_stiffness * float((arms**2).sum())


def actuation_moment(
    blocked_force: float,
    length: float,
    joints: int,
    formula: str = Formula.EXACT,
    which: Sequence[int] | None = None,
) -> float:
    """Moment in each joint with which a straight chain presses with a force at its tip [N m].

    Args:
        blocked_force: across the chain, at its tip [N].
        length, joints, which: as of `levers`; the moment acts in these joints.
        formula: `exact`; `reference` is blocked force times length.

    Raises:
        NonFiniteError: the force is not finite.
        UnknownNameError: there is no such formula.
        OutOfRangeError: as of `levers`.
        SoftshellError: the force is not a number, or as of `levers`.
    """
    refuse_no_number('blocked force', blocked_force)
    checked_finite(blocked_force, 'blocked force')
    arms = levers(length, joints, which)
    if Formula.named(formula) is Formula.REFERENCE:
        return blocked_force * length
    return blocked_force * float((arms**2).sum() / arms.sum())


def blocked_force(
    moment: float,
    stiffness: float,
    length: float,
    joints: int,
    gap: float = 0.0,
    which: Sequence[int] | None = None,
) -> float:
    """Force with which a chain presses against a wall [N]: (M Σ lever - κ gap) / Σ lever².

    Args:
        moment: in each joint [N m].
        stiffness: of each joint [N m/rad].
        length, joints, which: as of `levers`; the moment acts in these joints.
        gap: between the straight chain's tip and the wall [m]; small against the length.

    Returns:
        The force; 0 if the chain does not reach the wall.

    Raises:
        NonFiniteError: moment or gap is not finite.
        OutOfRangeError: the stiffness is not positive, or as of `levers`.
        SoftshellError: one of them is not a number, or as of `levers`.
    """
    refuse_no_number('moment', moment)
    refuse_no_number('gap', gap)
    checked_finite([moment, gap], 'moment, gap')
    refuse_not_positive('stiffness', stiffness)
    arms = levers(length, joints, which)
    pressed = (moment * arms.sum() - stiffness * gap) / (arms**2).sum()
    return max(float(pressed), 0.0)
