"""Moves along curves with keys of their own: nodes, degree, law."""

import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from softshell_actions.curves.nurbs import CurveError
from softshell_actions.curves.time_law import LAWS, progress
from softshell_actions.language.grammar import BaseMove, JointsMove, SubAction, TipMove
from softshell_actions.performing.call import Call
from softshell_actions.planning.move_path import base_path, joint_path, tip_path
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import body_of
from softshell_description.load import load_robot
from softshell_kinematics.errors import OutOfRangeError
from softshell_kinematics.transforms import COORDINATES

sys.path.insert(0, str(Path(__file__).parent))
from changed_robots import changed
from planner_rig import PLANNER, standing

#: So many samples that one of them is close to each node.
MANY = 20_001
NODES = [{'x': 0.05}, {'x': 0.05, 'y': 0.04, 'yaw': 2.0}, {'y': -0.03, 'yaw': 4.0, 'z': 0.22}]


def call_of(move, **values) -> Call:
    return Call(SubAction(name='draw', duration=2.0, moves=[move]), values)


def poses(entries) -> np.ndarray:
    """(points, 6) from zero on; what an entry leaves out is as before."""
    rows = [np.zeros(6)]
    for entry in entries:
        rows.append(rows[-1].copy())
        for name, value in entry.items():
            rows[-1][COORDINATES.index(name)] = value
    return np.array(rows)


def nearest(path, node) -> float:
    return float(np.linalg.norm(path - node, axis=1).min())


def test_a_base_passes_through_nodes_at_the_same_time_in_place_and_turn():
    """Where the position is closest to a node, so is the orientation; ends are exact."""
    points = poses(NODES)
    positions, turned = base_path(BaseMove(base=NODES, nodes=True), points, MANY, 'base')
    assert np.array_equal(positions[[0, -1]], points[[0, -1], :3])
    for point in points:
        distances = np.linalg.norm(positions - point[:3], axis=1)
        sample = int(np.argmin(distances))
        assert distances[sample] < 1e-4
        error = turned[sample].inv() * Rotation.from_euler('ZYX', point[3:])
        assert error.magnitude() < 2e-3


def test_control_points_of_a_degree_draw_the_curve_at_the_law():
    """Degree 1 with weights 1 from one point to another goes straight, as far as the law says."""
    points, move = poses([{'x': 0.1, 'y': -0.2}]), BaseMove(base=[{'x': 0.1, 'y': -0.2}], degree=1)
    positions, _ = base_path(move, points, 101, 'base')
    expected = np.outer(LAWS['quintic'](np.linspace(0, 1, 101)), [0.1, -0.2, 0.0])
    assert np.abs(positions - expected).max() < 1e-15


@pytest.mark.parametrize('law', ['cubic', 'quintic'])
def test_position_and_orientation_share_one_law(law):
    """About one axis, the angle goes as far as the position at each time."""
    points = poses([{'x': 0.1, 'yaw': 1.0}, {'x': 0.3, 'yaw': 3.0}, {'x': 0.2, 'yaw': 2.0}])
    for nodes in (False, True):
        move = BaseMove(base=[{}] * 3, nodes=nodes, law=law, weights=[2.0, 1.0, 0.5])
        positions, turned = base_path(move, points, 200, 'base')
        angles = np.unwrap(turned.as_euler('ZYX')[:, 0])
        assert angles == pytest.approx(10.0 * positions[:, 0], abs=1e-12)


def test_a_quarter_circle_is_drawn_by_three_weighted_points():
    """Weights 1, √½, 1 and degree 2: a tip keeps its distance to the centre to 1e-14 m."""
    points = np.full((3, 6), np.nan)
    points[:, :2] = [[0.1, 0.0], [0.1, 0.1], [0.0, 0.1]]
    move = TipMove(group='g', points=[{}, {}], degree=2, weights=[np.sqrt(0.5), 1.0])
    path = tip_path(move, points, 301, 'tip')
    assert np.abs(np.linalg.norm(path[:, :2], axis=1) - 0.1).max() < 1e-14
    assert np.isnan(path[:, 2:]).all()


