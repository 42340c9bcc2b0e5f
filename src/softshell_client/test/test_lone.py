"""Single questions to running nodes, and what the command line makes of the answers."""

import os
import signal
import threading
import time

import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.srv', reason='needs the built workspace')

from fake_stack import PATIENCE, wait  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from softshell_client import ServerGoneError  # noqa: E402
from softshell_client.ros import call as command  # noqa: E402
from softshell_client.ros import lone as module  # noqa: E402
from softshell_client.ros import tune  # noqa: E402
from softshell_client.ros.lone import Lone, lone  # noqa: E402
from softshell_common.ros.context import new_context  # noqa: E402
from softshell_interfaces.msg import ActionOutcome  # noqa: E402
from softshell_interfaces.srv import NamedState, SetBodyPose, SolveFK, SolveIK  # noqa: E402
from softshell_kinematics.errors import SoftshellError  # noqa: E402


class Slow:
    """Answers late, and refuses all calls of `clear_fault` but the first; bridges do so.

    Args:
        namespace: of its node, `bridge`.
    """

    def __init__(self, namespace: str) -> None:
        self.context = new_context()
        self.node = rclpy.create_node(
            'bridge', namespace=namespace, context=self.context, enable_logger_service=True
        )
        self.node.declare_parameter('speed', 1.0)
        self.delay, self.calls = 0.0, 0
        self.node.create_service(Trigger, 'bridge/clear_fault', self._clear)
        self.node.create_service(Trigger, 'bridge/emergency_stop', self._halt)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def _spin(self) -> None:
        while not self._ending.is_set():
            self._executor.spin_once(timeout_sec=0.05)

    def _clear(self, request, response):
        self.calls += 1
        self._ending.wait(self.delay)
        response.success = self.calls == 1
        response.message = 'done' if response.success else 'there is no fault'
        return response

    def _halt(self, request, response):
        self._ending.wait(self.delay)
        response.success, response.message = True, 'stopped'
        return response

    def stop(self) -> None:
        """Answer nothing any more; the services stay."""
        self._ending.set()
        self._thread.join()

    def close(self) -> None:
        self.stop()
        self._executor.shutdown()
        self.node.destroy_node()
        self.context.try_shutdown()


@pytest.fixture
def place(namespace):
    """A namespace whose node is that of no other test."""
    return f'{namespace}/lone_{time.monotonic_ns()}'


@pytest.fixture
def slow(place):
    slow = Slow(place)
    yield slow
    slow.close()


@pytest.fixture
def short(monkeypatch):
    """Answers to several calls are awaited for 3 s."""
    monkeypatch.setattr(Lone.ask, '__defaults__', (3.0, module.ATTEMPTS))


def test_a_late_answer_is_the_first_one(slow, place, capsys):
    """What is not known to be harmless is asked for once, however late its answer is."""
    slow.delay = 3.0
    assert command.call('bridge/clear_fault', {}, place) == 0
    assert capsys.readouterr().out == 'done\n'
    assert slow.calls == 1


def test_an_answer_may_take_longer_than_that_of_a_repeated_call(slow, place, short, capsys):
    """As that of `step` does, which comes when the time has passed."""
    slow.delay = 4.0
    assert command.call('bridge/clear_fault', {}, place) == 0
    assert capsys.readouterr().out == 'done\n'


def test_an_earlier_call_may_be_the_one_that_is_answered(slow, place, short, capsys):
    """An emergency stop is asked for again meanwhile; each takes longer than that."""
    slow.delay = 1.2
    assert command.call('bridge/emergency_stop', {}, place) == 0
    assert capsys.readouterr().out == 'stopped\n'


def asked(place, attempts):
    """Asks once the service is there."""
    with lone(place) as node:
        assert node.type_of('bridge/clear_fault', PATIENCE) is Trigger
        request = Trigger.Request()
        return node.ask('bridge/clear_fault', Trigger, request, 'bridge', '', 1.0, attempts)


def test_no_answer_to_several_calls_is_an_error_in_time(slow, place):
    """It does not say that nothing was done."""
    slow.stop()
    with pytest.raises(SoftshellError) as caught:
        asked(place, 4)
    assert str(caught.value) == (
        'bridge/clear_fault: no answer from the bridge within 1 s; it may have been done'
    )


