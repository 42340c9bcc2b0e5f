"""Samples of an IMU beside servos, by a wall clock that is not the one by which they age."""

from types import SimpleNamespace

import pytest
from hardware_rig import HardwareRig, wiring_text

from softshell_description.load import load_robot

pytest.importorskip('rclpy', reason='no ROS here')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

#: The wall clock is ahead of the one that nobody sets by this [ns].
WALL = 1_700_000_000_000_000_000


class LookedAt(HardwareRig):
    """A bridge whose clock goes on by some microseconds whenever it is looked at."""

    looks = 0

    @property
    def now(self):
        self.looks += 1
        self._now += self.looks * 7 % 23 * 1000
        return self._now

    @now.setter
    def now(self, now):
        self._now = now


class Bridge:
    """Stands for the node: its clock is the wall clock, and it notes the stamps of `imu`."""

    def __init__(self, rig):
        self._rig, self.stamps = rig, []

    def get_clock(self):
        return SimpleNamespace(now=lambda: SimpleNamespace(nanoseconds=self._rig.now + WALL))

    def create_subscription(self, kind, topic, callback, qos):
        self.hear = callback

    def create_publisher(self, kind, topic, qos):
        def publish(message):
            if topic == 'imu':
                stamp = message.header.stamp
                self.stamps.append(stamp.sec * 10**9 + stamp.nanosec)

        return SimpleNamespace(publish=publish, get_subscription_count=lambda: 1)


@pytest.fixture
def rig(tmp_path):
    path = tmp_path / 'arm.yaml'
    path.write_text(wiring_text(load_robot('arm'), 'x'))
    made = LookedAt('arm', path)
    made.ahead = WALL
    yield made
    made.close()


def test_a_sample_is_published_once_when_it_came(rig):
    """One in three periods, then a driver that is dead: as many messages, in their order.

    The stamp of each is the wall time of its arrival.
    """
    from sensor_msgs.msg import Imu

    from softshell_control.ros.streams import Streams
    from softshell_hardware.ros.imu_input import ImuInput

    bridge = Bridge(rig)
    imu = ImuInput(bridge, rig.robot, 'imu/data', lambda: rig.now)
    rig.backend.imu = imu.latest
    message = Imu()
    message.header.frame_id = rig.robot.base.link
    message.orientation.w = 1.0
    rig.run(2)
    streams = Streams(bridge, rig.robot, rig.limits.names, rig.core.measured)
    came = []
    for tick in range(30):
        if tick % 3 == 0 and tick < 15:
            before = rig.now + WALL
            bridge.hear(message)
            came.append((before, rig.now + WALL))
        rig.run()
        streams.publish(rig.core.measured)
    assert rig.core.measured.imu is not None  # it still counts, and is old
    assert rig.core.measured.imu.age == pytest.approx(18 * rig.period, abs=0.01)
    assert len(bridge.stamps) == len(came) == 5
    for stamp, (after, till) in zip(bridge.stamps, came, strict=True):
        assert after <= stamp <= till