def test_a_tip_turns_as_the_base_does():
    """With all coordinates named, a tip's path is the base's with the same points."""
    points = poses(NODES)
    keys = {'nodes': True, 'degree': 2, 'law': 'cubic'}
    path = tip_path(TipMove(group='g', points=NODES, **keys), points, 50, 'tip')
    positions, turned = base_path(BaseMove(base=NODES, **keys), points, 50, 'base')
    assert np.abs(path[:, :3] - positions).max() < 1e-14
    assert (Rotation.from_euler('ZYX', path[:, 3:]).inv() * turned).magnitude().max() < 1e-7


def test_joints_share_one_curve_through_their_nodes():
    """All joints are at a node at once, and rest at both ends."""
    points = np.array([[0.1, 0.0, 3.0], [0.5, 1.0, 3.0], [-0.2, 0.5, 3.0], [0.0, 0.0, 3.0]])
    path = joint_path(JointsMove(group='g', joints=[{}] * 3, nodes=True), points, MANY, 'joints')
    assert np.array_equal(path[[0, -1]], points[[0, -1]])
    assert max(nearest(path, node) for node in points) < 2e-4
    assert np.ptp(path[:, 2]) < 1e-14
    assert np.abs(np.diff(path, axis=0)[[0, -1]]).max() < 1e-9


def test_nodes_that_differ_in_one_coordinate_alone_are_different():
    """A pure turn between two nodes in place is no repetition."""
    entries = [{'yaw': 1.0}, {'yaw': 1.0, 'z': 0.1}, {'yaw': 0.2}]
    positions, turned = base_path(BaseMove(base=entries, nodes=True), poses(entries), MANY, 'base')
    errors = turned.as_euler('ZYX')[:, 0] - 1.0
    assert np.hypot(errors, positions[:, 2]).min() < 1e-3


def test_a_base_turns_through_nodes_in_place():
    """Its position stays the same to 1e-15 m, for turns to either side."""
    entries = [{'yaw': 0.3}, {'yaw': -0.2, 'pitch': 0.1}, {'yaw': 0.5}, {'roll': 0.2}]
    points = poses(entries) + [0.1, -0.3, 0.2, 0.0, 0.0, 0.0]
    positions, turned = base_path(BaseMove(base=entries, nodes=True), points, 500, 'base')
    assert np.abs(positions - points[0, :3]).max() < 1e-15
    angles = turned.as_euler('ZYX')
    assert max(nearest(angles, point[3:]) for point in points) < 5e-3


def test_going_to_where_things_are_is_staying_there():
    """A first node at the start counts once, with the others as they are; alone, nothing moves."""
    stay = BaseMove(base=[{'x': 0.0}], nodes=True, degree=1)
    positions, _ = base_path(stay, np.zeros((2, 6)), 20, 'base')
    assert not positions.any()
    entries = [{'x': 0.0}, {'x': 0.1}, {'x': 0.1, 'y': 0.1}]
    once = base_path(BaseMove(base=entries[1:], nodes=True), poses(entries[1:]), 40, 'base')
    twice = BaseMove(base=entries, nodes=True, degree=3)
    assert np.array_equal(base_path(twice, poses(entries), 40, 'base')[0], once[0])


