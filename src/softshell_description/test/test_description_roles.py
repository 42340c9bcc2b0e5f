"""What a robot names to do with: legs, and a controller that rolls it."""

import pytest

from softshell_description.load import load_robot
from softshell_description.robots import robot_folder
from softshell_kinematics.errors import ProblemsError

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
    ],
    ids=['legs', 'rolling'],
)
def test_one_that_does_not_fit_is_named(tmp_path, old, new, told):
    """Where feet are is told in the frame of the base, so that legs begin there."""
    assert QUADRUPED.count(old) == 1
    (tmp_path / 'robot.yaml').write_text(QUADRUPED.replace(old, new), encoding='utf-8')
    with pytest.raises(ProblemsError) as caught:
        load_robot(tmp_path)
    assert told in '\n'.join(caught.value.problems)
