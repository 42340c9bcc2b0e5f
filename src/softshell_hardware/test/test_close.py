"""A bridge that ends while it still speaks to its servos."""

import threading

import pytest

import softshell_hardware.driving.enlist as enlisting
from softshell_control.backend import StopPolicy
from softshell_kinematics.errors import SoftshellError


class Activation:
    """An activation in a thread of its own, which stands still before it goes on to servo 2.

    Attributes:
        error: what it raises; None: nothing yet.
    """

    def __init__(self, backend, monkeypatch):
        self.error = None
        self.reached, self.goes_on = threading.Event(), threading.Event()
        said = enlisting.said

        def still(bus, servo, *more):
            if servo == 2:
                self.reached.set()
                assert self.goes_on.wait(60.0)
            return said(bus, servo, *more)

        monkeypatch.setattr(enlisting, 'said', still)
        self._thread = threading.Thread(target=self._run, args=(backend,))
        self._thread.start()
        assert self.reached.wait(60.0)

    def _run(self, backend):
        try:
            backend.activate()
        except SoftshellError as error:
            self.error = error

    def join(self):
        self.goes_on.set()
        self._thread.join()


def torques(rig):
    return [servo.torque for servo in rig.emulated.servos.values()]


@pytest.mark.parametrize('policy', StopPolicy)
@pytest.mark.parametrize('family', ['ax', 'x'])
def test_an_activation_that_is_interrupted_switches_on_no_further_servo(
    rig, family, policy, monkeypatch
):
    """Servo 1 is on by then: by the policy it holds, or gives way as all do."""
    made = rig('arm', family)
    made.run(3)
    made.backend._policy = policy
    activation = Activation(made.backend, monkeypatch)
    assert torques(made) == [True, False, False]
    made.backend.interrupt()
    activation.join()
    assert 'interrupted by a stop' in str(activation.error)
    made.backend.close()
    assert torques(made) == [policy is StopPolicy.HOLD, False, False]
    assert not made.backend.crew.is_open


@pytest.mark.parametrize('policy', StopPolicy)
@pytest.mark.parametrize('family', ['ax', 'x'])
def test_a_stop_in_the_middle_of_an_activation_is_one(rig, family, policy, monkeypatch):
    """By the policy what is on holds, and what is off stays off; or all give way."""
    made = rig('arm', family)
    made.run(3)
    activation = Activation(made.backend, monkeypatch)
    made.backend.interrupt()
    activation.join()
    assert 'interrupted by a stop' in str(activation.error)
    made.backend.resume()
    made.backend.stop(policy)
    for _ in range(2):
        assert torques(made) == [policy is StopPolicy.HOLD, False, False]
        made.run(60)