@pytest.mark.parametrize(
    ('move', 'problem'),
    [
        (
            BaseMove(base=[{'x': 'a'}, {'x': 0.1}], nodes=True),
            'draw: base: nodes 1 and 2 are the same, 0.1, 0, 0.2; expected nodes that differ',
        ),
        (
            BaseMove(base=[{'x': 0.0}, {'x': 'a'}, {'x': 0.1}], nodes=True),
            'draw: base: nodes 2 and 3 are the same, 0.1, 0, 0.2',
        ),
        (
            TipMove(group='upper', points=[{'x': 'a'}, {'y': 'a'}], degree=3),
            'draw: tips of upper: degree is 3; expected a whole number from 1 to 2',
        ),
        (
            JointsMove(group='upper', pose='idle', degree=2),
            'draw: joints of upper: degree is 2; expected a whole number from 1 to 1',
        ),
        (
            JointsMove(group='fold', joints=[{'fold': 'a'}], law='cubic', weights=[1e-9]),
            'draw: joints of fold: weights are 1e-09 to 1; expected the largest to be at most',
        ),
        (
            BaseMove(base=[{'x': 'a'}], law='cubic', weights=[1.0, 2.0]),
            'draw: base: has 3 weights; expected 2',
        ),
        (
            BaseMove(base=[{'x': 'a * 10 ** 300'}], law='cubic'),
            r'draw: base: points\[1, 0\] is 1e\+299; expected -1e\+09 to 1e\+09 m or rad',
        ),
    ],
)
def test_what_expressions_make_of_a_curve_is_refused_when_it_is_planned(move, problem):
    """The error names the sub-action, the move, the value and what was expected."""
    with pytest.raises((CurveError, OutOfRangeError), match=problem):
        PLANNER.plan(call_of(move, a=0.1), standing())


def test_a_plan_runs_by_the_law():
    """The base of a planned sub-action rises as far as the quintic says."""
    move = BaseMove(base=[{'z': 'a'}], relative=True, law='quintic')
    plan = PLANNER.plan(call_of(move, a=0.05), standing())
    path = plan.limbs['lower_0'][:, 2]
    assert path[0] - path == pytest.approx(0.05 * progress('quintic', len(path)), abs=1e-12)


def test_a_pose_is_reached_by_the_law():
    """Joints on their way to a pose keep to the law too."""
    move = JointsMove(group='upper', pose='idle', law='cubic')
    plan = PLANNER.plan(call_of(move), standing())
    path = plan.joints['upper_3_elbow']
    assert path == pytest.approx(-0.3 * progress('cubic', len(path)), abs=1e-15)


def drawn(folder) -> np.ndarray:
    """(times, 3) [m] of the arm's tip, as a bridge runs the second sub-action of `draw`."""
    robot = load_robot(folder)
    body, rehearsal = body_of(robot), Rehearsal(robot)
    _, part = islice(rehearsal.perform('draw'), 2)
    motion = part.motion
    path = CubicHermiteSpline(motion.times, motion.positions, motion.velocities)
    rows = path(np.linspace(0.0, motion.duration, 400))
    return np.array([body.forward(dict(zip(motion.joints, q, strict=True)))['arm'] for q in rows])[
        :, :3, 3
    ]


SIDE = '[{x: -width, z: 0, pitch: 0}]'


def test_an_arm_draws_a_circle_with_its_tip(tmp_path):
    """By inverse kinematics and between its points too, the radius is right to 0.02 mm."""
    corner = '[{x: -0.03, z: 0, pitch: 0}, {x: -0.03, z: 0.03, pitch: 0}]'
    keys = 'degree: 2, weights: [0.7071067811865476, 1]'
    circle = ('actions/draw.yaml', f'points: {SIDE}', f'points: {corner}, {keys}')
    tips = drawn(changed(tmp_path, 'arm', circle))
    centre = tips[0] + [0.0, 0.0, 0.03]
    assert np.abs(np.linalg.norm(tips - centre, axis=1) - 0.03).max() < 2e-5
    assert tips[-1] == pytest.approx(centre - [0.03, 0.0, 0.0], abs=2e-6)


def test_an_arm_passes_through_nodes_with_its_tip(tmp_path):
    """Within 0.5 mm, which is how far apart the times are that are looked at."""
    nodes = [(-0.05, 0.0), (-0.08, 0.03), (-0.06, 0.01)]
    points = ', '.join(f'{{x: {x}, z: {z}, pitch: 0}}' for x, z in nodes)
    through = ('actions/draw.yaml', f'points: {SIDE}', f'points: [{points}], nodes: true')
    tips = drawn(changed(tmp_path, 'arm', through))
    for x, z in nodes:
        assert nearest(tips, tips[0] + [x, 0.0, z]) < 5e-4
