"""The dynamics of whole robots, against Pinocchio's articulated-body algorithm."""

import numpy as np
import pytest

from softshell_control.joint_map import JointMap
from softshell_description.expand import resolve_meshes
from softshell_description.load import load_robot
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_kinematics.transforms import (
    quaternion_from_rotation,
    rotation_about,
    rotation_from_quaternion,
)
from softshell_sim.bodies import BodyState, RobotSpec
from softshell_sim.urdf.flatten import flatten

STEP, GRAVITY, STEPS = 0.001, 9.81, 100


class Dynamics:
    """Accelerations of a free robot by Pinocchio."""

    def __init__(self, pinocchio, urdf, joints):
        self.pinocchio = pinocchio
        self.model = pinocchio.buildModelFromXML(urdf, pinocchio.JointModelFreeFlyer())
        self.model.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
        self.data = self.model.createData()
        found = [self.model.joints[self.model.getJointId(name)] for name in joints]
        assert {joint.nq for joint in found} == {1}
        self.position = [joint.idx_q for joint in found]
        self.velocity = [joint.idx_v for joint in found]

    def inertia(self, position):
        """(joints,) that each feels while all else stands still [kg m^2] or [kg]."""
        q = self.pinocchio.neutral(self.model)
        q[self.position] = position
        self.pinocchio.crba(self.model, self.data, q)
        return np.diag(self.data.M)[self.velocity].copy()

    def accelerations(self, state, position, velocity, effort):
        """Of the base, linear and angular in the world, and of the joints."""
        q, v, torque = np.zeros(self.model.nq), np.zeros(self.model.nv), np.zeros(self.model.nv)
        turn = rotation_from_quaternion(state.orientation)
        q[:3], q[3:7] = state.position, state.orientation
        q[self.position], v[self.velocity] = position, velocity
        v[:3], v[3:6] = turn.T @ state.linear_velocity, turn.T @ state.angular_velocity
        torque[self.velocity] = effort
        a = self.pinocchio.aba(self.model, self.data, q, v, torque)
        # Spatial acceleration becomes that of the point that moves along.
        linear = turn @ (a[:3] + np.cross(v[3:6], v[:3]))
        return linear, turn @ a[3:6], a[self.velocity]


@pytest.mark.parametrize('name', ['shell', 'quadruped'])
def test_free_fall_with_random_torques(start, name):
    """Each step adds h times Pinocchio's acceleration to the rates, and h times these to angles.

    The robot tumbles and its joints move, so gravity, gyroscopic terms and the whole mass matrix
    take part. For a point of the base that is not its centre of mass, adding differs by what the
    arm turns in a step.
    """
    pinocchio = pytest.importorskip('pinocchio', reason='needs pin, see requirements/test.txt')
    bench, robot = start(), load_robot(name)
    joints = JointMap.of(robot).names
    urdf = resolve_meshes(flatten(robot.urdf_text).text, robot.urdf_folder)
    dynamics, random = Dynamics(pinocchio, urdf, joints), np.random.default_rng(5)
    body = bench.engine.load(RobotSpec('robot', urdf, joints))
    tilted = rotation_about((0.3, -0.5, 0.8), 0.7)
    velocity, spin = np.array([0.3, -0.2, 1.0]), np.array([1.0, -2.0, 0.5])
    turn = quaternion_from_rotation(tilted)
    bench.engine.place(body, BodyState(np.array([0.0, 0.0, 5.0]), turn, velocity, spin))
    limits = {joint.name: (joint.lower, joint.upper) for joint in parse_urdf(urdf).joints}
    low, high = np.clip([limits[name] for name in joints], -1.0, 1.0).T
    middle = (low + high) / 2.0
    inertia = dynamics.inertia(middle)
    bench.engine.place_joints(body, middle, random.uniform(-0.5, 0.5, len(joints)))
    for _ in range(STEPS):
        state, (position, rate) = bench.state(body), bench.joints(body)
        effort = inertia * random.uniform(-50.0, 50.0, len(joints))
        linear, angular, expected = dynamics.accelerations(state, position, rate, effort)
        bench.engine.apply_effort(body, effort)
        bench.engine.step()
        after, (angle, pace) = bench.state(body), bench.joints(body)
        assert np.all((low < angle) & (angle < high))
        assert pace - rate == pytest.approx(STEP * expected, abs=1e-8)
        assert angle - position == pytest.approx(STEP * pace, abs=1e-15)
        assert after.angular_velocity - state.angular_velocity == pytest.approx(
            STEP * angular, abs=1e-7
        )
        assert after.linear_velocity - state.linear_velocity == pytest.approx(
            STEP * linear, abs=2e-5
        )
