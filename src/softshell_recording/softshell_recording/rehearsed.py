"""An action as it would look on flat ground, from a rehearsal: no simulation, no ROS."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_actions.curves.footprint import from_footprint, planar_rotation
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.state import State
from softshell_control.joint_map import JointMap
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_sim.pictures.render import Motion

#: A tip that moves less than this in the base has no trail [m].
STILL = 0.005


@dataclass(frozen=True, eq=False)
class Rehearsed:
    """What an action does, moment by moment.

    Attributes:
        times: (moments,) [s] from the start.
        motion: of the robot in the world, one state a moment.
        names: of the sub-action at each moment.
        trails: (moments, 3) positions of tips in the world [m], by chain; only of tips that move
            in the base.
    """

    times: Array
    motion: Motion
    names: tuple[str, ...]
    trails: Mapping[str, Array]

    def at(self, times: Array) -> 'Rehearsed':
        """The same at other times: at each the nearest moment; after the last, the last.

        Args:
            times: (n,) from the start, in order [s].

        Returns:
            With n moments.
        """
        middles = (self.times[1:] + self.times[:-1]) / 2
        rows = np.searchsorted(middles, times).tolist()
        trails = {chain: path[rows] for chain, path in self.trails.items()}
        times = np.minimum(times, self.times[-1])
        return Rehearsed(times, self.motion[rows], tuple(self.names[r] for r in rows), trails)


def rehearsed(
    rehearsal: Rehearsal,
    action: str,
    parameters: Mapping[str, float] | None = None,
    gait: str = '',
) -> Rehearsed:
    """What an action does, together with the actions that it requires.

    Args:
        rehearsal: where the robot is at the start.
        action: its name.
        parameters: values by name; others have their defaults.
        gait: for moves that work with any gait; empty: the gait of cmd_vel.

    Raises:
        SoftshellError: as `Rehearsal.perform`.
    """
    robot, before = rehearsal.robot, rehearsal.state
    ground = _ground(rehearsal)
    time, place = 0.0, np.zeros(3)
    times, names = [np.zeros(1)], [action]
    joints = [np.array([[before.joints[name] for name in robot.joint_names]])]
    positions, rotations = [before.base_origin[None]], [before.base_rotation.as_quat()[None]]
    for part in rehearsal.perform(action, parameters, gait):
        plan = part.plan
        count = len(plan.times)
        times.append(time + plan.times)
        names += [part.call.name] * count
        joints.append(np.tile(joints[-1][-1], (count, 1)))
        for name, path in part.joints.items():
            joints[-1][:, robot.index(name)] = path
        turned = planar_rotation(place[2]) * Rotation.from_matrix(plan.base.rotations)
        positions.append(from_footprint(place, plan.base.origins))
        rotations.append(turned.as_quat())
        place = _footprint(positions[-1][-1], turned[-1], plan.end)
        time += float(plan.times[-1])
    all_joints = np.concatenate(joints)
    seen = Motion(
        JointMap.of(robot).names,
        _every_joint(robot, all_joints),
        np.concatenate(positions) + [0.0, 0.0, ground],
        np.concatenate(rotations),
    )
    trails = _trails(robot, all_joints, seen)
    return Rehearsed(np.concatenate(times), seen, tuple(names), trails)


def _footprint(origin: Array, rotation: Rotation, end: State) -> Array:
    """(3,) x, y [m] and yaw [rad] over the ground of the footprint of a state.

    Args:
        origin: (3,) of the base over the ground [m].
        rotation: of the base over the ground.
        end: the state, which has the pose of the base in the footprint.
    """
    yaw = (rotation * end.base_rotation.inv()).as_rotvec()[2]
    way = origin - planar_rotation(yaw).apply(end.base_origin)
    return np.array([*way[:2], yaw])


def _ground(rehearsal: Rehearsal) -> float:
    """Height of the footprint over the ground [m]: that of the frames of feet that stand."""
    robot, stance = rehearsal.robot, rehearsal.body.stance
    if robot.legs is None or stance is None:
        return 0.0
    return robot.rest_heights[robot.legs.stand] - stance.stand_height


def _every_joint(robot: RobotModel, independent: Array) -> Array:
    """(moments, joints) of all movable joints, from the independent ones."""
    joint_map = JointMap.of(robot)
    found = np.empty((len(independent), len(joint_map.names)))
    for row, values in zip(found, independent, strict=True):
        joint_map.positions(values, row)
    return found


def _trails(robot: RobotModel, joints: Array, motion: Motion) -> dict[str, Array]:
    """(moments, 3) positions of the tips that move, as in `Rehearsed`."""
    base = Rotation.from_quat(motion.orientations)
    trails = {}
    for name, spec in robot.chains.items():
        chain = chain_from_urdf(robot.urdf, robot.base.link, spec.tip_link, name)
        tips = chain.forward(joints[:, [robot.index(v) for v in chain.variables]])[:, :3, 3]
        if np.ptp(tips, axis=0).max() > STILL:
            trails[name] = base.apply(tips) + motion.positions
    return trails
