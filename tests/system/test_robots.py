"""Robots that are data alone, a quadruped and an arm, on the whole stack with real physics."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import rclpy
from rclpy.context import Context
from waiting import until

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import ActionFailedError, Shell, Status
from softshell_description.load import load_robot
from softshell_description.model import RobotModel
from softshell_interfaces.msg import LimbPath, LimbSolution
from softshell_interfaces.srv import SolveFK, SolveIK
from softshell_kinematics.model.from_urdf import chain_from_urdf

pytestmark = pytest.mark.usefixtures('family')


@contextmanager
def running(**arguments: str) -> Iterator[Shell]:
    """A client of a stack that runs for as long as the context."""
    with Stack({'real_time_factor': '0', **arguments}, domain=free_domain()) as stack:
        stack.wait_ready()
        context = Context()
        rclpy.init(context=context, domain_id=stack.domain)
        try:
            with Shell(namespace=arguments.get('namespace', ''), context=context) as shell:
                yield shell
        finally:
            context.try_shutdown()


def ask(shell: Shell, kind: type, name: str, request):
    """The answer of a service."""
    client = shell.node.create_client(kind, name)
    assert client.wait_for_service(20)
    return client.call(request, timeout_sec=60)


@pytest.mark.long
def test_a_quadruped_stands_up_crawls_a_metre_and_turns():
    """It rises, goes 1 m within 10 % without falling, turns 45 degrees within 5, and lies down."""
    robot = load_robot('quadruped')
    with running(robot='quadruped') as shell:
        shell.wait_for_odometry()
        start = shell.position
        shell.perform('stand')
        assert shell.position[2] == pytest.approx(robot.rest_heights['stand'], abs=0.004)
        before = shell.position
        shell.perform('walk', distance=1.0)
        travel = shell.position - before
        assert travel[0] == pytest.approx(1.0, rel=0.1)
        assert abs(travel[1]) < 0.1
        heading = shell.yaw
        shell.perform('turn', angle=np.pi / 4)
        assert np.degrees(shell.yaw - heading) == pytest.approx(45.0, abs=5.0)
        shell.perform('idle')
        assert shell.position[2] == pytest.approx(start[2], abs=0.004)
        # What sinks down while nothing drives it has to stand up again before it walks.
        shell.perform('stand')
        shell.deactivate()
        until(lambda: shell.position[2] < start[2] + 0.02, 'down again')
        shell.activate()
        rising = shell.perform('walk', distance=0.02) - shell.perform('walk', distance=0.02)
        assert rising > 1.0
        assert shell.position[2] == pytest.approx(robot.rest_heights['stand'], abs=0.004)


@pytest.mark.long
def test_the_quadruped_follows_velocities_on_the_mock():
    """The same manager walks another gait on `cmd_vel`; its base goes where it is asked."""
    with running(robot='quadruped', bridge='mock') as shell:
        shell.perform('stand')
        shell.set_body_pose(0.11)
        with pytest.raises(ActionFailedError) as caught:
            shell.set_body_pose(0.5)
        assert caught.value.status is Status.BAD_PARAMETER
        assert 'parameter z is 0.5; expected 0 to 0.2 m' in str(caught.value)
        shell.perform('walk', distance=0.08)


@pytest.mark.long
@pytest.mark.parametrize('bridge', ['mock', 'sim'])
def test_an_arm_without_legs_moves_by_actions(bridge):
    """Every action of the arm succeeds, and `reach` ends in the pose of that name.

    `solve_ik` brings the tip to where forward kinematics has it, by the robot's chain names.
    """
    robot = load_robot('arm')
    with running(robot='arm', bridge=bridge) as shell:
        for action in shell.actions():
            shell.perform(action.name)
        shell.perform('reach')
        shell.wait_for_joints()
        positions = shell.joints
        for name, value in robot.poses['reach'].items():
            # A servo of finite stiffness sags under the arm's weight.
            assert positions[name] == pytest.approx(value, abs=0.03)
        with pytest.raises(ActionFailedError, match="unknown action 'walk'; known: draw, home"):
            shell.perform('walk')
        assert_kinematics_of_the_arm(robot, shell)


def assert_kinematics_of_the_arm(robot: RobotModel, shell: Shell) -> None:
    chain = chain_from_urdf(robot.urdf, 'base_link', 'tip')
    goal = chain.forward([robot.poses['reach'][name] for name in chain.variables])
    path = LimbPath(chain='arm', free=[False, True, False, True, True, True])
    path.x, path.z = [float(goal[0, 3])], [float(goal[2, 3])]
    answer = ask(shell, SolveIK, 'solve_ik', SolveIK.Request(limbs=[path]))
    (solution,) = answer.solutions
    assert list(solution.status) == [LimbSolution.CONVERGED]
    found = chain.forward([joint.position[0] for joint in solution.joints])
    assert found[[0, 2], 3] == pytest.approx(goal[[0, 2], 3], abs=1e-7)
    poses = ask(shell, SolveFK, 'solve_fk', SolveFK.Request())
    assert [limb.chain for limb in poses.limbs] == ['arm']


@pytest.mark.long
def test_two_robots_in_one_domain_both_walk():
    """Each in its namespace has a clock and transforms of its own, and goes its way."""
    domain = free_domain()
    quick = {'real_time_factor': '0'}
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    with (
        Stack({**quick, 'namespace': 'one'}, domain=domain) as one,
        Stack({**quick, 'namespace': 'two', 'robot': 'quadruped'}, domain=domain) as two,
    ):
        one.wait_ready()
        two.wait_ready()
        with (
            Shell(namespace='one', context=context) as first,
            Shell(namespace='two', context=context) as second,
        ):
            names = ('clock', 'tf', 'tf_static')
            wanted = {f'/{robot}/{name}' for robot in ('one', 'two') for name in names}
            end = time.monotonic() + 40  # discovery takes as long as it takes
            topics: set[str] = set()
            while not wanted <= topics:
                assert time.monotonic() < end, f'{wanted - topics} never came'
                time.sleep(0.05)
                topics = {name for name, _ in first.node.get_topic_names_and_types()}
            assert not topics & {f'/{name}' for name in names}
            for shell, distance in ((first, 0.3), (second, 0.16)):
                shell.wait_for_odometry()
                shell.perform('stand')
                start = shell.position
                shell.perform('walk', distance=distance)
                assert shell.position[0] - start[0] == pytest.approx(distance, rel=0.15)
    context.try_shutdown()
