"""The robot, and a plain walk of its tree, for the tests of this package."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_description.load import load_robot


@pytest.fixture(scope='session')
def robot():
    """The robot's model."""
    return load_robot()


@pytest.fixture(scope='session')
def elements(robot):
    """The robot's URDF as XML."""
    return ElementTree.fromstring(robot.urdf_text)


@pytest.fixture(scope='session')
def link_poses(robot):
    """Function: pose (4, 4) of every link in base_link, of angles by independent joint."""

    def walk(positions):
        angles = dict(positions)
        for mimic in robot.mimics:
            angles[mimic.name] = mimic.multiplier * positions[mimic.source] + mimic.offset
        poses = {robot.urdf.root: np.eye(4)}
        for joint in robot.urdf.joints:
            turn = np.eye(4)
            if joint.movable:
                turn[:3, :3] = Rotation.from_rotvec(joint.axis * angles[joint.name]).as_matrix()
            poses[joint.child] = poses[joint.parent] @ joint.origin @ turn
        return poses

    return walk


@pytest.fixture(scope='session')
def shapes(elements):
    """Function: (pose (4, 4) in the link, geometry element) of each visual or collision."""

    def find(link, kind):
        found = []
        for shape in elements.find(f"link[@name='{link}']").findall(kind):
            pose = np.eye(4)
            origin = shape.find('origin')
            pose[:3, 3] = np.fromstring(origin.get('xyz'), sep=' ')
            rpy = np.fromstring(origin.get('rpy', '0 0 0'), sep=' ')
            pose[:3, :3] = Rotation.from_euler('xyz', rpy).as_matrix()
            found.append((pose, shape.find('geometry')[0]))
        return found

    return find
