"""What a robot names to do with: legs, and a controller that rolls it."""

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


def test_a_controller_that_is_wrong_is_not_unknown_as_well(tmp_path):
    """One mistake is one problem."""
    new = 'controllers: {rolling: 5}\ncommands:\n  rolling: rolling\n'
    (tmp_path / 'robot.yaml').write_text(QUADRUPED.replace('commands:\n', new), encoding='utf-8')
    with pytest.raises(ProblemsError) as caught:
        load_robot(tmp_path)
    assert not any('unknown controller' in problem for problem in caught.value.problems)
    assert any('controllers.rolling' in problem for problem in caught.value.problems)
