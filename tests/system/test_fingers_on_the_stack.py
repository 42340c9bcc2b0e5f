"""Fingers on the real stack: what `finger_command` asks, and what `finger_states` tells of it."""

import math
import time

import numpy as np
import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from stack_rig import robot_in_mujoco
from waiting import until

from softshell_client import ActionFailedError
from softshell_common.outcome import Status
from softshell_common.ros.qos import ORDERS, STATE
from softshell_description.load import load_robot
from softshell_interfaces.msg import BodyContacts, FingerCommand, FingerStates
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

ROBOT = load_robot('shell_fingers')
#: Of the tendons that open: so fingers are about straight, and press on the ground [N].
STRAIGHT = 2.5
PATIENCE = 60.0  # [s] a safety net, no measure of anything
REPEAT = 10.0  # [s] after which a command is sent again

pytestmark = pytest.mark.long  # such a robot has 109 joints


class Listener(Node):
    """The newest fingers, and the joints and contacts of the same control period."""

    def __init__(self, context):
        super().__init__('whoever_feels', context=context)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self)
        self._heard = {}
        self.commands = self.create_publisher(FingerCommand, 'finger_command', ORDERS)
        for kind, topic in (
            (FingerStates, 'finger_states'),
            (JointState, 'joint_states'),
            (BodyContacts, 'contacts'),
        ):
            self.create_subscription(kind, topic, self._hear(topic), STATE)

    def _hear(self, topic):
        return lambda message: self._heard.__setitem__(topic, message)

    def tell(self, accept, **command):
        """Command the fingers until their states are accepted.

        The command is repeated: a bridge that does not know its sender yet does not hear it.
        """
        sent = [-math.inf]

        def is_accepted(states):
            if time.monotonic() > sent[-1] + REPEAT:
                sent.append(time.monotonic())
                self.commands.publish(FingerCommand(**command))
            return accept(states)

        self.together(is_accepted, ['finger_states'])

    def together(self, accept, topics):
        """Messages of one stamp that are accepted."""
        deadline = time.monotonic() + PATIENCE
        while True:
            assert time.monotonic() < deadline, f'heard {self._heard} of {topics}'
            self._executor.spin_once(timeout_sec=0.1)
            found = [self._heard.get(topic) for topic in topics]
            if None in found or any(each.header.stamp != found[0].header.stamp for each in found):
                continue
            if accept(*found):
                return found


@pytest.fixture(scope='module')
def listener():
    """Hears a robot that stands with its fingers on the ground."""
    with robot_in_mujoco(fingers='6', real_time_factor='0') as (shell, context):
        shell.perform('stand')
        listener = Listener(context)
        listener.shell = shell
        names = [name for name in ROBOT.channels if name.startswith('open')]
        listener.tell(is_told, channels=names, values=[STRAIGHT] * len(names))
        yield listener


def is_told(states, *_):
    """Whether the tendons pull as they were told."""
    wanted = [STRAIGHT * name.startswith('open') for name in states.channels]
    return np.allclose(states.values, wanted, rtol=0, atol=1e-9)


def test_shapes_are_where_an_engine_has_them(listener):
    """With joints as told at the same time, links of the engine are where backbones go."""
    states, joints = listener.together(is_told, ['finger_states', 'joint_states'])
    world = World(ROBOT, WorldSettings(engine='mujoco'))
    told = dict(zip(joints.name, joints.position, strict=True))
    positions = np.array([told[name] for name in world.joint_map.names])
    world.engine.place_joints(world.body, positions)
    base = np.linalg.inv(world.engine.link_pose(world.body, world.body.links.index('base_link')))
    assert [finger.name for finger in states.fingers] == list(ROBOT.soft)
    for finger in states.fingers:
        points, _ = world.soft.backbone(finger.name, np.array(finger.arc_lengths))
        there = points @ base[:3, :3].T + base[:3, 3]
        shown = np.array([[point.x, point.y, point.z] for point in finger.backbone])
        assert shown == pytest.approx(there, abs=1e-5)
        end = finger.tip.position
        assert [end.x, end.y, end.z] == pytest.approx(there[-1], abs=1e-5)
    world.close()


def test_forces_are_those_of_the_contacts(listener):
    """At rest: the sum of the engine's contacts on each link, upwards only from the ground."""
    deadline = time.monotonic() + PATIENCE
    while True:
        states, contacts = listener.together(is_told, ['finger_states', 'contacts'])
        expected = {}
        for contact in contacts.contacts:
            force = np.array([contact.force.x, contact.force.y, contact.force.z])
            on_it = contact.body == 'robot'
            link = contact.link if on_it else contact.other_link
            expected[link] = expected.get(link, 0.0) + (force if on_it else -force)
        felt = {
            link: np.array([force.x, force.y, force.z])
            for finger in states.fingers
            for link, force in zip(finger.links, finger.force, strict=True)
        }
        fingers = {link: force for link, force in expected.items() if link in felt}
        close = [np.linalg.norm(felt[link] - force) < 0.02 for link, force in fingers.items()]
        if len(fingers) == len(ROBOT.soft) and all(close):
            break
        assert time.monotonic() < deadline, (fingers, {k: v for k, v in felt.items() if v.any()})
    for link, force in felt.items():
        assert (link in fingers) == bool(force.any())
        assert force[2] >= 0.0
    assert sum(force[2] for force in felt.values()) > 0.05


def test_a_grasp_of_nothing_has_missed_its_goal(listener):
    """By what the fingers feel of other bodies; the robot stands and goes on."""
    with pytest.raises(
        ActionFailedError, match=r'goal missed: the fingers hold nothing'
    ) as caught:
        listener.shell.perform('grasp')
    assert caught.value.status is Status.GOAL_MISSED
    listener.shell.perform('ready')


@pytest.fixture
def slowly(listener):
    """The clock of the simulation is the wall's: what passes in seconds is not missed."""
    client = listener.shell.node.create_client(SetParameters, 'bridge/set_parameters')
    assert client.wait_for_service(PATIENCE)

    def set_pace(factor):
        wanted = [Parameter('real_time_factor', value=factor).to_parameter_msg()]
        future = client.call_async(SetParameters.Request(parameters=wanted))
        until(future.done, 'an answer')
        assert future.result().results[0].successful

    set_pace(1.0)
    yield
    set_pace(0.0)


@pytest.mark.usefixtures('slowly')
def test_commands_that_overlap_each_come_to_their_end(listener):
    """One channel is sent somewhere while another is still on its way: that goes on."""
    (states,) = listener.together(lambda _: True, ['finger_states'])
    first, second = states.channels[:2]
    before = states.values[0]
    assert before < 9.0
    listener.tell(
        lambda states: before + 0.5 < states.values[0] < 9.5,
        channels=[first],
        values=[10.0],
        duration=6.0,
    )
    listener.tell(
        lambda states: np.allclose(states.values[:2], [10.0, 5.0], atol=0.01),
        channels=[second],
        values=[5.0],
        duration=0.2,
    )
    # Beyond its range, and as quickly as rates let: it goes as far as it may.
    highest = ROBOT.channels[second].range[1]
    listener.tell(
        lambda states: np.allclose(states.values[1], highest, atol=0.01),
        channels=[second],
        values=[1e9],
    )
