"""Shell with fingers picks a ball up and is driven with it, on the real stack."""

from pathlib import Path

import numpy as np
import pytest
import rclpy
from rclpy.context import Context
from waiting import until

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_common.ros import qos
from softshell_interfaces.msg import FingerStates

SCENE = Path(__file__).parents[2] / 'config' / 'robots' / 'shell' / 'scenes' / 'grasp.yaml'
#: Velocities [m/s, rad/s], and how far it is driven by each [m, rad].
WAYS = (({'x': 0.08}, 0.2), ({'y': -0.06}, 0.15), ({'yaw': 0.3}, 0.7))
#: How long it then has to come to rest [s].
AT_REST = 2.0
#: What a finger that holds feels at least [N].
TOUCH = 0.3


@pytest.mark.long
@pytest.mark.parametrize('engine', ['mujoco', 'pybullet'])
def test_what_is_held_stays_held_while_the_robot_is_driven(engine):
    """By `cmd_vel`, to all sides and turning: fingers hold on while legs step."""
    arguments = {
        'bridge': 'sim', 'engine': engine, 'fingers': '6', 'scene': str(SCENE),
        'real_time_factor': '0',
    }  # fmt: skip
    with Stack(arguments, domain=free_domain()) as stack:
        stack.wait_ready()
        context = Context()
        rclpy.init(context=context, domain_id=stack.domain)
        with Shell(context=context) as shell:
            heard: list[FingerStates] = []
            shell.node.create_subscription(
                FingerStates, 'finger_states', heard.append, qos.SENSOR_CONSUMER
            )

            def drive(velocity: dict[str, float], distance: float) -> None:
                start = np.array([*shell.position[:2], shell.yaw])

                def moved() -> float:
                    return np.abs(np.array([*shell.position[:2], shell.yaw]) - start).max()

                until(lambda: moved() > distance, 'driven', lambda: shell.drive(**velocity))
                there = shell.time
                until(lambda: shell.time > there + AT_REST, 'at rest')

            def holding() -> int:
                """Fingers that feel something."""
                return sum(
                    sum(np.hypot(force.x, np.hypot(force.y, force.z)) for force in one.force)
                    >= TOUCH
                    for one in heard[-1].fingers
                )

            shell.wait_for_odometry()
            shell.perform('ready')
            shell.perform('walk', distance=0.5, direction=0.5236)
            shell.perform('grasp', size=0.05)
            assert holding() >= 3
            for velocity, distance in WAYS:
                drive(velocity, distance)
                assert holding() >= 3
        context.try_shutdown()
