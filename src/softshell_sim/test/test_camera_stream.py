"""Pictures on the wire: what they say, and that nothing is drawn for nobody."""

import time

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, Image

from softshell_common.ros.qos import PICTURES, STATE
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec
from softshell_sim.ros.camera_stream import CameraStream
from softshell_sim.sensing.sensor_settings import sensor_settings
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box
from softshell_sim.world import World

PATIENCE = 20.0  # [s]


@pytest.fixture
def world(arm):
    camera = {'link': 'slide', 'xyz': [0.06, 0.0, 0.0], 'width': 32, 'height': 24, 'delay': 0.02}
    sensors = sensor_settings({'cameras': {'eye': camera}})
    world = World(arm, WorldSettings(sensors=sensors))
    world.engine.add(ObjectSpec('wall', Box((0.2, 9.0, 9.0)), 0.0, shift(2.1)))
    yield world
    world.close()


@pytest.fixture
def nodes(domains):
    """A node that publishes, one that looks, and what makes them go on."""
    context = Context()
    rclpy.init(context=context, domain_id=domains())
    executor = SingleThreadedExecutor(context=context)
    pair = [Node(name, context=context) for name in ('bridge', 'viewer')]
    for node in pair:
        executor.add_node(node)
    yield *pair, executor
    for node in pair:
        node.destroy_node()
    context.try_shutdown()


def wait(executor, condition):
    """Let nodes go on until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        executor.spin_once(timeout_sec=0.05)


def step(world, stream, periods, start=0):
    """Let periods of 4 ms pass, publishing at the end of each; the clock is 10 s ahead."""
    target, rates = world.position.copy(), np.zeros(2)
    for period in range(start + 1, start + periods + 1):
        for _ in range(4):
            world.step(target, rates)
        stream.publish(10_000_000_000 + period * 4_000_000)


def test_pictures_are_published_while_somebody_looks(world, nodes, monkeypatch):
    """Not before, but for one at the start, for which things are compiled; then with stamp, frame,
    size and encoding, each picture once."""
    bridge, viewer, executor = nodes
    drawn = []
    picture = world.engine.picture
    monkeypatch.setattr(world.engine, 'picture', lambda view: drawn.append(1) or picture(view))
    stream = CameraStream(bridge, world)
    assert len(drawn) == 1
    drawn.clear()
    step(world, stream, 50)
    assert not drawn
    images, depths, infos = [], [], []
    for kind, topic, kept in (
        (Image, 'eye/image_raw', images),
        (Image, 'eye/depth', depths),
        (CameraInfo, 'eye/camera_info', infos),
    ):
        viewer.create_subscription(kind, topic, kept.append, STATE)
        wait(executor, lambda topic=topic: bridge.count_subscribers(topic))
    step(world, stream, 100, start=50)
    wait(executor, lambda: len(images) >= 4 and len(depths) >= 4 and len(infos) >= 4)
    # The last one may still be on its way: it is 20 ms late.
    assert len(drawn) - len(images) in (0, 1)
    stamps = [image.header.stamp.sec * 10**9 + image.header.stamp.nanosec for image in images]
    assert len(set(stamps)) == len(stamps)
    assert [stamp % 4_000_000 for stamp in stamps] == [0] * len(stamps)
    assert np.diff(stamps).tolist() == pytest.approx([1e8] * (len(stamps) - 1), abs=4e6)
    image, depth, info = images[-1], depths[-1], infos[-1]
    assert (image.width, image.height, image.encoding, image.step) == (32, 24, 'rgb8', 96)
    assert (depth.width, depth.height, depth.encoding, depth.step) == (32, 24, '32FC1', 128)
    assert {each.header.frame_id for each in (image, depth, info)} == {'eye_optical_frame'}
    values = np.frombuffer(depth.data, dtype=np.float32).reshape(24, 32)
    swing, reach = world.position
    along = 2.0 - (0.26 + reach) * np.cos(swing)
    assert values[11:13, 15:17] == pytest.approx(along / np.cos(swing), rel=0.01)
    focal = 16.0 / np.tan(0.5)
    assert info.k.tolist() == pytest.approx([focal, 0, 15.5, 0, focal, 11.5, 0, 0, 1])
    assert info.p.tolist() == pytest.approx([focal, 0, 15.5, 0, 0, focal, 11.5, 0, 0, 0, 1, 0])


def test_few_pictures_are_kept(world, nodes):
    """Those who are slow to take pictures cost little memory, as few of them wait."""
    bridge, _, _ = nodes
    stream = CameraStream(bridge, world)
    assert stream is not None
    depths = [each.qos_profile.depth for each in bridge.publishers if each.msg_type is Image]
    assert depths == [PICTURES.depth] * 2


def test_where_the_camera_is_is_a_static_transform(world, nodes):
    """From its link to its optical frame, z along the link's x; latched for who comes late."""
    messages = pytest.importorskip('tf2_msgs.msg', reason='no message for /tf')
    from softshell_common.ros.qos import LATCHED

    bridge, viewer, executor = nodes
    stream = CameraStream(bridge, world)
    assert stream is not None
    found = []
    viewer.create_subscription(messages.TFMessage, '/tf_static', found.append, LATCHED)
    wait(executor, lambda: found)
    (mount,) = found[0].transforms
    assert (mount.header.frame_id, mount.child_frame_id) == ('slide', 'eye_optical_frame')
    assert mount.transform.translation.x == pytest.approx(0.06)
    q = mount.transform.rotation
    assert np.abs([q.x, q.y, q.z, q.w]) == pytest.approx([0.5] * 4)
    assert np.sign([q.x, q.y, q.z]).tolist() == (np.sign(q.w) * np.array([-1, 1, -1])).tolist()


def test_a_world_without_cameras_has_no_topics(arm, nodes):
    """Neither pictures nor a transform."""
    bridge, _, _ = nodes
    world = World(arm)
    before = len(list(bridge.publishers))
    CameraStream(bridge, world).publish(0)
    assert len(list(bridge.publishers)) == before
    world.close()
