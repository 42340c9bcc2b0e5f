"""A motion that is too fast gets the time that it needs in few attempts."""

import pytest

from softshell_actions.robot import body_of
from softshell_actions.trajectories.joint_limits import Peak
from softshell_description.load import load_robot


@pytest.mark.parametrize(
    ('steady', 'swift'), [(0.0, 1.1), (0.0, 4.0), (0.7, 0.4), (0.95, 0.06), (0.98, 0.04)]
)
def test_time_that_helps_little_is_made_up_for(steady, swift):
    """Though a part of an acceleration does not fall with time; the rest falls with its square."""
    pacing = body_of(load_robot('shell')).pacing()
    stretch, attempts = 1.0, 0
    while (acceleration := steady + swift / stretch**2) > 1.0:
        peak = Peak('knee', 'acceleration', 150.0 * acceleration, 150.0, 'rad', 0.0)
        stretch *= pacing.slow_down(peak)
        attempts += 1
    assert attempts <= 4
    assert stretch <= 1.5 * (swift / (1.0 - steady)) ** 0.5
