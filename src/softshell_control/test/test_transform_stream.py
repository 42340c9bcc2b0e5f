"""The tree of transforms: every link once, each where forward kinematics has it."""

import copy
import struct
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip('rclpy', reason='no ROS here')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')
pytest.importorskip('tf2_msgs.msg', reason='./softshell builds tf2_msgs where it is absent')

from rclpy.serialization import deserialize_message, serialize_message
from tf2_msgs.msg import TFMessage

from softshell_control.backend import BaseState, Measured
from softshell_control.joint_map import JointMap
from softshell_control.ros import transform_stream
from softshell_control.ros.transform_stream import SerializedTransforms, TransformStream
from softshell_description.load import load_robot
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.transforms import (
    quaternion_from_rotation,
    rotation_from_angles,
    rotation_from_quaternion,
    transform,
)

ROBOTS = ('shell', 'quadruped', 'arm', 'crane')
#: A slide and a joint that mimics it, below a base that is no root.
CRANE = """<?xml version="1.0"?>
<robot name="crane">
  <link name="world_plate"/>
  <link name="base_link"/>
  <link name="trolley"/>
  <link name="boom"/>
  <link name="hook"/>
  <joint name="stand" type="fixed">
    <parent link="world_plate"/> <child link="base_link"/>
    <origin xyz="0.1 -0.2 0.3" rpy="0.4 0.5 -0.6"/>
  </joint>
  <joint name="drive" type="prismatic">
    <parent link="world_plate"/> <child link="trolley"/>
    <origin xyz="0 0.5 1" rpy="0.3 0 1"/> <axis xyz="0.6 0.8 0"/>
    <limit lower="-0.5" upper="1.5" effort="10" velocity="1"/>
  </joint>
  <joint name="lift" type="prismatic">
    <parent link="trolley"/> <child link="boom"/>
    <origin xyz="0 0 -0.1"/> <axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="10" velocity="1"/>
    <mimic joint="drive" multiplier="-0.5" offset="0.1"/>
  </joint>
  <joint name="swing" type="revolute">
    <parent link="boom"/> <child link="hook"/>
    <origin xyz="0.2 0 0" rpy="0 0 0.7"/> <axis xyz="0 0.6 0.8"/>
    <limit lower="-3" upper="3" effort="10" velocity="1"/>
  </joint>
</robot>
"""
CRANE_CONFIG = """
description: A crane.
urdf: crane.urdf
base: {link: base_link}
motors:
  winch: {effort: 10.0, velocity: 1.0}
groups:
  crane:
    gains: {kp: 1.0, kd: 0.1}
    goal_tolerance: 0.01
    joints: {drive: winch, swing: winch}
poses:
  zero:
    joints: {drive: 0.0, swing: 0.0}
start: zero
"""


class Listener:
    """In place of a node: keeps what would be sent, by topic."""

    def __init__(self):
        self.sent = {}

    def create_publisher(self, kind, topic, quality):
        sent = self.sent[topic] = []

        class Publisher:
            @staticmethod
            def publish(message):
                if isinstance(message, bytes):
                    message = deserialize_message(message, TFMessage)
                sent.append(copy.deepcopy(message))

        return Publisher()


@pytest.fixture(scope='module')
def crane(tmp_path_factory):
    folder = tmp_path_factory.mktemp('robots') / 'crane'
    folder.mkdir()
    (folder / 'crane.urdf').write_text(CRANE)
    (folder / 'robot.yaml').write_text(CRANE_CONFIG)
    return load_robot(folder)


@pytest.fixture(scope='module')
def load(crane):
    return cache(lambda name: crane if name == 'crane' else load_robot(name))


def measure(robot, generator, with_base):
    """Anything within the limits, the base anywhere and turned any way."""
    mapping = JointMap.of(robot)
    measured = Measured.zero(len(mapping.names), len(robot.joints))
    independent = generator.uniform(robot.lower_limits, robot.upper_limits)
    mapping.positions(independent, measured.position)
    measured.stamp = int(generator.integers(0, 10**15))
    if with_base:
        angles = generator.uniform((-3.1, -1.4, -3.1), (3.1, 1.4, 3.1))
        measured.base = BaseState(
            generator.normal(size=3), quaternion_from_rotation(rotation_from_angles(angles))
        )
    return measured, dict(zip(mapping.names, measured.position.tolist(), strict=True))


def sent(robot, measured):
    """All transforms that are sent of a measurement, moving and fixed."""
    listener = Listener()
    TransformStream(listener, robot, JointMap.of(robot).names).publish(measured)
    (moving,), (fixed,) = listener.sent['/tf'], listener.sent['/tf_static']
    return moving.transforms, fixed.transforms


