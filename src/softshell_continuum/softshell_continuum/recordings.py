"""Stiffness, modulus and moment per kPa of a real manipulator, from recordings.

Each is a proportion, fitted by least squares, times a factor of the chain's geometry
(`calibration.py`), so that its error and its residuals follow from those of the proportion. All
hold for small deflections.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from softshell_continuum.calibration import Formula, actuation_moment, joint_stiffness
from softshell_continuum.checks import refuse_no_count, refuse_not_positive
from softshell_continuum.fits import LineFit, proportion
from softshell_kinematics.errors import SoftshellError


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A parameter that was calibrated by a recording.

    Attributes:
        name, unit, value: of the parameter.
        deviation: its standard error, from the scatter of the recording.
        fit: the recording, the line fitted to it and the residuals.
        recorded: names of the first and the second recorded quantity, with their units.
    """

    name: str
    unit: str
    value: float
    deviation: float
    fit: LineFit
    recorded: tuple[str, str]

    def __str__(self) -> str:
        """Name, value, standard error and unit."""
        return f'{self.name} {self.value:.4g} ± {self.deviation:.2g} {self.unit}'


def tip_stiffness(deflections: ArrayLike, forces: ArrayLike) -> Calibrated:
    """K_b: force by deflection at the tip [N/m].

    Args:
        deflections: (n,) of the tip, across the manipulator [m].
        forces: (n,) that caused them, at the tip and in their direction [N].

    Raises:
        SoftshellError: they are no such arrays, or one falls as the other grows.
    """
    return _scaled('tip stiffness', 'N/m', 1.0, deflections, forces)


def stiffness_by_deflections(
    deflections: ArrayLike,
    forces: ArrayLike,
    length: float,
    joints: int,
    formula: str = Formula.EXACT,
    which: Sequence[int] | None = None,
) -> Calibrated:
    """Stiffness of each joint of an even chain by recorded deflections of its tip [N m/rad].

    Args:
        deflections, forces: as of `tip_stiffness`.
        length, joints, formula, which: as of `joint_stiffness`.

    Raises:
        SoftshellError: they are no such arrays, or as of `joint_stiffness`.
        OutOfRangeError: as of `joint_stiffness`.
    """
    factor = joint_stiffness(1.0, length, joints, formula, which)
    return _scaled('joint stiffness', 'N m/rad', factor, deflections, forces)


def modulus_by_deflections(
    deflections: ArrayLike, forces: ArrayLike, length: float, second_moment: float
) -> Calibrated:
    """Young's modulus of an even manipulator by recorded deflections of its tip [Pa].

    A cantilever: E = K_b L³ / 3 I.

    Args:
        deflections, forces: as of `tip_stiffness`.
        length: of the manipulator [m].
        second_moment: I of its section about the axis that it bends about [m^4].

    Raises:
        SoftshellError: they are no such arrays, or length or second moment is not a number.
        OutOfRangeError: length or second moment is not positive.
    """
    refuse_not_positive('length', length)
    refuse_not_positive('second moment', second_moment)
    factor = length**3 / (3.0 * second_moment)
    return _scaled("Young's modulus", 'Pa', factor, deflections, forces)


def moment_by_blocked_forces(
    pressures: ArrayLike,
    forces: ArrayLike,
    length: float,
    joints: int,
    formula: str = Formula.EXACT,
    which: Sequence[int] | None = None,
) -> Calibrated:
    """Moment in each joint per pressure, from blocked forces of a straight chain [N m/kPa].

    Args:
        pressures: (n,) in its chamber [kPa].
        forces: (n,) of its blocked tip, across the chain [N].
        length, joints, formula, which: as of `actuation_moment`.

    Raises:
        SoftshellError: they are no such arrays, or as of `actuation_moment`.
        OutOfRangeError: as of `actuation_moment`.
    """
    factor = actuation_moment(1.0, length, joints, formula, which)
    return _scaled(
        'moment by pressure', 'N m/kPa', factor, pressures, forces,
        ('pressure [kPa]', 'blocked force [N]'),
    )  # fmt: skip


def moment_by_angles(
    pressures: ArrayLike, angles: ArrayLike, stiffness: float, joints: int
) -> Calibrated:
    """Moment in each joint per pressure, from the angles of a free chain [N m/kPa].

    Each joint turns by M / κ, and the tip by the sum of all.

    Args:
        pressures: (n,) in its chamber [kPa].
        angles: (n,) of its tip [rad].
        stiffness: κ of each joint [N m/rad].
        joints: number of joints that the pressure acts in.

    Raises:
        SoftshellError: they are no such arrays, or stiffness or number of joints is not a number.
        OutOfRangeError: stiffness or number of joints is not positive, or the number is not whole.
    """
    refuse_not_positive('stiffness', stiffness)
    refuse_no_count('number of joints', joints)
    return _scaled(
        'moment by pressure', 'N m/kPa', stiffness / joints, pressures, angles,
        ('pressure [kPa]', 'angle [rad]'),
    )  # fmt: skip


def _scaled(
    name: str,
    unit: str,
    factor: float,
    first: ArrayLike,
    second: ArrayLike,
    recorded: tuple[str, str] = ('deflection [m]', 'force [N]'),
) -> Calibrated:
    line = proportion(first, second)
    if line.slope < 0.0:
        raise SoftshellError(
            f'{recorded[1]} falls by {-line.slope:.3g} where {recorded[0]} grows by 1; expected '
            'them to grow together: has one of them the opposite sign?'
        )
    return Calibrated(name, unit, factor * line.slope, factor * line.deviation, line, recorded)
