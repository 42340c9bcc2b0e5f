"""Jacobians of a chain's tip (Siciliano et al., "Robotics", 2009, sections 3.1 and 3.6).

*Geometric*: rows are the velocity of the tip's origin, then the angular velocity, per unit joint
speed. In the base frame both are along the base's axes (Pinocchio's LOCAL_WORLD_ALIGNED); in the
tip's, the body Jacobian, along the tip's (LOCAL).

*Analytic*: rows are d(x, y, z, yaw, pitch, roll)/dq with R = Rz(yaw) Ry(pitch) Rx(roll), which
grows without bound at pitch ±π/2.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.transforms import angles_from_rotation


def geometric_jacobian(
    chain: SerialChain, q: ArrayLike, frame: Literal['base', 'tip'] = 'base'
) -> Array:
    """Geometric Jacobian (..., 6, n) at q (..., n) [rad] or [m].

    Args:
        chain: the chain.
        q: (..., n)
        frame: along whose axes both velocities are.

    Raises:
        SoftshellError: the frame is neither 'base' nor 'tip', or as `SerialChain.forward`.
    """
    if frame not in ('base', 'tip'):
        raise SoftshellError(f"frame is {frame!r}; expected 'base' or 'tip'")
    pose, jacobian = chain.forward_and_jacobian(q)
    if frame == 'base':
        return jacobian
    to_tip = np.swapaxes(pose[..., :3, :3], -1, -2)
    return np.concatenate([to_tip @ jacobian[..., :3, :], to_tip @ jacobian[..., 3:, :]], axis=-2)


def analytic_jacobian(chain: SerialChain, q: ArrayLike) -> Array:
    """Analytic Jacobian (..., 6, n) of x, y, z, yaw, pitch, roll at q (..., n) [rad] or [m].

    Args:
        chain: the chain.
        q: (..., n)

    Raises:
        SoftshellError: as `SerialChain.forward`.
    """
    pose, jacobian = chain.forward_and_jacobian(q)
    result = jacobian.copy()
    rates = np.linalg.inv(angular_velocity_matrix(angles_from_rotation(pose[..., :3, :3])))
    result[..., 3:, :] = rates @ jacobian[..., 3:, :]
    return result


def angular_velocity_matrix(angles: ArrayLike) -> Array:
    """E (..., 3, 3) with ω = E · d(yaw, pitch, roll)/dt in the base, at yaw, pitch, roll (..., 3).

    Its columns are the axes about which the three angles turn: z, Rz y and Rz Ry x. At pitch ±π/2
    it has no inverse.
    """
    a = np.asarray(angles, dtype=float)
    cy, sy = np.cos(a[..., 0]), np.sin(a[..., 0])
    cp, sp = np.cos(a[..., 1]), np.sin(a[..., 1])
    zero, one = np.zeros_like(cy), np.ones_like(cy)
    rows = ((zero, -sy, cy * cp), (zero, cy, sy * cp), (one, zero, -sp))
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
