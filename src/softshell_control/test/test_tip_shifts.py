"""Corrections that shift tips, and forces on tips, against each chain's own kinematics."""

import numpy as np
import pytest

from softshell_description.load import load_robot
from softshell_kinematics.loops.tip_forces import TipForces
from softshell_kinematics.model.from_urdf import chain_from_urdf

ROBOTS = ('shell', 'quadruped')


class Legs:
    """The legs of a robot in the pose in which it stands."""

    def __init__(self, name):
        robot = load_robot(name)
        self.names = robot.joint_names
        self.chains = [chain_from_urdf(robot.urdf, robot.base.link, f) for f in robot.legs.feet]
        self.own = [robot.own_joints(leg) for leg in robot.legs.chains]
        self.lower = np.array([joint.lower for joint in robot.joints])
        self.upper = np.array([joint.upper for joint in robot.joints])
        self.joints = robot.pose(robot.legs.stand).copy()
        self.tips = TipForces(self.chains, self.names, self.own, self.lower, self.upper)
        self.moved = [robot.index(name) for own in self.own for name in own]

    def place(self, joints):
        """(legs, 3) feet in the base, chain by chain."""
        at = dict(zip(self.names, joints, strict=True))
        return np.array(
            [chain.forward([at[v] for v in chain.variables])[:3, 3] for chain in self.chains]
        )


@pytest.fixture(scope='module', params=ROBOTS)
def legs(request):
    return Legs(request.param)


def test_tips_are_shifted_to_the_last_digit(legs):
    """By up to 2 cm any way, from one correction to the next, as forward kinematics says."""
    random = np.random.default_rng(0)
    corrections, reached = np.zeros(len(legs.joints)), np.zeros((len(legs.chains), 3))
    before = legs.place(legs.joints)
    for _ in range(20):
        shifts = random.uniform(-0.02, 0.02, reached.shape)
        legs.tips.solve(legs.joints, shifts, corrections, reached)
        found = legs.place(legs.joints + corrections) - before
        assert found == pytest.approx(shifts, abs=2e-5)
        assert reached == pytest.approx(found, abs=1e-12)


def test_only_joints_of_their_own_move(legs):
    """The others keep what they were corrected by."""
    corrections, reached = np.full(len(legs.joints), 0.1), np.zeros((len(legs.chains), 3))
    legs.tips.solve(legs.joints, np.zeros_like(reached), corrections, reached)
    assert corrections[legs.moved] == pytest.approx(0.0, abs=1e-3)
    others = np.setdiff1d(np.arange(len(legs.joints)), legs.moved)
    assert (corrections[others] == 0.1).all()


def test_what_is_out_of_reach_is_told(legs):
    """Half a metre up: joints stay within their limits, and it says how far tips came."""
    corrections, reached = np.zeros(len(legs.joints)), np.zeros((len(legs.chains), 3))
    shifts = np.tile([0.0, 0.0, 0.5], (len(legs.chains), 1))
    legs.tips.solve(legs.joints, shifts, corrections, reached)
    joints = (legs.joints + corrections)[legs.moved]
    assert (joints >= legs.lower[legs.moved] - 1e-12).all()
    assert (joints <= legs.upper[legs.moved] + 1e-12).all()
    found = legs.place(legs.joints + corrections) - legs.place(legs.joints)
    assert reached == pytest.approx(found, abs=1e-12)
    assert (np.linalg.norm(reached - shifts, axis=1) > 0.05).all()
    # And it comes back from there.
    shifts[:, 2] = 0.01
    legs.tips.solve(legs.joints, shifts, corrections, reached)
    assert reached == pytest.approx(shifts, abs=2e-5)


def test_forces_do_the_work_of_the_efforts(legs):
    """Virtual work: whatever way joints move, the feet's forces undo what the motors do."""
    random = np.random.default_rng(1)
    efforts = np.zeros(len(legs.joints))
    efforts[legs.moved] = random.uniform(-1.0, 1.0, len(legs.moved))
    forces, known = np.zeros((len(legs.chains), 3)), np.zeros(len(legs.chains), dtype=np.bool_)
    legs.tips.estimate(legs.joints, efforts, forces, known)
    assert known.all()
    for _ in range(5):
        way = np.zeros(len(legs.joints))
        way[legs.moved] = random.uniform(-1e-5, 1e-5, len(legs.moved))
        moved = legs.place(legs.joints + way) - legs.place(legs.joints - way)
        work = (forces * moved).sum()
        assert work == pytest.approx(-2.0 * efforts @ way, rel=2e-3, abs=1e-8)


def test_of_a_leg_that_is_not_measured_nothing_is_known(legs):
    """Its foot is not known; the forces of all others are, here 0."""
    joints = legs.joints.copy()
    joints[legs.moved[0]] = np.nan
    forces, known = np.ones((len(legs.chains), 3)), np.zeros(len(legs.chains), dtype=np.bool_)
    legs.tips.estimate(joints, np.zeros(len(joints)), forces, known)
    assert known.tolist() == [False] + [True] * (len(known) - 1)
    assert (forces == 0.0).all()
