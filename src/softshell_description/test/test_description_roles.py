"""What a robot names to do with: legs, and a controller that rolls it."""

import re

import pytest

from softshell_description.load import load_robot
from softshell_description.robots import robot_folder
from softshell_kinematics.errors import ProblemsError

CONTROLLER = 'softshell_control.ball.controller:RollingController'
QUADRUPED = (robot_folder('quadruped') / 'robot.yaml').read_text(encoding='utf-8')


@pytest.mark.parametrize(
    ('old', 'new', 'told'),
    [
        (
            '{base: base_link, tip:',
            "{base: '{leg}_hip_link', tip:",
            "begins at 'front_left_hip_link'; expected 'base_link', the link of base",
        ),
        (
            'commands:\n',
            'commands:\n  rolling: rol\n',
            "commands.rolling: unknown controller 'rol'; known: none",
        ),
        (
            'commands:\n',
            f'controllers: {{roll: {CONTROLLER}}}\ncommands:\n  rolling: roll\n',
            "commands.rolling: is 'roll'; expected a robot with a cage",
        ),
    ],
    ids=['legs', 'rolling', 'cage'],
)
def test_one_that_does_not_fit_is_named(tmp_path, old, new, told):
    """Where feet are is told in the frame of the base, so that legs begin there."""
    assert QUADRUPED.count(old) == 1
    (tmp_path / 'robot.yaml').write_text(QUADRUPED.replace(old, new), encoding='utf-8')
    with pytest.raises(ProblemsError) as caught:
        load_robot(tmp_path)
    assert told in '\n'.join(caught.value.problems)


def test_a_footprint_may_have_what_its_refusal_says(tmp_path):
    """Letters, digits, and every sign that is named, but for a / at an end."""
    told = 'expected the name of a frame of its own: letters, digits, '
    written = 'footprint: base_footprint'

    def load(name):
        text = QUADRUPED.replace(written, f"footprint: '{name}'")
        (tmp_path / 'robot.yaml').write_text(text, encoding='utf-8')
        return load_robot(tmp_path).base.footprint

    with pytest.raises(ProblemsError) as caught:
        load('a b')
    (problem,) = caught.value.problems
    signs = re.findall(r'[^\w\s,]|_', problem.partition(told)[2].partition(', and none')[0])
    assert {*signs} == {*'_.-/'}
    for sign in signs:
        assert load(f'a{sign}9') == f'a{sign}9'
    with pytest.raises(ProblemsError, match=r'is \'a/\'; ' + told):
        load('a/')


def test_a_controller_that_is_wrong_is_not_unknown_as_well(tmp_path):
    """One mistake is one problem."""
    new = 'controllers: {rolling: 5}\ncommands:\n  rolling: rolling\n'
    (tmp_path / 'robot.yaml').write_text(QUADRUPED.replace('commands:\n', new), encoding='utf-8')
    with pytest.raises(ProblemsError) as caught:
        load_robot(tmp_path)
    assert not any('unknown controller' in problem for problem in caught.value.problems)
    assert any('controllers.rolling' in problem for problem in caught.value.problems)
