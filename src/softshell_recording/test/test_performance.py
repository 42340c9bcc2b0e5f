"""A scenario performed on a stack that only pretends, and its recording."""

import os
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.action', reason='needs the built workspace')

from rclpy.action import ActionServer  # noqa: E402
from rclpy.context import Context  # noqa: E402
from rclpy.duration import Duration  # noqa: E402
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor  # noqa: E402
from rclpy.task import Future  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from softshell_bringup.domain import current_domain  # noqa: E402
from softshell_client.ros.execution import Execution  # noqa: E402
from softshell_common.outcome import Status, outcome_text  # noqa: E402
from softshell_common.ros import qos  # noqa: E402
from softshell_interfaces.action import ExecuteAction  # noqa: E402
from softshell_interfaces.msg import (  # noqa: E402
    ActionDescription,
    ActionOutcome,
    ParameterDescription,
)
from softshell_interfaces.srv import ListActions  # noqa: E402
from softshell_kinematics.errors import ProblemsError, SoftshellError  # noqa: E402
from softshell_recording.ros.performance import perform_scenario  # noqa: E402
from softshell_recording.ros.recorder import Recorder  # noqa: E402
from softshell_recording.scenario import load_scenario  # noqa: E402

PERIOD = 0.02  # [s] of its control, wall and ROS clock


class FakeStack:
    """One joint that follows `go` from 0 to `far` within a second.

    `bad` is not reached, and `left` is cancelled.
    """

    def __init__(self, namespace: str) -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node('stack', namespace=namespace, context=self.context)
        self._joints = self.node.create_publisher(JointState, 'joint_states', qos.STATE)
        self._commands = self.node.create_publisher(JointState, 'joint_commands', qos.STATE)
        self._server = ActionServer(self.node, ExecuteAction, 'execute_action', self._execute)
        self._server._handle.publish_status()
        self.node.create_service(ListActions, 'list_actions', self._list)
        self.node.create_timer(PERIOD, self._tick)
        self._now, self._moving, self._far = 0.0, None, 0.0
        self.goals: list[str] = []
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._running = True
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def close(self) -> None:
        self._running = False
        self._thread.join()
        self._server.destroy()
        self.node.destroy_node()
        self._executor.shutdown()
        self.context.try_shutdown()

    def _spin(self) -> None:
        while self._running:
            try:
                self._executor.spin_once(timeout_sec=0.05)
            except ExternalShutdownException:
                return

    def _stamp(self, message):
        message.header.stamp.sec = int(self._now)
        message.header.stamp.nanosec = round(self._now % 1 * 1e9) % 1_000_000_000
        return message

    def _tick(self) -> None:
        self._now += PERIOD
        position = 0.0
        if self._moving is not None:
            start, future = self._moving
            position = min(1.0, self._now - start) * self._far
            if self._now - start >= 1.0 and not future.done():
                future.set_result(None)
        message = self._stamp(JointState(name=['a'], position=[position]))
        self._joints.publish(message)
        if self._moving is not None:
            self._commands.publish(message)

    async def _execute(self, handle) -> ExecuteAction.Result:
        name, result = handle.request.name, ExecuteAction.Result(duration=1.0)
        result.outcome.status = ActionOutcome.SUCCEEDED
        self.goals.append(name)
        if name == 'bad':
            result.outcome.status = ActionOutcome.GOAL_MISSED
            result.outcome.message = 'a is late'
            handle.abort()
            return result
        if name == 'left':
            result.outcome.status = ActionOutcome.CANCELED
            handle.abort()
            return result
        handle.publish_feedback(ExecuteAction.Feedback(sub_action=name, progress=0.5))
        self._far = {one.name: one.value for one in handle.request.parameters}['far']
        future = Future(executor=self._executor)
        self._moving = self._now, future
        await future
        handle.succeed()
        return result

    def _list(self, request, response):
        far = ParameterDescription(name='far')
        response.actions = [
            ActionDescription(name='go', parameters=[far]),
            ActionDescription(name='bad'),
            ActionDescription(name='left'),
        ]
        return response


@pytest.fixture(scope='module')
def namespace():
    return f'recording_test_{os.getpid()}'


@pytest.fixture
def fake(namespace):
    fake = FakeStack(namespace)
    yield fake
    fake.close()


def perform(tmp_path, namespace, *steps):
    """The run of some steps, what was told after each, and what was shown meanwhile."""
    path = tmp_path / 'demo.yaml'
    listed = ''.join(f'  - {step}\n' for step in steps)
    path.write_text(f'description: a test\nsteps:\n{listed}', encoding='utf-8')
    told, shown = [], []
    stack = SimpleNamespace(
        arguments={'namespace': namespace}, domain=current_domain(), check=lambda: None
    )
    begun = time.monotonic()

    def show(step, done):
        shown.append((step.split()[3], done))

    run = perform_scenario(load_scenario(path), stack, begun, told.append, show)
    return run, told, shown


