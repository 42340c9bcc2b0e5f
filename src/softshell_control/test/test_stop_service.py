"""An emergency stop of a bridge that is busy with another service; and its end meanwhile."""

import signal
import time
from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

import rclpy
from bridge_process import FRAGILE
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import Trigger

from softshell_control.ros import stop_service
from softshell_interfaces.msg import BridgeStatus

#: A mock whose activation never ends by itself, as on a damaged line.
STUCK = FRAGILE.replace(
    """            raise SoftshellError('the key is missing')
        return""",
    """            print('activation has begun', file=sys.stderr, flush=True)
            assert interrupted.wait(60.0)
            raise SoftshellError('interrupted')
        return""",
).replace(
    'class Fragile(MockBackend):',
    """import threading
from softshell_control.ros import lifecycle
lifecycle.STALE = 5.0  # a busy machine may be slow to take what waited
interrupted = threading.Event()

class Fragile(MockBackend):
    def interrupt(self):
        interrupted.set()

    def resume(self):
        interrupted.clear()
""",
)


@pytest.fixture
def busy(start_once):
    """A client of a bridge that activates, without an end; and the answer that it waits for."""
    client = start_once('robot:=arm', 'locked:=true', 'activate:=false', code=STUCK)
    client.wait_mode(BridgeStatus.INACTIVE)
    client.wait(client.services['activate'].service_is_ready, 'the service')
    client.wait(client.services['emergency_stop'].service_is_ready, 'the service')
    answer = client.services['activate'].call_async(Trigger.Request())
    client.wait(lambda: any('has begun' in line for line in client.bridge.errors), 'activation')
    return client, answer


def test_a_stop_does_not_wait_for_an_activation(busy):
    """Which fails at once; a reset that was asked for before the stop does not lead out of it."""
    client, activation = busy
    reset = client.services['reset'].call_async(Trigger.Request())
    time.sleep(0.2)  # until it waits there; if it does not, it is refused nonetheless
    stop = client.result(client.services['emergency_stop'].call_async(Trigger.Request()))
    assert stop.success
    assert client.result(activation).message == 'interrupted'
    assert 'an emergency stop came' in client.result(reset).message
    client.wait_mode(BridgeStatus.EMERGENCY_STOP)
    client.wait(lambda: client.call('reset').success, 'a reset after the stop')


@pytest.mark.long
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_does_not_wait_for_an_activation(busy, number):
    """It ends cleanly, before what hangs would be ended with status 1."""
    client, _ = busy
    assert client.bridge.close(number) == 0
    assert 'Traceback' not in ''.join(client.bridge.errors)


class Stopped:
    """A stop service whose wait for calls fails so many times, and what it logs and serves."""

    def __init__(self, domain, monkeypatch, failures):
        self.errors, self.served, self.left = [], [], failures
        self._made = stop_service.rclpy_implementation.WaitSet
        fake = SimpleNamespace(WaitSet=self._wait_set)
        monkeypatch.setattr(stop_service, 'rclpy_implementation', fake)
        monkeypatch.setattr(stop_service, 'RETRY', 0.001)
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = Node('stopped', context=self.context)
        logger = SimpleNamespace(error=self.errors.append)
        monkeypatch.setattr(self.node, 'get_logger', lambda: logger)
        self.service = stop_service.StopService(self.node, self._serve)

    def _wait_set(self, *arguments):
        self.left -= 1
        if self.left >= 0:
            raise RuntimeError('failed to initialize wait set')
        return self._made(*arguments)

    def _serve(self, request, response):
        self.served.append(request)
        response.success = True
        return response

    def call(self):
        """Whether a call is answered with success."""
        client = self.node.create_client(Trigger, 'stopped/emergency_stop')
        executor = SingleThreadedExecutor(context=self.context)
        executor.add_node(self.node)
        assert client.wait_for_service(20.0)
        answer = client.call_async(Trigger.Request())
        executor.spin_until_future_complete(answer, 20.0)
        return answer.done() and answer.result().success

    def close(self):
        self.service.close()
        self.node.destroy_node()
        self.context.try_shutdown()


@pytest.fixture
def stopped(domains, monkeypatch):
    made = []

    def make(failures):
        made.append(Stopped(domains(), monkeypatch, failures))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_stop_is_served_after_errors_of_rcl(stopped):
    """They are told once, with what happened."""
    made = stopped(5)
    assert made.call()
    assert len(made.served) == 1
    (error,) = made.errors
    assert 'RuntimeError: failed to initialize wait set' in error


def test_a_bridge_that_nobody_can_stop_is_stopped(stopped):
    """As often as errors of rcl go on for so long; that is told."""
    made = stopped(2 * stop_service.MOST_ERRORS)
    assert made.call()
    assert len(made.served) == 3
    assert [error for error in made.errors if 'the bridge is stopped' in error] == made.errors[1:]
    assert len(made.errors) == 3
