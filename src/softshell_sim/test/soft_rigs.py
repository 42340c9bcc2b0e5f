"""Robots of soft and rigid parts in folders of their own, and where energy says that they rest."""

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from softshell_description.load import load_robot
from softshell_description.robots import share_directory

GRAVITY = 9.81
MACRO = share_directory() / 'urdf' / 'common' / 'soft_manipulator.xacro'
#: 100 mm of five links that bend about two axes, at the ends of which hangs what is to hang.
ARM = """
name: arm
actuators:
  - length: 0.1
    n_segments: 5
    arrangement: together
    link: {shape: box, dimensions: [0.01, 0.012, 0.02], mass: 0.01}
    joints:
      - {axis: [1, 0, 0], stiffness: 0.9, damping: 0.02}
      - {axis: [0, 1, 0], stiffness: 1.2, damping: 0.02, neutral: 0.05}
"""


def robot_in(folder, robot, urdf, **definitions):
    """A robot from the texts of its `robot.yaml`, its xacro's body and its definitions."""
    folder.mkdir(exist_ok=True)
    (folder / 'robot.yaml').write_text('urdf: rig.urdf.xacro\n' + robot)
    head = '<robot name="rig" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    include = f'<xacro:include filename="{MACRO}" />'
    (folder / 'rig.urdf.xacro').write_text(f'{head}{include}{urdf}</robot>')
    for name, text in definitions.items():
        (folder / f'{name}.yaml').write_text(text)
    return load_robot(folder)


def block(name, mass, centre='0 0 0'):
    """A rigid link without a shape."""
    return (
        f'<link name="{name}"><inertial><origin xyz="{centre}"/><mass value="{mass}"/>'
        '<inertia ixx="2e-5" iyy="2e-5" izz="2e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )


def poses(urdf, positions):
    """(4, 4) of each link in the root link, for positions of joints [rad]."""
    found = {urdf.root: np.eye(4)}
    waiting = list(urdf.joints)
    while waiting:
        joint = waiting.pop(0)
        if joint.parent not in found:
            waiting.append(joint)
            continue
        turn = np.eye(4)
        if joint.movable:
            turn[:3, :3] = Rotation.from_rotvec(joint.axis * positions[joint.name]).as_matrix()
        found[joint.child] = found[joint.parent] @ joint.origin @ turn
    return found


def energy(robot, positions):
    """Of weight and springs [J], and the (4, 4) poses of all links in the root, z upwards."""
    found = poses(robot.urdf, positions)
    total = 0.0
    for link in robot.urdf.links:
        pose = found[link.name]
        total += link.mass * GRAVITY * (pose[2, :3] @ link.com + pose[2, 3])
    for spec in robot.soft.values():
        for part in spec.moved:
            bent = positions[part.joint_name] - part.joint.neutral
            total += 0.5 * part.joint.stiffness * bent**2
    return total, found


def at_rest(robot, held):
    """Positions of elastic joints [rad], by name, in which the energy is least.

    Args:
        robot: the robot, whose base is fixed.
        held: positions of its other joints.
    """
    names = robot.elastic_joints
    start = [part.joint.neutral for spec in robot.soft.values() for part in spec.moved]

    def potential(q):
        return energy(robot, {**held, **dict(zip(names, q, strict=True))})[0]

    found = minimize(potential, start, method='BFGS', options={'gtol': 1e-6})
    return dict(zip(names, found.x, strict=True))
