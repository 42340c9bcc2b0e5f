"""Driven links in PyBullet: they follow their path whatever they touch.

Such a link has a mass far above all others. Before each step it gets the velocity that, with
gravity, brings it to its next pose; that of a robot with joints gets the force that leads there,
so that the joints feel how it is accelerated, and their weight. Two driven links, or a driven and
a fixed one, would still stop each other: so they do not touch.
"""

import numpy as np
from numba import njit

from softshell_control.quaternion_kernel import product
from softshell_kinematics.arrays import Array
from softshell_sim.changing.pose_path import turn_in_world
from softshell_sim.pybullet.energy import Inertias
from softshell_sim.pybullet.loading import Numbers
from softshell_sim.pybullet.quietly import pybullet

#: Mass [kg] and moments of inertia [kg m^2] of a driven link: 10 kN shift it by 1e-11 m in 1 ms.
HEAVY = 1e9


def set_heavy(client: int, number: int, own: Inertias, heavy: bool) -> None:
    """Make a root link so heavy that no force moves it, or give it its `own` inertia again."""
    mass, moments = (HEAVY, [HEAVY] * 3) if heavy else (float(own.mass[0]), own.moments[0])
    # Equal moments: the axis of rotation does not precess.
    pybullet.changeDynamics(
        number, -1, mass=mass, localInertiaDiagonal=list(moments), physicsClientId=client
    )


def let_touch(client: int, number: int, other: int, touch: bool) -> None:
    """Let two root links touch, or pass through each other."""
    pybullet.setCollisionFilterPair(number, other, -1, -1, int(touch), physicsClientId=client)


def aim(
    client: int,
    numbers: Numbers,
    position: Array,
    orientation: Array,
    step: float,
    gravity: Array,
) -> None:
    """Set the velocity of a root link so that it reaches a pose after one step, or push it there.

    Args:
        client: of PyBullet.
        numbers: of the body.
        position, orientation: (3,) [m] and (4,) quaternion x, y, z, w of its frame in the world.
        step: duration of the step [s].
        gravity: (3,) in the world [m/s^2].
    """
    centre, turn = pybullet.getBasePositionAndOrientation(numbers.body, physicsClientId=client)
    offset, axes = numbers.inertial_in_root
    # `multiplyTransforms` of PyBullet has single precision.
    way, rotation = _way(
        np.array(centre), np.array(turn), position, orientation, np.array(offset), np.array(axes)
    )
    velocity, spin, body = way / step, rotation / step, numbers.body
    if not numbers.joints:
        pybullet.resetBaseVelocity(
            body, (velocity - step * gravity).tolist(), spin.tolist(), physicsClientId=client
        )
        return
    present, turning = pybullet.getBaseVelocity(body, physicsClientId=client)
    force = HEAVY * ((velocity - present) / step - gravity)
    torque = HEAVY * (spin - turning) / step
    world = pybullet.WORLD_FRAME
    pybullet.applyExternalForce(body, -1, force.tolist(), centre, world, physicsClientId=client)
    pybullet.applyExternalTorque(body, -1, torque.tolist(), world, physicsClientId=client)


@njit(cache=True)
def _way(
    centre: Array, turn: Array, position: Array, orientation: Array, offset: Array, axes: Array
) -> tuple[Array, Array]:
    """(3,) translation and (3,) rotation vector from an inertial frame to its goal, in the world.

    Args:
        centre, turn: (3,), (4,) pose of the inertial frame in the world.
        position, orientation: (3,), (4,) goal of the frame of the link in the world.
        offset, axes: (3,), (4,) pose of the inertial frame in the frame of the link.
    """
    x, y, z, w = orientation
    arm = np.array([offset[0], offset[1], offset[2], 0.0])
    arm = np.array(product(np.array(product(orientation, arm)), np.array([-x, -y, -z, w])))
    goal = np.array(product(orientation, axes))
    return position + arm[:3] - centre, turn_in_world(turn, goal)