def matrix(message):
    t, q = message.transform.translation, message.transform.rotation
    quaternion = np.array([q.x, q.y, q.z, q.w])
    assert np.linalg.norm(quaternion) == pytest.approx(1.0, abs=1e-12)
    return transform(rotation_from_quaternion(quaternion), [t.x, t.y, t.z])


def compose(transforms, root):
    """Pose of every frame in the root of the tree; fails if the transforms are no tree."""
    poses, left = {root: np.eye(4)}, list(transforms)
    while left:
        ready = [each for each in left if each.header.frame_id in poses]
        assert ready, 'frames that hang from nothing'
        for each in ready:
            assert each.child_frame_id not in poses
            poses[each.child_frame_id] = poses[each.header.frame_id] @ matrix(each)
            left.remove(each)
    return poses


def link_pose(robot, link, values):
    """(4, 4) pose of a link in the root link, by the kinematics of chains."""
    root = robot.urdf.root
    if robot.urdf.bodies[link][0] == root:
        return robot.urdf.bodies[link][1]
    chain = chain_from_urdf(robot.urdf, root, link)
    return chain.forward([values[name] for name in chain.variables])


@pytest.mark.parametrize('with_base', [False, True])
@pytest.mark.parametrize('name', ROBOTS)
def test_every_link_is_there_once(load, name, with_base):
    """Each link of the URDF has one parent, on /tf if it moves and on /tf_static if it does not.

    The root hangs from odom where the base is measured, and from nothing where it is not; a robot
    with legs has its footprint below its base.
    """
    robot = load(name)
    measured, _ = measure(robot, np.random.default_rng(1), with_base)
    moving, fixed = sent(robot, measured)
    children = [each.child_frame_id for each in [*moving, *fixed]]
    assert len(set(children)) == len(children)
    wanted = {link.name for link in robot.urdf.links} - {robot.urdf.root}
    wanted |= {robot.urdf.root} if with_base else set()
    wanted |= {robot.base.footprint} if robot.legs is not None else set()
    assert set(children) == wanted
    joints = {joint.child: joint for joint in robot.urdf.joints}
    assert {each.child_frame_id for each in fixed} == {
        joint.child for joint in robot.urdf.joints if not joint.movable
    }
    for each in [*moving, *fixed]:
        if each.child_frame_id in joints:
            assert each.header.frame_id == joints[each.child_frame_id].parent


@pytest.mark.parametrize('name', ROBOTS)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_tree_is_forward_kinematics(load, name, seed):
    """For any joint angles every link is where its chain from the root has it, to 1e-9."""
    robot = load(name)
    measured, values = measure(robot, np.random.default_rng(seed), False)
    poses = compose([each for part in sent(robot, measured) for each in part], robot.urdf.root)
    for link in robot.urdf.links:
        assert poses[link.name] == pytest.approx(link_pose(robot, link.name, values), abs=1e-9)


@pytest.mark.parametrize('name', ROBOTS)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_base_is_where_it_was_measured(load, name, seed):
    """In odom the base link has the measured pose, whatever link is the root of the tree."""
    robot = load(name)
    measured, values = measure(robot, np.random.default_rng(seed), True)
    poses = compose([each for part in sent(robot, measured) for each in part], 'odom')
    base = transform(rotation_from_quaternion(measured.base.orientation), measured.base.position)
    assert poses[robot.base.link] == pytest.approx(base, abs=1e-9)
    tip = robot.urdf.links[-1].name
    own, other = link_pose(robot, robot.base.link, values), link_pose(robot, tip, values)
    assert poses[tip] == pytest.approx(base @ np.linalg.solve(own, other), abs=1e-9)


@pytest.mark.parametrize('with_base', [False, True])
@pytest.mark.parametrize('name', ['shell', 'quadruped'])
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_footprint_is_level_below_the_base_at_the_lowest_foot(load, name, with_base, seed):
    """Its z axis is vertical, its heading that of the base, its height that of the lowest foot."""
    robot = load(name)
    measured, _ = measure(robot, np.random.default_rng(seed), with_base)
    root = 'odom' if with_base else robot.urdf.root
    poses = compose([each for part in sent(robot, measured) for each in part], root)
    footprint, base = poses[robot.base.footprint], poses[robot.base.link]
    assert footprint[2, :3] == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
    assert footprint[:3, 2] == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
    assert footprint[:2, 3] == pytest.approx(base[:2, 3], abs=1e-9)
    lowest = min(poses[foot][2, 3] for foot in robot.legs.feet)
    assert footprint[2, 3] == pytest.approx(lowest, abs=1e-9)
    # Both x axes point the same way, seen from above.
    across = base[0, 0] * footprint[1, 0] - base[1, 0] * footprint[0, 0]
    along = base[:2, 0] @ footprint[:2, 0]
    assert across == pytest.approx(0.0, abs=1e-9)
    assert along > 0.0


