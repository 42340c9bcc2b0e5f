"""A robot with a tendon and a bellows beside its joint: from its folder to the command."""

from dataclasses import replace

import numpy as np
import pytest

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.bridge import BridgeCore
from softshell_control.channel import Channel, limits_of
from softshell_control.gate import Command, gate
from softshell_control.joint_map import JointMap
from softshell_control.mock import MockBackend
from softshell_control.trajectories.check import Refusal, Request, check_trajectory
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity
from softshell_description.form import ChannelKind
from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError

PERIOD = 0.004
INF = float('inf')
URDF = """<?xml version="1.0"?>
<robot name="finger">
  <link name="palm"/>
  <link name="phalanx"/>
  <link name="nail"/>
  <joint name="knuckle" type="revolute">
    <parent link="palm"/>
    <child link="phalanx"/>
    <origin xyz="0 0 0.03"/>
    <axis xyz="0 1 0"/>
    <limit lower="-0.5" upper="1.5" effort="1.2" velocity="4.0"/>
  </joint>
  <joint name="end" type="fixed">
    <parent link="phalanx"/>
    <child link="nail"/>
    <origin xyz="0.04 0 0"/>
  </joint>
</robot>
"""
ROBOT = """
description: A finger of one joint, pulled by a tendon and pushed by a bellows.
urdf: finger.urdf
base: {link: palm, fixed: true}
motors:
  servo: {effort: 1.2, velocity: 4.0}
groups:
  finger:
    gains: {kp: 5.0, kd: 0.05}
    goal_tolerance: 0.02
    joints:
      knuckle: servo
    chains:
      finger: {base: palm, tip: nail}
channels:
  flexor: {kind: tension, range: [0.0, 40.0], rate: 100.0, goal_tolerance: 0.5}
  bellows: {kind: pressure, range: [-10, 150], rate: 300, goal_tolerance: 2}
  winch: {kind: length, range: [0, 0.2], rate: 0.5, acceleration: 4.0, goal_tolerance: 0.002}
poses:
  open:
    joints: {knuckle: 0.1}
start: open
"""


@pytest.fixture
def write(tmp_path):
    def write(text=ROBOT):
        folder = tmp_path / 'finger'
        folder.mkdir(exist_ok=True)
        (folder / 'robot.yaml').write_text(text)
        (folder / 'finger.urdf').write_text(URDF)
        return folder

    return write


@pytest.fixture
def robot(write):
    return load_robot(write())


@pytest.fixture
def core(robot):
    core = BridgeCore(MockBackend(robot), limits_of(robot), PERIOD, FollowerSettings())
    core.activate()
    return core


def trajectory(core, names, times, values, number=1):
    request = Request(
        Identity('tester', bytes([number]) * 16), 0, names, times, values, [[]] * len(times)
    )
    return check_trajectory(request, core.limits.names)


def run(core, ticks):
    """Tick; the reports, and the (ticks, channels) commands."""
    reports, commands = [], []
    for _ in range(ticks):
        reports += core.tick()
        commands.append(core.command.value.copy())
        assert core.measured.channels.tolist() == core.command.value.tolist()
    return reports, np.array(commands)


def test_limits_are_those_of_the_file(robot):
    """Joints first, then the channels in the order of the file, each in its own unit."""
    assert limits_of(robot, 150.0, 0.9).channels == (
        Channel('knuckle', ChannelKind.POSITION, 'rad', -0.5, 1.5, 3.6, 150.0, 0.02),
        Channel('flexor', ChannelKind.TENSION, 'N', 0.0, 40.0, 100.0, INF, 0.5),
        Channel('bellows', ChannelKind.PRESSURE, 'kPa', -10.0, 150.0, 300.0, INF, 2.0),
        Channel('winch', ChannelKind.LENGTH, 'm', 0.0, 0.2, 0.5, 4.0, 0.002),
    )


def test_a_joint_that_slides_has_a_limit_of_its_own():
    """150 rad/s^2 of a joint that turns are no 150 m/s^2: of 15 m/s^2 one slides at most.

    From rest to rest over 0.1 m takes 2 sqrt(0.1/15) = 0.163 s at the least, and not a tenth.
    """
    arm = load_robot('arm')
    slide = replace(arm.joints[2], unit='m', lower=0.0, upper=0.2, velocity=10.0)
    robot = replace(arm, joints=(*arm.joints[:2], slide))
    limits = limits_of(robot)
    assert limits.acceleration.tolist() == [150.0, 150.0, 15.0]
    assert limits_of(robot, 30.0, linear_acceleration=2.0).acceleration.tolist() == [30, 30, 2]
    wanted, command = Command.at_rest(arm.pose('home')), Command.at_rest(arm.pose('home'))
    wanted.value[2], command.value[2] = 0.1, 0.0
    periods = 0
    while abs(command.value[2] - 0.1) > 1e-6:
        command, _ = gate(wanted, command, limits, PERIOD)
        periods += 1
    assert periods * PERIOD == pytest.approx(2.0 * np.sqrt(0.1 / 15.0), abs=4 * PERIOD)


def test_the_mock_has_every_channel(robot):
    """It starts in the start pose with its other channels at zero, and goes where it is told."""
    backend = MockBackend(robot)
    measured = backend.reset()
    assert measured.channels.tolist() == [0.1, 0.0, 0.0, 0.0]
    assert JointMap.of(robot).names == ('knuckle',)
    assert measured.position.tolist() == [0.1]


