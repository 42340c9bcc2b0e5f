"""Standing feet roll: nothing of a sphere slips where it touches the ground."""

import numpy as np
import pytest

from softshell_actions.planning.rolling import RollingFoot
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import body_of
from softshell_description.foot_spheres import foot_spheres
from softshell_description.load import load_robot
from softshell_kinematics.solving.limbs import Limbs
from softshell_kinematics.transforms import rotation_from_angles

POINTS = 401
TIMES = np.linspace(0.0, 1.0, POINTS)
Z = np.array([0.0, 0.0, 1.0])


@pytest.fixture(scope='module')
def shell():
    return load_robot('shell')


def carried(shell, leg, yaw, pitch, forward, sideways):
    """Where a foot that stays is seen from a base that moves: goals (points, 3), base (.., 3, 3).

    The base starts at the origin, level; the foot is that of the pose in which the robot stands.
    """
    body = body_of(shell)
    foot = body.forward(shell.poses['stand'])[leg][:3, 3]
    share = TIMES**2 * (3.0 - 2.0 * TIMES)
    base = np.array([rotation_from_angles((yaw * s, pitch * s, 0.0)) for s in share])
    origin = np.outer(share, [forward, sideways, 0.01])
    return foot, origin, base, np.einsum('nji,nj->ni', base, foot - origin)


def slip(shell, foot, origin, base, goals):
    """(points,) speed over the ground of the point of the foot's sphere that touches it [m/s].

    From positions alone: how far the lowest point at one moment has moved at the next one.
    """
    chain = foot.chain
    paths = np.full((1, POINTS, 6), np.nan)
    paths[0, :, :3] = goals
    limbs = Limbs([chain])
    seeds = limbs.seeds([{name: shell.poses['stand'][name] for name in chain.variables}])
    locked = [name for name in shell.shared if name in chain.variables]
    (solved,) = limbs.solve(paths, seeds, locked=locked)
    assert solved.all_converged
    tips = chain.forward(solved.q)
    turned = base @ tips[:, :3, :3]
    centre = origin + np.einsum('nij,nj->ni', base, tips[:, :3, 3]) + turned @ foot.centre
    before, after = slice(None, -2), slice(2, None)
    # In the foot, seen at the moment in between.
    lowest = np.einsum('nji,j->ni', turned[1:-1], -foot.radius * Z)
    way = centre[after] - centre[before]
    way += np.einsum('nij,nj->ni', turned[after] - turned[before], lowest)
    return np.linalg.norm(way, axis=1) / (2.0 * TIMES[1])


@pytest.mark.parametrize('leg', ['lower_0', 'lower_2', 'lower_5'])
@pytest.mark.parametrize(
    ('yaw', 'pitch', 'forward', 'sideways'),
    [(0.0, 0.0, 0.05, 0.0), (0.0, 0.0, -0.03, 0.04), (0.2, 0.0, 0.0, 0.0), (0.1, 0.1, 0.03, 0.01)],
)
@pytest.mark.parametrize('centre', [(0.0, 0.0, 0.0), (0.004, -0.002, 0.003)])
def test_what_touches_the_ground_stands_still(shell, leg, yaw, pitch, forward, sideways, centre):
    """The sphere's lowest point is at rest; it is 20 times faster if the foot does not roll."""
    body = body_of(shell)
    place = shell.legs.chains.index(leg)
    radius = foot_spheres(shell).radius[place]
    chain = body.chains[leg]
    own = tuple(chain.index(name) for name in shell.own_joints(leg))
    foot = RollingFoot(chain, own, np.array(centre), radius)
    _, origin, base, goals = carried(shell, leg, yaw, pitch, forward, sideways)
    moved = foot.path(goals, base, shell.poses['stand'])
    rolled = goals + np.einsum('nji,nj->ni', base, moved)
    assert moved[0].tolist() == [0.0, 0.0, 0.0]
    across = slip(shell, foot, origin, base, rolled)
    assert across.max() < 2e-4
    assert slip(shell, foot, origin, base, goals).max() > 20.0 * across.max()


def test_a_leg_that_does_not_reach_its_goals_has_none(shell):
    """It does not roll; inverse kinematics then says what is out of reach."""
    body = body_of(shell)
    foot = RollingFoot(body.chains['lower_0'], (1, 2, 3), np.zeros(3), 0.006)
    goals = np.linspace([0.3, 0.0, -0.1], [2.0, 0.0, -0.1], 20)
    base = np.tile(np.eye(3), (20, 1, 1))
    assert not foot.path(goals, base, shell.poses['stand']).any()


def test_steps_do_not_add_up(shell):
    """After many walks feet stand where they do after two: what rolled is made good in the air."""
    rehearsal = Rehearsal(shell, 'stand')
    feet = []
    for _ in range(6):
        list(rehearsal.perform('walk', {'distance': 0.16}))
        feet.append(rehearsal.state.feet)
    assert feet[5] == pytest.approx(feet[1], abs=1e-4)


def test_a_robot_without_feet_has_none_that_roll():
    """The arm has no legs, and its planner no stance."""
    body = body_of(load_robot('arm'))
    planner = body.planner(body.library())
    assert planner.stance is None
    assert not planner._rolling.feet