def test_transforms_have_the_time_of_the_measurement(load):
    """Every moving transform is stamped with it, and a second one replaces the first whole."""
    robot = load('arm')
    generator, listener = np.random.default_rng(5), Listener()
    names = JointMap.of(robot).names
    stream = TransformStream(listener, robot, names)
    for _ in range(2):
        measured, values = measure(robot, generator, False)
        stream.publish(measured)
        message = listener.sent['/tf'][-1]
        assert {
            each.header.stamp.sec * 10**9 + each.header.stamp.nanosec
            for each in message.transforms
        } == {measured.stamp}
        poses = compose(
            [*message.transforms, *listener.sent['/tf_static'][0].transforms], robot.urdf.root
        )
        assert poses['tip'] == pytest.approx(link_pose(robot, 'tip', values), abs=1e-9)


@pytest.mark.parametrize('name', ['shell', 'quadruped', 'crane'])
def test_what_is_not_measured_is_left_out(load, name):
    """No transform of an unmeasured joint, nor of a footprint below feet that are nowhere."""
    robot = load(name)
    names = JointMap.of(robot).names
    measured, _ = measure(robot, np.random.default_rng(5), with_base=True)
    listener = Listener()
    stream = TransformStream(listener, robot, names)
    stream.publish(measured)
    lost = robot.urdf.joints[[joint.movable for joint in robot.urdf.joints].index(True)]
    measured.valid[names.index(lost.name)] = False
    stream.publish(measured)
    measured.valid[:] = True
    stream.publish(measured)
    before, without, after = (
        {transform.child_frame_id: transform for transform in message.transforms}
        for message in listener.sent['/tf']
    )
    gone = {lost.child} | ({robot.base.footprint} if robot.legs is not None else set())
    assert set(before) - set(without) <= gone
    assert lost.child not in without
    assert before == after
    assert all(np.isfinite(matrix(transform)).all() for transform in without.values())
    assert all(without[child] == before[child] for child in without)


@pytest.mark.parametrize('name', ROBOTS)
def test_a_base_that_is_lost_is_nowhere(load, name):
    """While it is not measured the tree begins at the root link, without a footprint by guess.

    Before a base was ever measured the footprint is that of a level one.
    """
    robot = load(name)
    measured, _ = measure(robot, np.random.default_rng(5), with_base=True)
    base, listener = measured.base, Listener()
    stream = TransformStream(listener, robot, JointMap.of(robot).names)
    for seen in (None, base, None, base):
        measured.base = seen
        stream.publish(measured)
    never, first, lost, again = (
        {transform.child_frame_id: transform for transform in message.transforms}
        for message in listener.sent['/tf']
    )
    root, footprint = (
        {robot.urdf.root},
        {robot.base.footprint} if robot.legs is not None else set(),
    )
    assert set(first) - set(never) == root
    assert set(first) - set(lost) == root | footprint
    assert first == again
    assert all(first[child] == lost[child] for child in lost)


@pytest.mark.parametrize('child', ['a', 'ab', 'abc', 'abcd', 'abcde', 'abcdef', 'abcdefg'])
def test_what_was_in_memory_before_is_no_part_of_it(monkeypatch, child):
    """Padding before the numbers may hold the marks of an older message: it is left alone."""

    def serialize_onto_stale_memory(message):
        found = bytearray(serialize_message(message))
        for index, each in enumerate(message.transforms):
            end = found.index(each.child_frame_id.encode() + b'\0') + len(each.child_frame_id) + 1
            begin = end + -(end - 4) % 4
            if (begin - 4) % 8:
                found[begin : begin + 4] = struct.pack('<I', 1_987_654_322 + index)
        return bytes(found)

    monkeypatch.setattr(transform_stream, 'serialize_message', serialize_onto_stale_memory)
    edges = [('odom', f'{child}1'), (f'{child}1', f'{child}22')]
    values = np.random.default_rng(1).normal(size=(2, 7))
    sent = deserialize_message(SerializedTransforms(edges).fill(values, 12_000_000_034), TFMessage)
    for each, row in zip(sent.transforms, values, strict=True):
        where, turn = each.transform.translation, each.transform.rotation
        assert [where.x, where.y, where.z, turn.x, turn.y, turn.z, turn.w] == row.tolist()
        assert (each.header.stamp.sec, each.header.stamp.nanosec) == (12, 34)
