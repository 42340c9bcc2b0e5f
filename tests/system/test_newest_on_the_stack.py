"""What a program measures after a request is not older than its end, on the real stack."""

import numpy as np
import pytest
from stack_rig import robot_in_mujoco


@pytest.mark.long
def test_pose_and_joints_are_of_after_the_request_although_they_are_published_rarely(tmp_path):
    """Each hundredth control period; a reset is answered long before that."""
    file = tmp_path / 'params.yaml'
    file.write_text('bridge:\n  ros__parameters: {publish_divider: 100}\n')
    with robot_in_mujoco(params_file=str(file)) as (shell, _):
        shell.perform('stand')
        begin = shell.position[:2]
        shell.perform('walk', distance=0.3)
        assert shell.position[:2] - begin == pytest.approx([0.3, 0.0], abs=0.02)
        shell.reset()
        assert np.linalg.norm(shell.position[:2]) < 0.05