def test_a_scenario_is_performed_and_recorded(fake, namespace, tmp_path):
    """Each step's times and the joint's command are recorded, without any odometry."""
    run, told, shown = perform(
        tmp_path,
        namespace,
        '{action: go, with: {far: 0.5}}',
        '{action: go, with: {far: -1.0}}',
    )
    assert run.failure == ''
    assert [line.split()[:4] for line in told] == [['1', 'of', '2', 'go'], ['2', 'of', '2', 'go']]
    assert shown == [('go', 0.0), ('go', 0.5)] * 2
    assert [step.action for step in run.steps] == ['go', 'go']
    assert all(0.9 < step.end - step.start < 2.0 for step in run.steps)
    assert 0.0 < run.first_motion < run.wall + 30.0
    recording = run.recording
    assert recording.base is None
    commanded = np.isfinite(recording.commands[:, 0])
    assert 1.9 / PERIOD < commanded.sum() < len(recording.times)
    assert np.ptp(recording.commands[commanded, 0]) == pytest.approx(1.5, abs=0.05)
    assert np.abs(recording.errors[commanded]).max() == 0.0  # the pretended joint follows exactly


def test_a_step_that_fails_ends_the_run_and_is_kept(fake, namespace, tmp_path):
    """What was recorded until then stays; the failure says why; later steps are not begun."""
    run, told, _ = perform(tmp_path, namespace, '{action: bad}', '{action: go, with: {far: 0.5}}')
    assert run.failure == 'bad: goal missed: a is late'
    assert [step.action for step in run.steps] == ['bad']
    assert fake.goals == ['bad']
    assert 'failed' in told[0]


def test_a_step_that_another_cancels_ends_the_run_and_is_kept(fake, namespace, tmp_path):
    """As one that fails: the page in the browser cancels as well."""
    run, told, _ = perform(tmp_path, namespace, '{action: go, with: {far: 0.5}}', '{action: left}')
    assert run.failure == outcome_text('left', Status.CANCELED, '')
    assert [step.action for step in run.steps] == ['go', 'left']
    assert 'failed' in told[1]


def test_a_step_that_is_cancelled_by_ctrl_c_ends_all(fake, namespace, tmp_path, monkeypatch):
    """Nobody wants to see the figures then."""
    result = Execution.result

    def interrupted(execution):
        monkeypatch.setattr(Execution, 'result', result)
        raise KeyboardInterrupt

    monkeypatch.setattr(Execution, 'result', interrupted)
    with pytest.raises(KeyboardInterrupt):
        perform(tmp_path, namespace, '{action: left}')
    assert fake.goals == ['left']


def test_a_scenario_of_another_robot_is_refused_before_anything_moves(fake, namespace, tmp_path):
    """Actions and parameters that this robot does not have are named; no goal is sent."""
    with pytest.raises(ProblemsError) as caught:
        perform(tmp_path, namespace, '{action: go, with: {far: 0.5}}', '{action: fly}')
    assert caught.value.problems == (
        "line 4: steps.1.action: unknown action 'fly'; known: bad, go, left",
    )
    assert fake.goals == []


def test_no_bridge_is_said(namespace):
    """Without joint states the recorder says what it waited for."""
    context = Context()
    rclpy.init(context=context)
    recorder = Recorder(context, namespace + '/nowhere')
    with pytest.raises(SoftshellError, match=r'0 joint_states .* within 0\.3 s'):
        recorder.wait_for_messages(timeout=0.3)
    with pytest.raises(SoftshellError, match='no joint_states were recorded'):
        recorder.stop()
    context.try_shutdown()


def test_what_waits_when_a_recording_ends_is_part_of_it(namespace, monkeypatch):
    """Its thread has not run since it came."""
    monkeypatch.setattr(Recorder, '_spin', lambda recorder: None)
    context = Context()
    rclpy.init(context=context)
    recorder = Recorder(context, namespace + '/busy')
    node = rclpy.create_node('sender', namespace=namespace + '/busy', context=context)
    publisher = node.create_publisher(JointState, 'joint_states', qos.ORDERS)
    end = time.monotonic() + 30.0
    while not publisher.get_subscription_count():
        assert time.monotonic() < end
        time.sleep(0.01)
    for _ in range(2000):
        publisher.publish(JointState())
    assert publisher.wait_for_all_acked(Duration(seconds=30))
    recorder.close()
    assert recorder.received('joint_states') == 2000
    context.try_shutdown()