def test_a_trajectory_of_a_tension_is_followed(core):
    """A trajectory that names the tendon ramps it from 0 to 20 N in 0.5 s; the joint holds.

    From rest to rest that is the cubic 3s² − 2s³, whose highest rate, 60 N/s, is within the
    limit; the gate changes nothing.
    """
    core.offer(trajectory(core, ['flexor'], [0.5], [[20.0]]))
    reports, commands = run(core, 200)
    assert [(s.mode, s.goal.state, s.reasons) for s in reports] == [
        (BridgeMode.EXECUTING, GoalState.ACTIVE, ()),
        (BridgeMode.EXECUTING, GoalState.REACHED, ()),
    ]
    assert reports[-1].goal.channel == 'flexor'
    s = np.minimum(np.arange(1, 201) * PERIOD / 0.5, 1.0)
    assert commands[:, 1] == pytest.approx(20.0 * (3.0 * s**2 - 2.0 * s**3), abs=1e-9)
    assert commands[:, [0, 2, 3]].tolist() == [[0.1, 0.0, 0.0]] * 200


def test_a_step_of_tension_is_gated_to_its_rate(core):
    """30 N at once take 30/100 s at 100 N/s, in equal steps; the report says what was limited."""
    core.offer(trajectory(core, ['flexor'], [0.0], [[30.0]]))
    reports, commands = run(core, 100)
    assert commands[:, 1] == pytest.approx(np.minimum(0.4 * np.arange(1, 101), 30.0), abs=1e-9)
    reached = next(s for s in reports if s.goal.state is GoalState.REACHED)
    assert Reason(ReasonCode.RATE, 'rate limited: flexor') in reached.reasons


def test_a_tension_out_of_range_is_missed_by_name_and_unit(core):
    """50 N where 40 N are the most: followed to 40 N, missed by 10 N."""
    core.offer(trajectory(core, ['flexor'], [0.6], [[50.0]]))
    reports, commands = run(core, 800)
    missed = next(s for s in reports if s.goal.state is GoalState.MISSED)
    assert (missed.goal.channel, missed.goal.error) == ('flexor', 10.0)
    assert missed.goal.reasons == (
        Reason(
            ReasonCode.TOLERANCE,
            'flexor is off its goal by 10 N, 2 s after the end; expected at most 0.5 N',
        ),
    )
    limited = Reason(ReasonCode.OUT_OF_RANGE, 'range limited: flexor')
    assert any(limited in status.reasons for status in reports)
    assert commands.max() == 40.0


def test_joint_and_channels_move_together(core):
    """One trajectory may name joints and channels, in any order; all arrive at its end."""
    names = ['winch', 'bellows', 'knuckle', 'flexor']
    core.offer(trajectory(core, names, [0.5, 1.0], [[0.1, 50, 0.5, 10], [0.15, 100, 0.9, 5]]))
    reports, commands = run(core, 260)
    assert commands[124] == pytest.approx([0.5, 10.0, 50.0, 0.1], abs=0.02)
    assert commands[-1] == pytest.approx([0.9, 5.0, 100.0, 0.15])
    assert reports[-1].goal.state is GoalState.REACHED


def test_unknown_channels_are_refused_by_name(core):
    """What the robot does not have is named, and so is all that it has."""
    refused = trajectory(core, ['extensor'], [0.5], [[1.0]])
    assert isinstance(refused, Refusal)
    assert refused.reasons == (
        Reason(
            ReasonCode.UNKNOWN_CHANNEL,
            "unknown joints: 'extensor'; known: knuckle, flexor, bellows, winch",
        ),
    )


@pytest.mark.parametrize(
    ('change', 'text'),
    [
        (('range: [0.0, 40.0]', 'range: [40.0, 0.0]'), 'expected the lower end first'),
        (('kind: tension', 'kind: position'), 'expected'),
        (('rate: 100.0', 'rate: 0'), 'flexor.rate'),
        (('rate: 100', 'acceleration: 3, rate: 100'), 'an acceleration, and is of kind tension'),
        (('acceleration: 4.0, ', ''), 'lacks acceleration, which a channel of kind length'),
        (('  flexor:', '  knuckle:'), "'knuckle' is a joint as well"),
    ],
)
def test_a_channel_that_cannot_be_is_refused_with_its_line(write, change, text):
    """A robot with nonsense for a channel is not loaded; the problem says where."""
    with pytest.raises(ProblemsError, match=r'line \d+') as caught:
        load_robot(write(ROBOT.replace(*change, 1)))
    assert text in str(caught.value)


def test_tensions_go_by_the_same_topics(start_once, write):
    """On the wire a command that names the tendon is followed and reported like any other."""
    messages = pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')
    state = messages.TrajectoryState
    client = start_once(f'robot:={write()}', 'real_time_factor:=2.0')
    reached = client.wait_for(client.send(['flexor'], [20.0]), state.REACHED)
    assert reached.trajectory.channel == 'flexor'
    missed = client.wait_for(client.send(['flexor'], [45.0]), state.MISSED)
    assert (missed.trajectory.channel, missed.trajectory.error) == ('flexor', 5.0)
    assert 'by 5 N' in missed.trajectory.reasons[0]
    assert list(client.joints[-1].name) == ['knuckle']
