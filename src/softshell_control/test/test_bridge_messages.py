"""Messages that are filled in place."""

import numpy as np
import pytest

from softshell_control.backend import Measured

pytest.importorskip('rclpy', reason='no ROS here')


def test_filled_joint_states_reach_the_wire():
    """What is measured is what a subscriber reads, and a second filling replaces the first."""
    from rclpy.serialization import deserialize_message, serialize_message
    from sensor_msgs.msg import JointState

    from softshell_control.messages import JointStateMessage

    message = JointStateMessage(('a', 'b', 'c'))
    measured = Measured.empty(3)
    for base in (1.0, 10.0):
        measured.position[:] = base + np.arange(3)
        measured.velocity[:] = base - np.arange(3)
        measured.effort[:] = base * np.arange(3)
        read = deserialize_message(serialize_message(message.fill(measured, 5)), JointState)
        assert list(read.position) == measured.position.tolist()
        assert list(read.velocity) == measured.velocity.tolist()
        assert list(read.effort) == measured.effort.tolist()
    assert read.header.stamp.nanosec == 5
