"""What is refused in the curves of moves when files are read."""

import sys
from pathlib import Path

import pytest

from softshell_actions.robot import body_of
from softshell_description.load import load_robot

sys.path.insert(0, str(Path(__file__).parent))
from changed_robots import at_line_of, changed, problems_of

WAVE, POSE = 'actions/wave.yaml', 'actions/pose.yaml'
TURN = '{group: arm, joints: [{wrist: 1.0}, {wrist: -0.4}]}'
BASE = '{base: [{x: x, y: y, z: z, yaw: yaw, pitch: pitch, roll: roll}]}'
MOVE = 'sub_actions.0.moves.0'


def joints(points, keys):
    return f'{{group: arm, joints: [{points}], {keys}}}'


TWO = '{wrist: 1.0}, {wrist: -0.4}'


@pytest.mark.parametrize(
    ('new', 'problem'),
    [
        (
            joints('{wrist: 1}, {wrist: -0.4}, {wrist: -0.4}', 'nodes: true'),
            f'{MOVE}.joints.2: repeats the node before it (wrist -0.4); expected nodes that '
            'differ',
        ),
        (
            joints('{wrist: 2 / 4}, {wrist: 0.5}', 'nodes: true'),
            f'{MOVE}.joints.1: repeats the node before it (wrist 0.5); expected nodes that differ',
        ),
        (
            joints('{wrist: times / 40}, {}', 'nodes: true'),
            f'{MOVE}.joints.1: repeats the node before it (wrist 0.05); expected nodes that '
            'differ',
        ),
        (
            joints(TWO, 'degree: 3'),
            f'{MOVE}.degree: is 3; expected 2 at most, for the start and 2 points',
        ),
        (
            '{group: arm, pose: home, degree: 2}',
            f'{MOVE}.degree: is 2; expected 1 at most, for the start and one point',
        ),
        (joints(TWO, 'degree: 0'), f'{MOVE}.degree: is 0; expected at least 1'),
        (joints(TWO, 'degree: 1.5'), f'{MOVE}.degree: is 1.5; expected a whole number'),
        (joints(TWO, 'degree: true'), f'{MOVE}.degree: is true; expected a whole number'),
        (
            joints(TWO, 'law: linear'),
            f"{MOVE}.law: is 'linear'; expected 'cubic' or 'quintic'",
        ),
        (
            joints(TWO, 'nodes: true, weights: [1, -2]'),
            f'{MOVE}.weights.1: is -2; expected more than 0',
        ),
        (
            joints(TWO, 'nodes: true, weights: [1, .nan]'),
            f'{MOVE}.weights.1: is .nan; expected a finite number',
        ),
        (
            joints(TWO, 'nodes: true, weights: [1, 0]'),
            f'{MOVE}.weights.1: is 0; expected more than 0',
        ),
        (
            joints(TWO, 'nodes: true, weights: [1]'),
            f'{MOVE}: weights has 1 entries; expected 2',
        ),
        (
            joints(TWO, 'nodes: true, weights: [1, 1.0e-9]'),
            f'{MOVE}.weights: weights are 1e-09 to 1; expected the largest to be at most 1e+06 '
            'times the smallest; that of the start is 1',
        ),
        (
            joints(TWO, 'weights: [1.0e+300, 1.0e-300]'),
            f'{MOVE}.weights: weights are 1e-300 to 1e+300; expected the largest to be at most '
            '1e+06 times the smallest; that of the start is 1',
        ),
        (
            joints(TWO, 'weights: [2.0e+6, 2.0e+6]'),
            f'{MOVE}.weights: weights are 1 to 2e+06; expected the largest to be at most 1e+06 '
            'times the smallest; that of the start is 1',
        ),
    ],
)
def test_a_curve_that_is_none_is_refused_with_its_line(tmp_path, new, problem):
    """One line that names the key, the value and what was expected."""
    (found,) = problems_of(tmp_path, 'arm', (WAVE, TURN, new))
    assert found == at_line_of(tmp_path, 'arm', WAVE, new, problem)


def test_a_base_that_stays_at_a_node_is_refused(tmp_path):
    """Of a base that moves relative to its start, coordinates not named are 0."""
    new = '{base: [{}, {x: 0, z: 0.0}], relative: true, nodes: true}'
    (found,) = problems_of(tmp_path, 'quadruped', (POSE, BASE, new))
    problem = f'{MOVE}.base.1: repeats the node before it (x 0, z 0); expected nodes that differ'
    assert found == at_line_of(tmp_path, 'quadruped', POSE, new, problem)


@pytest.mark.parametrize(
    ('robot', 'file', 'old', 'new'),
    [
        ('arm', WAVE, TURN, joints(TWO, 'nodes: true, degree: 2, law: cubic, weights: [2, 1]')),
        ('arm', WAVE, TURN, '{group: arm, pose: home, law: quintic}'),
        ('quadruped', POSE, BASE, '{base: [{x: 0}, {x: 0, z: 0}], nodes: true}'),
        ('quadruped', POSE, BASE, '{base: [{x: 0}, {x: 0.01}, {x: 0}], nodes: true}'),
        ('quadruped', POSE, BASE, '{base: [{x: 0}, {x: 0}, {x: 0}]}'),
    ],
)
def test_curves_that_are_right_are_read(tmp_path, robot, file, old, new):
    """Nodes that return, or that name a coordinate for the first time, are no repetition; control
    points may be repeated."""
    folder = changed(tmp_path, robot, (file, old, new))
    assert body_of(load_robot(folder)).library().actions