def test_a_node_that_ends_before_it_answers_is_an_error(slow, place, monkeypatch):
    """It was waited for until then."""
    monkeypatch.setattr(module, 'DISCOVERY', 0.2)
    slow.stop()
    ends = threading.Timer(3.0, slow.node.destroy_node)
    ends.start()
    begun = time.monotonic()
    with pytest.raises(ServerGoneError, match='bridge/clear_fault: the bridge is gone'):
        asked(place, 1)
    assert time.monotonic() - begun > 1.5
    ends.join()


@pytest.mark.parametrize('attempts', [1, 4])
def test_ctrl_c_ends_the_wait_soon(slow, place, monkeypatch, attempts):
    """Not when the answer should have been there."""
    monkeypatch.setattr(module, 'DISCOVERY', 0.2)
    slow.stop()
    pressed = []

    def press():
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    with lone(place) as node:
        assert node.type_of('bridge/clear_fault', PATIENCE) is Trigger
        key = threading.Timer(1.5, press)
        key.start()
        request = Trigger.Request()
        with pytest.raises(KeyboardInterrupt):
            node.ask('bridge/clear_fault', Trigger, request, 'bridge', '', PATIENCE, attempts)
    assert time.monotonic() - pressed[0] < 2.0
    key.join()


def test_the_asking_node_is_no_stack(place):
    """It offers nothing itself, so who looks for services waits for those of others."""
    with lone(place) as node:
        assert node.all_services(0.3) == {}


def test_what_nodes_of_ros_offer_is_not_listed(slow, place, capsys):
    """Nor what sets the levels of their logs."""
    with lone(place) as node:
        wait(lambda: 'bridge/set_logger_levels' in node.services())
    assert command.list_services(place) == 0
    listed = capsys.readouterr().out
    assert 'bridge/clear_fault' in listed
    assert 'levels' not in listed


def test_a_full_name_is_that_of_the_namespace(slow, place, capsys):
    """As `ros2 service list` and `ros2 node list` show it."""
    assert command.call(f'{place}/bridge/clear_fault', {}, place) == 0
    assert capsys.readouterr().out == 'done\n'
    assert tune.set_parameters(f'{place}/bridge/', {'speed': '0.5'}, place) == 0
    assert capsys.readouterr().out == 'bridge: speed is 0.5\n'
    with lone('/one') as node:
        for name in ('/one/bridge/reset', '/bridge/reset', 'bridge/reset', 'bridge/reset/'):
            assert node.inside(name) == 'bridge/reset'
        assert node.inside('one/bridge/reset') == 'one/bridge/reset'


REFUSED = ActionOutcome(status=ActionOutcome.UNREACHABLE, message='a foot cannot reach')


@pytest.mark.parametrize(
    ('answer', 'said'),
    [
        (Trigger.Response(message='in a fault'), 'in a fault'),
        (NamedState.Response(message='unknown state', names=['a']), 'unknown state'),
        (SetBodyPose.Response(outcome=REFUSED), 'asked: unreachable: a foot cannot reach'),
        (SetBodyPose.Response(), 'asked: internal error'),
        (SolveIK.Response(status=SolveIK.Response.UNKNOWN_FRAME, message='no frame'), 'no frame'),
        (SolveFK.Response(status=SolveFK.Response.INTERNAL_ERROR, message='oh'), 'oh'),
    ],
)
def test_what_a_node_could_not_do_has_status_1(answer, said, capsys):
    """Whichever way its answer tells that."""
    assert command.told('asked', answer) == 1
    assert capsys.readouterr() == ('', f'error: {said}\n')


@pytest.mark.parametrize(
    ('answer', 'said'),
    [
        (Trigger.Response(success=True, message='done'), 'done\n'),
        (NamedState.Response(success=True, names=['a']), 'names:\n- a\n'),
        (
            SetBodyPose.Response(outcome=ActionOutcome(status=ActionOutcome.SUCCEEDED)),
            'outcome:\n  status: 1\n',
        ),
        (SolveIK.Response(message='x did not converge'), 'message: x did not converge\n'),
    ],
)
def test_what_a_node_did_has_status_0(answer, said, capsys):
    """A solution that did not converge is an answer all the same."""
    assert command.told('asked', answer) == 0
    printed = capsys.readouterr()
    assert said in printed.out
    assert printed.err == ''
