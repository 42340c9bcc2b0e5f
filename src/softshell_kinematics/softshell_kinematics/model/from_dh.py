"""Chains from Denavit–Hartenberg rows, in the standard convention."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softshell_kinematics.limits import (
    LARGEST_ANGLE,
    checked_finite,
    checked_pose,
    checked_within,
)
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.model.joint import INFINITY, Coupling, Joint, JointKind


@dataclass(frozen=True)
class DhRow:
    """One row: T = Rz(θ) Tz(d) Tx(r) Rx(α).

    J. Denavit, R. S. Hartenberg, "A Kinematic Notation for Lower-Pair Mechanisms Based on
    Matrices", Journal of Applied Mechanics 22, 1955; in the form of B. Siciliano et al.,
    "Robotics: Modelling, Planning and Control", 2009, section 2.8.2.

    Attributes:
        alpha, d, theta, r: [rad], [m], [rad], [m]; the joint's position is added to theta if it is
            revolute, to d if it is prismatic.
        joint: name of the joint that moves here; None for a constant row.
        kind: of that joint.
        lower, upper: its limits [rad] or [m].
        velocity: its largest speed [rad/s] or [m/s].
        coupling: the variable that it follows; None if it is independent.
    """

    alpha: float
    d: float
    theta: float
    r: float
    joint: str | None = None
    kind: JointKind = JointKind.REVOLUTE
    lower: float = -INFINITY
    upper: float = INFINITY
    velocity: float = INFINITY
    coupling: Coupling | None = None


def dh_matrix(alpha: float, d: float, theta: float, r: float) -> NDArray[np.float64]:
    """Transform (4, 4) of one row: Rz(θ) Tz(d) Tx(r) Rx(α)."""
    ca, sa, ct, st = math.cos(alpha), math.sin(alpha), math.cos(theta), math.sin(theta)
    return np.array(
        [
            [ct, -st * ca, st * sa, r * ct],
            [st, ct * ca, -ct * sa, r * st],
            [0.0, sa, ca, d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def chain_from_dh(
    name: str,
    rows: Sequence[DhRow],
    base: ArrayLike | None = None,
    tool: ArrayLike | None = None,
) -> SerialChain:
    """A chain from standard Denavit–Hartenberg rows.

    Args:
        name: of the chain.
        rows: base to tip.
        base: (4, 4) pose of the first row's frame in the base.
        tool: (4, 4) pose of the tip in the last row's frame.

    Raises:
        NonFiniteError: a number of a row, of the base or of the tool is NaN or infinite.
        OutOfRangeError: an angle of a row is beyond `limits.LARGEST_ANGLE`.
        SoftshellError: the base or the tool is not rigid, a name of a joint occurs twice, or no
            joint moves.
    """
    subject = f'chain {name!r}'
    pending = np.eye(4) if base is None else checked_pose(base, f'{subject}: base')
    joints = []
    for index, row in enumerate(rows):
        for parameter in ('d', 'r'):
            checked_finite(getattr(row, parameter), f'{subject}: row {index}: {parameter}')
        for parameter in ('alpha', 'theta'):
            where = f'{subject}: row {index}: {parameter}'
            checked_within(getattr(row, parameter), LARGEST_ANGLE, where, 'rad')
        # A row's motion, about or along z, comes before its constant part.
        constant = dh_matrix(row.alpha, row.d, row.theta, row.r)
        if row.joint is None:
            pending = pending @ constant
            continue
        joints.append(
            Joint(
                row.joint, row.kind, pending,
                lower=row.lower, upper=row.upper, velocity=row.velocity, coupling=row.coupling,
            )
        )  # fmt: skip
        pending = constant
    tip = pending if tool is None else pending @ checked_pose(tool, f'{subject}: tool')
    return SerialChain(name, tuple(joints), tip)
