"""The mass matrix that joints feel, against the sum over links by Jacobians."""

import numpy as np
import pytest

from softshell_control.joint_map import JointMap
from softshell_description.load import load_robot
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_sim.joints.mass import JointMass
from softshell_sim.urdf.flatten import flatten
from softshell_sim.urdf.tree import mass_matrix


@pytest.mark.parametrize('name', ['shell', 'quadruped', 'arm'])
@pytest.mark.parametrize('fixed', [False, True])
def test_it_is_the_sum_over_all_links(name, fixed):
    """Mjj, or Mjj − Mjb Mbb⁻¹ Mbj of a free base, of M = Σ m JvᵀJv + JωᵀIJω, and the rotors."""
    robot = load_robot(name)
    joints = JointMap.of(robot).names
    random = np.random.default_rng(3)
    position, rotor = random.uniform(-1.0, 1.0, (2, len(joints)))
    found = np.empty((len(joints), len(joints)))
    flat = parse_urdf(flatten(robot.urdf_text).text)
    JointMass(flat, joints, fixed, rotor).write(position, found)
    whole = mass_matrix(robot.urdf, dict(zip(joints, position.tolist(), strict=True)))
    order = [joint.name for joint in robot.urdf.joints if joint.movable]
    places = [6 + order.index(joint) for joint in joints]
    own, shared = whole[np.ix_(places, places)], whole[np.ix_(range(6), places)]
    expected = own if fixed else own - shared.T @ np.linalg.solve(whole[:6, :6], shared)
    assert found == pytest.approx(expected + np.diag(rotor), abs=1e-12)


def test_a_slide_moves_mass_and_nothing_turns(arm):
    """The slide of the arm feels its own mass, and does not move when the swing turns."""
    found = np.empty((2, 2))
    flat = parse_urdf(flatten(arm.urdf_text).text)
    JointMass(flat, ('swing', 'reach'), True, np.zeros(2)).write(np.array([0.3, 0.05]), found)
    swing = 1e-3 + 0.4 * 0.1**2 + 5e-4 + 0.2 * (0.2 + 0.05 + 0.05) ** 2
    assert found == pytest.approx(np.diag([swing, 0.2]), abs=1e-12)
