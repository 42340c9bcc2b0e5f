"""Joints of a robot whose root link is driven: they feel weight and acceleration."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation, Slerp

from softshell_sim.bodies import BodyState, RobotSpec
from softshell_sim.changing.drive import Drive
from softshell_sim.scene import Scene

GRAVITY, STEP = 9.81, 0.001
#: A flail whose grip has its inertial frame neither at its origin nor along its axes.
FLAIL = """
<robot name="flail"><link name="grip">
  <inertial><origin xyz="0.1 0.2 -0.05" rpy="0.3 -0.5 0.9"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="bob"><inertial><origin xyz="0.3 0 0"/><mass value="1.5"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="grip"/><child link="bob"/>
    <origin xyz="0.2 0 0"/><axis xyz="0 1 0"/></joint>
</robot>
"""
LENGTH, MASS, MOMENT = 0.4, 1.5, 0.02


@pytest.mark.parametrize('shaken', [0.0, 0.1])
def test_a_pendulum_on_a_driven_pivot_swings_as_by_its_equation(start, shaken):
    """(J + m l²) θ'' = −m l (g sin θ − a cos θ), with the acceleration a of its pivot along x.

    Released at 0.5 rad, from a pivot that is held, or shaken by so much to either side [m].
    """
    bench = start(GRAVITY, STEP)
    body, scene = bench.pendulum(0.5, fixed=False), Scene(bench.engine, {})
    times = np.arange(1, 1501) * STEP
    poses = np.tile([0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0], (len(times), 1))
    poses[:, 0] = shaken * (1.0 - np.cos(6.0 * times))
    scene.apply([Drive('pendulum', times, poses)])
    found = []
    for pose in poses:
        scene.step()
        found.append(bench.joints(body)[0][0])
        assert bench.state(body).position == pytest.approx(pose[:3], abs=1e-6)

    def motion(time, state):
        angle, rate = state
        pull = GRAVITY * np.sin(angle) - 36.0 * shaken * np.cos(6.0 * time) * np.cos(angle)
        return rate, -MASS * LENGTH / (MOMENT + MASS * LENGTH**2) * pull

    expected = solve_ivp(motion, (0.0, times[-1]), (0.5, 0.0), t_eval=times, rtol=1e-8)
    assert np.abs(found - expected.y[0]).max() < 0.02


def test_a_root_with_joints_is_turned_along_its_path(start):
    """From one turn to another, about neither of its axes, while its bob pulls at it."""
    bench = start(GRAVITY, STEP)
    turns = Rotation.from_rotvec([[0.4, -0.5, 0.3], [-0.6, 0.7, 1.4]])
    first, last = turns.as_quat()
    body = bench.engine.load(RobotSpec('flail', FLAIL, ('hinge',)))
    bench.engine.place(body, BodyState(np.array([0.1, -0.2, 2.0]), first))
    scene, times = Scene(bench.engine, {}), np.arange(1, 801) * STEP
    expected = Slerp([0.0, times[-1]], turns)(times)
    ends = [[0.1, -0.2, 2.0, *first], [0.3, 0.1, 2.2, *last]]
    scene.apply([Drive('flail', np.array([0.0, times[-1]]), np.array(ends))])
    for time, turn in zip(times, expected, strict=True):
        scene.step()
        state, part = bench.state(body), time / times[-1]
        place = (1.0 - part) * np.array(ends[0][:3]) + part * np.array(ends[1][:3])
        assert state.position == pytest.approx(place, abs=1e-6)
        assert (Rotation.from_quat(state.orientation) * turn.inv()).magnitude() < 1e-6
