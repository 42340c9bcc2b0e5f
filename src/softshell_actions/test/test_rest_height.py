"""The height at which a robot is to stand is held against its legs."""

import sys
from pathlib import Path

import pytest

from softshell_actions.robot import HEIGHT_MARGIN, body_of
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError

sys.path.insert(0, str(Path(__file__).parent))
from changed_robots import changed

#: Of the quadruped, by its angles and lengths: what its file says.
HEIGHT = 0.135
WRITTEN = f'rest_height: {HEIGHT}'


def body_that_stands_at(tmp_path, height, *others):
    new = ('robot.yaml', WRITTEN, f'rest_height: {height:.4f}')
    return body_of(load_robot(changed(tmp_path, 'quadruped', new, *others)))


@pytest.mark.parametrize('off', [-0.02, -1.5 * HEIGHT_MARGIN, 1.5 * HEIGHT_MARGIN, 0.1])
def test_a_height_that_does_not_fit_the_legs_is_refused(tmp_path, off):
    """It would begin in the ground, or fall."""
    height = HEIGHT + off
    text = (
        f"robot 'quadruped': rest_height of pose 'stand' is {height:g}; its feet reach 0.1350 m "
        'below its base; expected that height'
    )
    with pytest.raises(SoftshellError) as caught:
        body_that_stands_at(tmp_path, height)
    assert str(caught.value) == text


@pytest.mark.parametrize('off', [-0.5 * HEIGHT_MARGIN, 0.5 * HEIGHT_MARGIN])
def test_some_millimetres_do_not_matter(tmp_path, off):
    """Numbers are rounded, and soles give way."""
    stance = body_that_stands_at(tmp_path, HEIGHT + off).stance
    assert stance is not None
    assert stance.stand_height == pytest.approx(HEIGHT - 0.01, abs=1e-4)
