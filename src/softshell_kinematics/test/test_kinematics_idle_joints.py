"""Goals that leave free exactly what a joint turns: that joint moves nothing of the goal."""

import numpy as np
import pytest

from softshell_kinematics import (
    DhRow,
    IkOptions,
    Joint,
    JointKind,
    SerialChain,
    chain_from_dh,
    coordinates_from_pose,
    solve_ik,
)
from softshell_kinematics.model.mechanism import ParallelMechanism
from softshell_kinematics.transforms import shift

YAW, ROLL = 3, 5
TURN, SLIDE = JointKind.REVOLUTE, JointKind.PRISMATIC


def scara():
    """A SCARA of the usual size: two links, a lift, and a tool that turns about its own axis."""
    return chain_from_dh(
        'scara',
        [
            DhRow(0.0, 0.4, 0.0, 0.325, 'shoulder', lower=-2.3, upper=2.3),
            DhRow(0.0, 0.0, 0.0, 0.225, 'elbow', lower=-2.6, upper=2.6),
            DhRow(0.0, 0.0, 0.0, 0.0, 'lift', SLIDE, -0.2, 0.0),
            DhRow(0.0, 0.0, 0.0, 0.0, 'tool', lower=-3.0, upper=3.0),
        ],
    )


def five_joint_arm():
    """A desktop arm of five joints, whose last one turns the tool about its x axis."""
    z, y, x = np.eye(3)[::-1]
    return SerialChain(
        'desktop arm',
        (
            Joint('waist', TURN, shift(z=0.072), z, -3.1, 3.1),
            Joint('shoulder', TURN, shift(z=0.039), y, -1.88, 1.98),
            Joint('elbow', TURN, shift(x=0.05, z=0.25), y, -2.14, 1.6),
            Joint('wrist', TURN, shift(x=0.25), y, -1.74, 2.14),
            Joint('tool', TURN, shift(x=0.065), x, -3.1, 3.1),
        ),
        shift(x=0.094),
    )


def goals_without(chain, coordinate, count, seed):
    """Goals of positions within limits, with one coordinate free, and the positions."""
    truth = chain.random(count, np.random.default_rng(seed))
    goals = coordinates_from_pose(chain.forward(truth))
    goals[:, coordinate] = np.nan
    return goals, truth


CHAINS = pytest.mark.parametrize(
    ('make', 'free'), [(scara, YAW), (five_joint_arm, ROLL)], ids=['scara', 'five joints']
)


@CHAINS
def test_every_reachable_goal_is_reached_in_few_steps(make, free):
    """Each has a solution, and is found without one damped step after another."""
    chain = make()
    goals, _ = goals_without(chain, free, 1000, seed=0)
    found = solve_ik(chain, goals)
    assert found.converged.all()
    assert found.iterations.mean() < 25.0
    left = coordinates_from_pose(chain.forward(found.q)) - goals
    angles = (left[:, 3:] + np.pi) % (2.0 * np.pi) - np.pi
    assert np.nanmax(np.abs(left[:, :3])) < 1e-5
    assert np.nanmax(np.abs(angles)) < 1e-5


@CHAINS
def test_the_joint_may_as_well_be_locked(make, free):
    """From nearby seeds as many goals are reached as without it, and it stays where it was.

    Unless a search is so slow that it takes second derivatives, which are differences.
    """
    chain = make()
    goals, truth = goals_without(chain, free, 500, seed=1)
    off = np.random.default_rng(2).normal(0.0, 0.1, truth.shape)
    seeds = np.clip(truth + off, chain.lower, chain.upper)
    once = IkOptions(restarts=0)
    found = solve_ik(chain, goals, seeds, once)
    locked = solve_ik(chain, goals, seeds, once, locked=[chain.joints[-1].name])
    assert found.converged.sum() >= locked.converged.sum() - 2
    assert np.mean(found.q[:, -1] == seeds[:, -1]) > 0.97


def test_of_a_mechanism_as_well():
    """Two such arms that share their lift."""
    arm = scara()
    lift = Joint('lift', SLIDE, np.eye(4), [0.0, 0.0, 1.0], -0.2, 0.0)
    arms = []
    for name, y in (('left', 0.3), ('right', -0.3)):
        turning = [
            Joint(f'{name} {each.name}', each.kind, each.origin, each.axis, each.lower, each.upper)
            for each in arm.joints
            if each.kind is TURN
        ]
        first = turning[0]
        begin = Joint(
            first.name, TURN, shift(y=y) @ first.origin, first.axis, first.lower, first.upper
        )
        arms.append(SerialChain(name, (lift, begin, *turning[1:]), arm.tool))
    mechanism = ParallelMechanism(arms)
    truth = np.random.default_rng(3).uniform(mechanism.lower, mechanism.upper, (200, 7))
    goals = coordinates_from_pose(np.stack(mechanism.forward(truth)))
    given = mechanism.solve(goals).converged.mean()
    goals[..., YAW] = np.nan
    assert mechanism.solve(goals).converged.mean() >= given
