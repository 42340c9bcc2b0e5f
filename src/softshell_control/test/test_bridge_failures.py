"""What a bridge makes of a backend that fails."""

import numpy as np
import pytest
from bridge_rig import ARM, Rig

from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import Reason, ReasonCode
from softshell_control.joint_map import JointMap
from softshell_kinematics.errors import SoftshellError

NOT_STOPPED = Reason(
    ReasonCode.STOP_FAILED, 'the backend did not stop: OSError: no answer to stop hold'
)


def test_a_cleared_fault_that_goes_on_is_a_fault_again():
    """Clearing does not hide what is still broken."""
    rig = Rig().bring(BridgeMode.FAULT)
    rig.backend.fails.add('step')
    rig.ask('clear_fault')
    assert rig.core.mode is BridgeMode.FAULT


def test_a_failing_backend_does_not_end_an_emergency_stop():
    """Steps that fail while stopped change nothing: it is no mere fault, to be cleared."""
    rig = Rig().bring(BridgeMode.EMERGENCY_STOP)
    rig.backend.fails.add('step')
    assert rig.run(5) == []
    assert rig.core.mode is BridgeMode.EMERGENCY_STOP


def test_an_error_of_activation_is_a_fault():
    """The requester has the error itself; what may be driven by half is stopped by the policy."""
    rig = Rig()
    rig.backend.fails.add('activate')
    error = rig.ask('activate')
    assert isinstance(error, OSError)
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.core.status().reasons == (
        Reason(ReasonCode.BACKEND, 'OSError: no answer to activate'),
    )
    assert rig.backend.calls == ['activate', 'stop hold']
    assert rig.backend.commands == [None]
    rig.backend.fails.clear()
    rig.ask('clear_fault')
    rig.ask('activate')
    assert rig.core.mode is BridgeMode.HOLDING


def test_parameters_that_cannot_be_applied_are_a_fault():
    """The backend is stopped by the policy, and the bridge lives on to say why."""
    rig = Rig().bring(BridgeMode.EXECUTING)
    rig.backend.fails.add('apply')
    rig.core.apply('stiffer')
    rig.run(5)
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.core.status().reasons == (
        Reason(ReasonCode.BACKEND, 'OSError: no answer to apply stiffer'),
    )
    assert rig.backend.calls == ['apply stiffer', 'stop hold']


@pytest.mark.parametrize('call', ['reset', 'deactivate', 'apply'])
def test_no_failure_leads_out_of_an_emergency_stop(call):
    """What fails while stopped adds its reason; only a reset that works leads out."""
    rig = Rig().bring(BridgeMode.EMERGENCY_STOP)
    rig.backend.fails.add(call)
    rig.core.apply('stiffer') if call == 'apply' else rig.ask(call)
    assert rig.core.mode is BridgeMode.EMERGENCY_STOP
    stopped, failure = rig.core.status().reasons
    assert stopped == Reason(ReasonCode.EMERGENCY_STOP, 'emergency stop')
    assert failure.code is ReasonCode.BACKEND
    assert f'no answer to {call}' in failure.text
    assert isinstance(rig.ask('clear_fault'), SoftshellError)
    rig.backend.fails.clear()
    rig.ask('reset')
    assert rig.core.mode is BridgeMode.INACTIVE


def test_what_is_not_measured_cannot_be_held():
    """A channel without a value refuses the activation by name, and the joints are let go."""
    rig = Rig()
    rig.backend.inner._measured.channels[1] = np.nan
    error = rig.ask('activate')
    assert isinstance(error, SoftshellError)
    assert 'elbow' in str(error)
    assert rig.core.mode is BridgeMode.INACTIVE
    assert rig.backend.calls == ['activate', 'deactivate']
    assert rig.backend.commands == [None]


@pytest.mark.parametrize('call', ['reset', 'deactivate'])
def test_other_errors_of_a_backend_reach_who_asked(call):
    """A backend that fails to reset or to deactivate makes a fault, which can be cleared."""
    rig = Rig().bring(BridgeMode.HOLDING)
    rig.backend.fails.add(call)
    assert isinstance(rig.ask(call), OSError)
    assert rig.core.mode is BridgeMode.FAULT
    assert 'OSError' in rig.core.status().reasons[0].text
    rig.backend.fails.clear()
    rig.ask('clear_fault')
    assert rig.core.mode is BridgeMode.INACTIVE


def test_a_stop_that_fails_is_told_and_kills_nothing():
    """The bridge lives on, in the mode of a stop, and says that the backend did not stop."""
    rig = Rig().bring(BridgeMode.EXECUTING)
    rig.backend.fails |= {'stop', 'step'}
    rig.run(5)
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.core.status().reasons == (
        Reason(ReasonCode.BACKEND, 'OSError: port is gone'),
        NOT_STOPPED,
    )
    assert 'did not stop' in rig.ask('emergency_stop')
    assert rig.core.mode is BridgeMode.EMERGENCY_STOP
    assert rig.core.status().reasons[1] == NOT_STOPPED
    rig.backend.fails.clear()
    rig.ask('reset')
    rig.ask('activate')
    assert rig.core.mode is BridgeMode.HOLDING


@pytest.mark.parametrize('late', [False, True])
def test_nothing_old_is_stamped_as_new(late):
    """From a failing step on the stamp of what was measured stands still, while time goes on."""
    rig = Rig().bring(BridgeMode.HOLDING)
    rig.run(5)
    stamp, now = rig.core.measured.stamp, rig.core.now
    assert stamp == now
    rig.backend.fails.add('step')
    rig.backend.late = late
    rig.run(10)
    assert rig.core.measured.stamp == stamp
    assert rig.core.now == now + 10 * 4_000_000
    rig.backend.fails.clear()
    rig.run()
    assert rig.core.measured.stamp == rig.core.now


def test_an_invalid_joint_may_be_anything():
    """A joint that is not measured may be NaN; one that claims to be measured may not."""
    rig = Rig().bring(BridgeMode.HOLDING)
    measured = rig.backend.inner._measured
    where = JointMap.of(ARM).names.index('elbow')
    positions = rig.backend.inner._map.positions

    def blind(independent, movable):
        positions(independent, movable)
        movable[where] = np.nan

    object.__setattr__(rig.backend.inner._map, 'positions', blind)
    measured.valid[where] = False
    rig.run(10)
    assert rig.core.mode is BridgeMode.HOLDING
    measured.valid[where] = True
    rig.run()
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.core.status().reasons == (
        Reason(ReasonCode.NOT_FINITE, 'measured joint positions are not finite'),
    )
