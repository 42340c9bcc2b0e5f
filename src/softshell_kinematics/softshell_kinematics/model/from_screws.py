"""Chains from a product of exponentials."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.limits import checked_finite, checked_pose
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.model.joint import INFINITY, Coupling, Joint, JointKind
from softshell_kinematics.transforms import inverse, transform


@dataclass(frozen=True, eq=False)
class Screw:
    """A joint's screw axis in the base frame with the chain at its home position.

    Attributes:
        joint: name.
        omega: (3,) axis of rotation; zero for a prismatic joint.
        v: (3,) -ω × (a point on the axis) for a revolute joint; the direction for a prismatic one.
        lower, upper, velocity, coupling: as in `Joint`.
    """

    joint: str
    omega: ArrayLike
    v: ArrayLike
    lower: float = -INFINITY
    upper: float = INFINITY
    velocity: float = INFINITY
    coupling: Coupling | None = None


def chain_from_screws(name: str, screws: Sequence[Screw], home: ArrayLike) -> SerialChain:
    """A chain whose forward kinematics is exp(S₁q₁) … exp(Sₙqₙ) M.

    K. M. Lynch, F. C. Park, "Modern Robotics", 2017, section 4.1.1. An ω or a v of another length
    than 1 is scaled to it: q is always in [rad] or [m].

    Args:
        name: of the chain.
        screws: S₁ … Sₙ in the base frame (the space form).
        home: (4, 4) M, pose of the tip in the base where all joints are at 0.

    Raises:
        NonFiniteError: a number of a screw or of the home position is NaN or infinite.
        SoftshellError: a screw is neither a pure rotation nor a pure translation, or has another
            shape, the home position is not rigid, a name of a joint occurs twice, or there is no
            joint.
    """
    tip = checked_pose(home, f'chain {name!r}: home')
    joints = []
    frame = np.eye(4)
    for screw in screws:
        omega, v = (
            checked_finite(vector, f'screw {screw.joint!r}: {part}')
            for part, vector in (('omega', screw.omega), ('v', screw.v))
        )
        for part, vector in (('omega', omega), ('v', v)):
            if vector.shape != (3,):
                raise SoftshellError(
                    f'screw {screw.joint!r}: {part} has shape {vector.shape}; expected (3,)'
                )
        turn = float(np.linalg.norm(omega))
        slide = float(np.linalg.norm(v))
        if turn == 0.0 and slide == 0.0:
            raise SoftshellError(
                f'screw {screw.joint!r}: omega and v are 0; expected an axis of rotation or a '
                'direction'
            )
        if turn > 0.0 and abs(omega @ v) > 1e-12 * turn * max(turn, slide):
            pitch = float(omega @ v) / turn**2
            raise SoftshellError(
                f'screw {screw.joint!r} has pitch {pitch:g} m/rad; expected 0 (revolute) or '
                'omega = 0 (prismatic)'
            )
        kind = JointKind.REVOLUTE if turn > 0.0 else JointKind.PRISMATIC
        axis = omega / turn if turn > 0.0 else v / slide
        point = np.cross(omega, v) / turn**2 if turn > 0.0 else np.zeros(3)
        here = transform(translation=point)
        joints.append(
            Joint(
                screw.joint, kind, inverse(frame) @ here, axis,
                screw.lower, screw.upper, screw.velocity, screw.coupling,
            )
        )  # fmt: skip
        frame = here
    return SerialChain(name, tuple(joints), inverse(frame) @ tip)
