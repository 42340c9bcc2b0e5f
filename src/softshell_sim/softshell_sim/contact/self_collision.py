"""Links of a robot that do not collide though self-collision is on."""

import numpy as np

from softshell_control.joint_map import JointMap
from softshell_description.model import RobotModel
from softshell_sim.bodies import Body
from softshell_sim.physics.engine import Engine

#: Links that come this close in a named pose of the robot touch by design [m].
CLOSE = 1e-4


def passing_pairs(
    robot: RobotModel, joint_map: JointMap, engine: Engine, body: Body
) -> set[tuple[int, int]]:
    """Pairs of links that touch by design, as places in `Body.links`.

    These are links that a joint connects, and links that touch in a named pose of the robot:
    collision shapes may be larger than the real parts.

    Args:
        robot: the robot.
        joint_map: order of its joints.
        engine, body: where it is loaded; its joints are left in one of its named poses.
    """
    places = {name: place for place, name in enumerate(body.links)}
    pairs = {
        (places[joint.child], places[robot.urdf.bodies[joint.parent][0]])
        for joint in robot.urdf.joints
        if joint.movable
    }
    positions = np.zeros(len(joint_map.names))
    for pose in robot.poses:
        joint_map.positions(robot.pose(pose), positions)
        engine.place_joints(body, positions)
        pairs |= touching_pairs(engine, body)
    return {pair for pair in pairs if pair[0] != pair[1]}


def touching_pairs(engine: Engine, body: Body) -> set[tuple[int, int]]:
    """Pairs of links of a body that touch now, as places in `Body.links`."""
    return {(gap.link, gap.other_link) for gap in engine.gaps(body, body, CLOSE)}
