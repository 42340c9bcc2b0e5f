"""Rough ground on the real stack: laid by a scene, walked on, feet fitted while it runs."""

import time

import numpy as np
import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from stack_rig import robot_in_mujoco

PATIENCE = 120.0  # [s] a safety net, no measure of anything


@pytest.fixture(scope='module')
def shell_on_a_ramp(tmp_path_factory):
    """A robot that stands before a ramp, its feet not fitted to the ground yet."""
    scene = tmp_path_factory.mktemp('scene') / 'ramp.yaml'
    scene.write_text(
        'bodies:\n  slope: {ramp: {slope: 0.1745, length: 2.0, width: 1.6}, '
        'position: [0.4, 0.0, 0.0]}\n'
    )
    with robot_in_mujoco(real_time_factor='0', scene=str(scene)) as (shell, context):
        yield shell, context


def tilt(shell):
    """Of the base [deg]."""
    x, y, _, _ = shell.orientation
    return float(np.degrees(np.arccos(1.0 - 2.0 * (x * x + y * y))))


def fit(context, on):
    """Switch the parameter of the bridge."""
    node = Node('whoever_fits', context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    client = node.create_client(SetParameters, '/bridge/set_parameters')
    assert client.wait_for_service(PATIENCE)
    wanted = [Parameter('footing', value=on).to_parameter_msg()]
    future = client.call_async(SetParameters.Request(parameters=wanted))
    executor.spin_until_future_complete(future, PATIENCE)
    assert future.result().results[0].successful
    executor.shutdown()
    node.destroy_node()


def settle(shell, low, high):
    """Wait until the tilt [deg] is within a range."""
    deadline = time.monotonic() + PATIENCE
    while not low <= tilt(shell) <= high:
        assert time.monotonic() < deadline, f'the base is tilted by {tilt(shell):.1f} degrees'
        time.sleep(0.05)


@pytest.mark.long
def test_it_goes_up_level_and_is_fitted_while_it_stands(shell_on_a_ramp):
    """Up by actions; left to its plan it leans as the ramp does, and level again after that."""
    shell, context = shell_on_a_ramp
    shell.perform('stand')
    fit(context, True)
    before = shell.position.copy()
    shell.perform('walk', distance=1.2, step=0.03, height=0.04)
    assert tilt(shell) < 3.0
    assert shell.position[0] - before[0] > 1.0
    assert shell.position[2] - before[2] > 0.08
    fit(context, False)
    settle(shell, 7.0, 12.0)
    fit(context, True)
    settle(shell, 0.0, 3.0)
    shell.perform('idle')
    assert tilt(shell) == pytest.approx(10.0, abs=2.0)  # its belly lies on the ramp
