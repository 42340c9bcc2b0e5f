"""Enums equal the messages' constants, poses survive a round trip, importing is light."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from geometry_msgs.msg import Pose

from softshell_client.errors import ActionFailedError
from softshell_client.ros import messages
from softshell_common.bridge_mode import STOPPED, BridgeMode
from softshell_common.goal_state import CUT_SHORT, ENDED, GoalState
from softshell_common.outcome import Status, outcome_text
from softshell_common.reason import ReasonCode
from softshell_interfaces.msg import ActionOutcome, BridgeStatus, TrajectoryState
from softshell_interfaces.msg import ReasonCode as ReasonCodeMessage

settings.register_profile('shared machine', deadline=None)
settings.load_profile('shared machine')


def constants(message: type) -> dict[str, int]:
    """Names and values of a message's constants."""
    kind = type(message)
    return {
        name: getattr(message, name)
        for name in dir(kind)
        if name.isupper() and isinstance(getattr(kind, name), property)
    }


@pytest.mark.parametrize(
    ('enum', 'message'),
    [
        (Status, ActionOutcome),
        (BridgeMode, BridgeStatus),
        (GoalState, TrajectoryState),
        (ReasonCode, ReasonCodeMessage),
    ],
)
def test_enums_are_the_constants_of_the_messages(enum, message):
    """Every constant has a member of the same name and value, and no member has none."""
    assert constants(message) == {member.name: member.value for member in enum}
    assert len(constants(message)) >= 6


def test_a_number_of_a_newer_version_is_none_that_is_known():
    """A bridge in such a mode neither drives nor is stopped, and keeps its number."""
    for number in range(6, 256):
        mode = messages.bridge_state(BridgeStatus(mode=number)).mode
        assert mode == number
        assert mode not in (*BridgeMode, *STOPPED)
        assert mode.words == f'mode {number}'
        assert Status(number) is (Status.INTERNAL_ERROR if number > 10 else [*Status][number])


def test_a_trajectory_has_ended_in_every_state_but_those_before_its_end():
    """Ends are what is neither nothing, waiting nor active; only followed ones are cut short."""
    before = {GoalState.NONE, GoalState.WAITING, GoalState.ACTIVE}
    assert set(ENDED) == set(GoalState) - before
    assert set(CUT_SHORT) == set(ENDED) - {GoalState.REACHED, GoalState.REJECTED}


def test_an_outcome_in_words():
    """The text names action, status and message, the action only once."""
    assert outcome_text('walk', Status.GOAL_MISSED, '') == 'walk: goal missed'
    assert outcome_text('walk', Status.REJECTED, 'walk: a reason') == 'walk: rejected: a reason'
    text = "unknown action 'wlak'"
    assert outcome_text('wlak', Status.UNKNOWN_ACTION, text) == "wlak: unknown action 'wlak'"
    assert str(ActionFailedError('walk', Status.STOPPED, 'fault')) == 'walk: stopped: fault'


@given(
    position=st.tuples(*[st.floats(-10, 10)] * 3),
    yaw=st.floats(-3.1, 3.1),
    pitch=st.floats(-1.5, 1.5),
    roll=st.floats(-3.1, 3.1),
)
def test_poses_agree_with_scipy_and_survive_a_round_trip(position, yaw, pitch, roll):
    """The quaternion is scipy's of Rz(yaw) Ry(pitch) Rx(roll); reading gives the same numbers."""
    coordinates = (*position, yaw, pitch, roll)
    pose = messages.pose_message(coordinates)
    q = pose.orientation
    theirs = Rotation.from_euler('ZYX', [yaw, pitch, roll]).as_quat()
    assert abs(np.array([q.x, q.y, q.z, q.w]) @ theirs) == pytest.approx(1, abs=1e-12)
    assert messages.pose_coordinates(pose) == pytest.approx(coordinates, abs=1e-7)


def test_an_unset_quaternion_is_no_rotation():
    """A pose that nobody filled in reads as zeros, not as NaN."""
    pose = Pose()
    pose.orientation.w = 0.0
    assert messages.pose_coordinates(pose).tolist() == [0.0] * 6


@pytest.mark.parametrize('value', [math.nan, math.inf])
def test_a_quaternion_that_is_not_finite_has_no_angles(value):
    """The position is read all the same."""
    pose = messages.pose_message((1.0, 2.0, 3.0, 0.0, 0.0, 0.0))
    pose.orientation.y = value
    found = messages.pose_coordinates(pose)
    assert found[:3].tolist() == [1.0, 2.0, 3.0]
    assert np.isnan(found[3:]).all()


@pytest.mark.parametrize(
    ('statement', 'absent'),
    [
        ('from softshell_client import Shell', {'scipy', 'geomdl', 'numba', 'rich'}),
        ('from softshell_client import Status', {'scipy', 'geomdl', 'numba', 'rclpy', 'numpy'}),
    ],
)
def test_importing_is_light(statement, absent):
    """A program that moves the robot loads ROS and numpy; the outcomes alone load neither."""
    program = f'{statement}\nimport sys\nprint(*sys.modules)'
    run = subprocess.run(
        [sys.executable, '-c', program], capture_output=True, text=True, check=True
    )
    assert not absent & set(run.stdout.split())
