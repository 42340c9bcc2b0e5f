"""An emergency stop of a bridge that is busy with another service; and its end meanwhile."""

import signal
import time

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from bridge_process import FRAGILE
from std_srvs.srv import Trigger

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


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_does_not_wait_for_an_activation(busy, number):
    """It ends cleanly, before what hangs would be ended with status 1."""
    client, _ = busy
    assert client.bridge.close(number) == 0
    assert 'Traceback' not in ''.join(client.bridge.errors)
