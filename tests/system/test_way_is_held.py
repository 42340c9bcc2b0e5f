"""Strides of the real stack make up for what those before them slipped."""

import math

import numpy as np
import pytest
from stack_rig import robot_in_mujoco


def walked(folder, holds):
    """(2,) how far it came [m], and what it turned [deg], told to walk 2 m on slippery ground."""
    file = folder / 'params.yaml'
    file.write_text(
        'bridge:\n  ros__parameters: {friction: 0.15}\n'
        f'action_manager:\n  ros__parameters: {{hold_heading: {str(holds).lower()}}}\n'
    )
    with robot_in_mujoco(real_time_factor='0', params_file=str(file)) as (shell, _):
        shell.perform('stand')
        begin, heading = shell.position.copy(), shell.yaw
        shell.perform('walk', distance=2.0)
        return (shell.position - begin)[:2], math.degrees(shell.yaw - heading)


@pytest.mark.long
def test_what_slips_is_made_up_for(tmp_path):
    """On ice 2 m are 2 m within 5 mm and 0.25 degrees."""
    way, turned = walked(tmp_path, holds=True)
    assert way == pytest.approx([2.0, 0.0], abs=0.005)
    assert abs(turned) < 0.25


@pytest.mark.long
def test_without_it_the_robot_goes_as_it_is_planned(tmp_path):
    """Then it is further off than that."""
    way, turned = walked(tmp_path, holds=False)
    assert np.abs(way - [2.0, 0.0]).max() > 0.005 or abs(turned) > 0.25
