"""Where the episodes of walking on rubble begin."""

from dataclasses import replace

import numpy as np
import pytest

from softshell_description.load import load_robot
from softshell_kinematics.transforms import rotation_about, transform
from softshell_studies.gym.tasks import make_task


def test_a_robot_on_rubble_begins_with_its_base_link_at_its_height(monkeypatch):
    """Also where that is a frame elsewhere on the root link: its root is as high as otherwise."""
    own = load_robot('quadruped')
    name = 'head'
    turned = transform(rotation_about((0.0, 1.0, 0.0), 0.5), (0.1, 0.0, 0.2))
    joints = tuple(
        replace(each, origin=turned) if each.child == name else each for each in own.urdf.joints
    )
    other = replace(
        own, urdf=replace(own.urdf, joints=joints), base=own.base.model_copy(update={'link': name})
    )
    monkeypatch.setattr('softshell_studies.gym.walk.load_robot', lambda name: other)
    monkeypatch.setattr('softshell_studies.gym.walk.SETTLE', 0.0)
    task = make_task('WalkRough', robot='quadruped')
    task.begin(np.random.default_rng(0))
    base = task.world.measured.base
    assert base.position[2] == pytest.approx(task._height)
    assert base.orientation[:2] == pytest.approx([0.0, 0.0])
    task.close()
