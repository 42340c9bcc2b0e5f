"""Legs with more joints than a foot has coordinates keep near the pose in which a robot stands."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from softshell_actions.rehearsal import Rehearsal
from softshell_description.load import load_robot

ANT = Path(__file__).parents[3] / 'examples/my_robot_pkg/robots/ant'
HIP = '<xacro:joint name="${name}_hip" parent="${name}_coxa" child="${name}_femur" xyz="0.03 0 0"'
ROLL = """
<link name="${name}_roller"><xacro:solid mass="0.01" size="${[0.02, 0.02, 0.02]}" /></link>
<xacro:joint name="${name}_roll" parent="${name}_coxa" child="${name}_roller" xyz="0.03 0 0"
             axis="1 0 0" lower="-1" upper="1" />
<xacro:joint name="${name}_hip" parent="${name}_roller" child="${name}_femur" xyz="0 0 0"
"""


@pytest.fixture(scope='module')
def robot(tmp_path_factory):
    """The ant with a fourth joint in each leg, about the leg's own axis; it stands as before."""
    folder = tmp_path_factory.mktemp('robots') / 'roller'
    shutil.copytree(ANT, folder)
    urdf, table = folder / 'ant.urdf.xacro', folder / 'robot.yaml'
    text = urdf.read_text(encoding='utf-8')
    assert HIP in text
    urdf.write_text(text.replace(HIP, ROLL.strip()), encoding='utf-8')
    text = table.read_text(encoding='utf-8')
    text = text.replace("'{leg}_hip': ax12a", "'{leg}_hip': ax12a, '{leg}_roll': ax12a")
    for angle in (-0.4, -0.9795):
        text = text.replace(
            f"'{{leg}}_hip': {angle}", f"'{{leg}}_hip': {angle}, '{{leg}}_roll': 0"
        )
    table.write_text(text, encoding='utf-8')
    return load_robot(folder)


def farthest(rehearsal, pose):
    """How far the joint is from a pose that is farthest from it [rad]."""
    joints = rehearsal.state.joints
    return max(abs(joints[name] - pose[name]) for name in rehearsal.robot.joint_names)


def test_a_robot_that_has_walked_and_turned_stands_as_before(robot):
    """Its feet are where they were under it, so nothing is nearer to the stand pose than that.

    Without a posture the fourth joint goes a little further with every step.
    """
    rehearsal, stand = Rehearsal(robot, 'stand'), robot.poses['stand']
    for action, parameters in (('walk', {'distance': 0.2}), ('turn', {'angle': 0.5})):
        for part in rehearsal.perform(action, parameters):
            for leg in rehearsal.body.stance.legs:
                chain = rehearsal.body.chains[leg]
                q = np.column_stack([part.joints[name] for name in chain.variables])
                wanted = part.plan.limbs[leg][:, :3]
                assert np.abs(chain.forward(q)[:, :3, 3] - wanted).max() < 1e-5
        assert farthest(rehearsal, stand) < 1e-3


def test_legs_that_begin_elsewhere_are_led_there_without_a_jump(robot):
    """A robot that stands on turned legs raises its base: each joint goes on from where it is.

    When the base is back, all is as in the stand pose, up to the millimetre by which feet roll.
    """
    stand = robot.poses['stand']
    rehearsal = Rehearsal(robot, 'stand')
    turned = {name: at + 0.1 * name.endswith('_roll') for name, at in stand.items()}
    start = rehearsal.body.measured_state(turned)
    rehearsal.state, before, largest = start, dict(start.joints), 0.0
    for height in (0.01, 0.0):
        parts = list(rehearsal.perform('pose', {'z': start.base_position[2] + height}))
        assert parts
        for part in parts:
            for name, path in part.joints.items():
                assert path[0] == pytest.approx(before[name], abs=1e-6)
                largest = max(largest, np.abs(np.diff(path)).max())
                before[name] = path[-1]
    assert largest < 0.02
    rolls = [rehearsal.state.joints[name] for name in stand if name.endswith('_roll')]
    assert np.abs(rolls).max() < 0.05
