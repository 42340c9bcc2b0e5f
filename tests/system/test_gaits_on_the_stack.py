"""Gaits on the real stack: chosen by goals, switched and paced while the robot walks."""

import time

import numpy as np
import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from stack_rig import robot_in_mujoco

from softshell_client import ActionFailedError, Status

PATIENCE = 120.0  # [s] a safety net, no measure of anything

#: Without the nodes all of it is tested by softshell_actions.
pytestmark = pytest.mark.long


@pytest.fixture(scope='module')
def walker():
    """A robot that stands, on a simulation as fast as it goes."""
    with robot_in_mujoco(real_time_factor='0') as (shell, context):
        shell.perform('stand')
        yield shell, context


@pytest.fixture
def manager(walker):
    """Function: sets parameters of the action manager; what it answers where it refuses."""
    node = Node('whoever_paces', context=walker[1])
    executor = SingleThreadedExecutor(context=walker[1])
    executor.add_node(node)
    client = node.create_client(SetParameters, '/action_manager/set_parameters')
    assert client.wait_for_service(PATIENCE)

    def change(**values):
        wanted = [
            Parameter(name, value=value).to_parameter_msg() for name, value in values.items()
        ]
        future = client.call_async(SetParameters.Request(parameters=wanted))
        executor.spin_until_future_complete(future, PATIENCE)
        return [result.reason for result in future.result().results if not result.successful]

    yield change
    executor.shutdown()
    node.destroy_node()


@pytest.mark.parametrize('gait', ['quick', 'wave', 'ripple'])
def test_a_walk_by_a_chosen_gait_is_as_long_as_told(walker, gait):
    """Within 2 %, to either side no more than 5 mm."""
    shell, _ = walker
    begin, heading = shell.position.copy(), shell.yaw
    shell.perform('walk', gait=gait, distance=0.3)
    along = np.array([np.cos(heading), np.sin(heading)])
    way = (shell.position - begin)[:2]
    assert way @ along == pytest.approx(0.3, rel=0.02)
    assert abs(way @ [-along[1], along[0]]) < 0.005


@pytest.mark.parametrize(
    ('action', 'gait', 'problem'),
    [
        ('walk', 'wawe', r"unknown gait 'wawe'; did you mean wave\?"),
        (
            'stand',
            'wave',
            r"gait is 'wave'; expected none, .* these do: stride, turn",
        ),
    ],
)
def test_a_gait_that_cannot_be_followed_moves_nothing(walker, action, gait, problem):
    """It is answered with the nearest, or with the actions that follow one."""
    shell, _ = walker
    before = shell.position.copy()
    with pytest.raises(ActionFailedError, match=problem) as caught:
        shell.perform(action, gait=gait)
    assert caught.value.status is Status.BAD_PARAMETER
    assert shell.position == pytest.approx(before, abs=1e-3)


def test_a_gait_that_is_unknown_cannot_be_set(manager):
    """Nor a tempo beyond its range; the answer says what there is."""
    assert 'parameter gait: unknown gait' in manager(gait='gallop')[0]
    assert 'tempo' in manager(tempo=50.0)[0]


def test_gaits_are_switched_while_it_walks(walker, manager):
    """By every gait a bit, at another tempo, lifting less: it goes on as told, upright."""
    shell, _ = walker
    for paces in (
        {'gait': 'tetrapod'}, {'gait': 'wave', 'tempo': 1.2}, {'gait': 'ripple'},
        {'gait': 'quick', 'tempo': 1.0, 'lift': 0.8}, {'gait': '', 'lift': 1.0},
    ):  # fmt: skip
        assert manager(**paces) == []
        begin, heading, until = shell.position.copy(), shell.yaw, time.monotonic() + PATIENCE
        while np.linalg.norm((shell.position - begin)[:2]) < 0.1:
            shell.drive(0.1, 0.0, 0.1)
            time.sleep(0.05)
            assert time.monotonic() < until, paces
        assert (shell.position - begin)[:2] @ [np.cos(heading), np.sin(heading)] > 0.09
        assert shell.position[2] == pytest.approx(begin[2], abs=0.01)
