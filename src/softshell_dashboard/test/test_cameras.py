"""Cameras: which pictures are shown, and which topics are subscribed to."""

import io
from types import SimpleNamespace

import numpy as np
import pytest
from dashboard_rig import until
from PIL import Image as Picture

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from sensor_msgs.msg import Image

from softshell_common.ros.qos import STATE
from softshell_dashboard.ros.cameras import LOOK_PERIOD, WANTED, Cameras, jpeg_of
from softshell_dashboard.station import WORLD_PERIOD

RED, GREEN = (200, 30, 30), (30, 200, 30)


@pytest.mark.parametrize('padding', [0, 1, 5])
@pytest.mark.parametrize(('encoding', 'colours'), [('rgb8', (RED, GREEN)), ('mono8', (40, 180))])
def test_a_picture_is_shown_without_the_padding_of_its_rows(encoding, colours, padding):
    """Of rows in two colours the JPEG has each where it was, but for a blurred border."""
    depth = 3 if encoding == 'rgb8' else 1
    height, width = 32, 16
    wide = np.full((height, width * depth + padding), 255, np.uint8)
    for rows, colour in zip(np.split(wide, 2), colours, strict=True):
        rows[:, : width * depth] = np.tile(colour, width)
    message = Image(encoding=encoding, height=height, width=width, step=wide.shape[1])
    message.data = wide.tobytes()
    shown = np.asarray(Picture.open(io.BytesIO(jpeg_of(message))), dtype=float)
    assert shown.shape[:2] == (height, width)
    for rows, colour in zip((shown[:14], shown[18:]), colours, strict=True):
        np.testing.assert_allclose(rows, np.broadcast_to(colour, rows.shape), atol=20)


@pytest.mark.parametrize(
    ('encoding', 'width', 'height', 'length'),
    [
        ('bgr8', 2, 3, 18),
        ('rgb8', 2, 3, 19),
        ('rgb8', 2, 3, 17),
        ('rgb8', 2, 3, 15),
        ('rgb8', 2, 3, 0),
        ('rgb8', 0, 3, 9),
        ('rgb8', 2, 0, 6),
        ('mono8', 65_501, 1, 65_501),
        ('mono8', 1, 65_501, 65_501),
        ('rgb8', 2**32 - 1, 2**32 - 1, 0),
    ],
)
def test_a_malformed_picture_is_not_shown(encoding, width, height, length):
    """Nor is one that is larger than a JPEG can be."""
    message = Image(encoding=encoding, width=width, height=height, data=bytes(length))
    assert jpeg_of(message) is None


def test_a_camera_is_let_go_of_once_no_page_asks_for_its_pictures(
    node, station, clock, monkeypatch
):
    """Also if all pages have gone, so that a simulation does not draw for nobody."""
    time = SimpleNamespace(monotonic=clock)
    monkeypatch.setattr('softshell_dashboard.ros.cameras.time', time)
    cameras, source = Cameras(node), station._source
    source.picture, source.close_unwanted = cameras.picture, cameras.close_unwanted
    station._now = clock
    topic = node.create_publisher(Image, 'front/image_raw', STATE)

    def is_found():
        clock.now += LOOK_PERIOD
        return cameras.names() == ('front',)

    until(is_found)
    assert station.picture('front') is None
    clock.now += WANTED
    station.step(False)
    until(lambda: topic.get_subscription_count() == 1)
    clock.now += WORLD_PERIOD
    station.step(False)
    until(lambda: topic.get_subscription_count() == 0)
