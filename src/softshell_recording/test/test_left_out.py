"""What a report leaves out of a bag, and tells."""

from pathlib import Path

import numpy as np
import pytest
from bag_rig import STORE, Recorded

from softshell_recording.report.log import read_log
from softshell_recording.report.write import write_report

pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

Point = STORE.types['geometry_msgs/msg/Point']
Quaternion = STORE.types['geometry_msgs/msg/Quaternion']
Pose = STORE.types['geometry_msgs/msg/Pose']
PoseWithCovariance = STORE.types['geometry_msgs/msg/PoseWithCovariance']


@pytest.fixture
def recorded(tmp_path: Path):
    recorded = Recorded(tmp_path / 'bag')
    yield recorded
    recorded.bag.close()


def pose(place: float, **turned: float):
    """At a place along x, upright but for what is told."""
    turn = {'x': 0.0, 'y': 0.0, 'z': 0.0, 'w': 1.0} | turned
    return PoseWithCovariance(Pose(Point(place, 0.0, 0.0), Quaternion(**turn)), np.zeros(36))


@pytest.mark.parametrize(('turn', 'told'), [({'w': 0.0}, '0.0]'), ({'x': np.nan}, '[nan,')])
def test_odometry_without_a_pose_is_left_out_and_told(recorded, turn, told):
    """The other messages tell where the base was, and there is a report."""
    for place in range(10):
        recorded.joints('/joint_states', 0.1 * place, 1.0)
        there = pose(place, **turn) if place == 4 else pose(place)
        recorded.add('/odom', 'nav_msgs/msg/Odometry', 0.1 * place, pose=there)
    recorded.bag.close()
    lines = []
    base = read_log(recorded.bag.path, tell=lines.append).recording.base
    assert base.positions[:, 0].tolist() == [0.0, 1.0, 2.0, 3.0, 5.0, 5.0, 6.0, 7.0, 8.0, 9.0]
    assert base.tilt == pytest.approx(0.0)
    assert len(lines) == 1
    assert lines[0].startswith(f'{recorded.bag.path}: /odom: 1 of 10 messages are left out')
    assert told in lines[0]
    assert 'Way of the base' in write_report(recorded.bag.path).read_text()


def test_a_damaged_description_is_left_out_and_told(recorded):
    """By its topic and bag; all else is reported."""
    recorded.joints('/joint_states', 0.0, 1.0)
    recorded.joints('/joint_states', 1.0, 1.0)
    recorded.add('/robot_description', 'std_msgs/msg/String', 0.0, data='<robot')
    recorded.bag.close()
    told = []
    text = write_report(recorded.bag.path, tell=told.append).read_text()
    assert 'Power' in text
    assert len(told) == 1
    assert f'{recorded.bag.path}: /robot_description is left out: URDF is not XML' in told[0]


def test_slip_of_feet_that_the_description_lacks_is_left_out_and_told(recorded):
    recorded.definitions.of('softshell_interfaces/msg/FootContacts')
    foot = recorded.message('softshell_interfaces/msg/FootContact', foot='toe')
    recorded.joints('/joint_states', 0.0, 1.0)
    recorded.add('/odom', 'nav_msgs/msg/Odometry', 0.0, child_frame_id='hull', pose=pose(0))
    recorded.add('/foot_contacts', 'softshell_interfaces/msg/FootContacts', 0.0, feet=[foot])
    urdf = '<robot name="x"><link name="hull"/></robot>'
    recorded.add('/robot_description', 'std_msgs/msg/String', 0.0, data=urdf)
    recorded.bag.close()
    told = []
    text = write_report(recorded.bag.path, tell=told.append).read_text()
    assert 'Contacts' in text
    assert 'Slip' not in text
    assert len(told) == 1
    assert told[0].startswith(f'{recorded.bag.path}: slip of the feet is left out')
    assert 'toe' in told[0]
