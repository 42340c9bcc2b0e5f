"""What a backend says is wrong: typed faults, refusals, warnings, and less speed."""

import numpy as np
import pytest
from bridge_rig import LIMITS, PERIOD, Rig

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.fault import FaultError, RefusalError
from softshell_kinematics.errors import ProblemsError, SoftshellError

HOT = Reason(ReasonCode.TEMPERATURE, 'elbow: 71 °C; expected at most 70 °C')
WARM = Reason(ReasonCode.TEMPERATURE, 'elbow: 61 °C, slowed down; stopped at 70 °C')


def failing(error):
    def fail(*arguments):
        raise error

    return fail


def test_a_fault_has_the_kind_that_the_backend_gave_it():
    """Its code is that of the FaultError, for the bridge and for the trajectory that it ended."""
    rig = Rig().bring(BridgeMode.EXECUTING)
    rig.backend.step = failing(FaultError(HOT.code, HOT.text))
    rig.run()
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.core.status().reasons == (HOT,)
    assert rig.reports[-1].goal.reasons == (HOT,)
    assert rig.backend.calls == ['stop hold']
    rig.run(5)
    assert rig.core.status().reasons == (HOT,)


def test_a_fault_during_activation_is_latched():
    """Whoever asked has the text; the bridge is stopped by the policy, with the code."""
    rig = Rig()
    rig.backend.activate = failing(FaultError(ReasonCode.CALIBRATION, 'elbow: none'))
    assert str(rig.ask('activate')) == 'elbow: none'
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.core.status().reasons == (Reason(ReasonCode.CALIBRATION, 'elbow: none'),)
    assert rig.backend.calls == ['stop hold']


@pytest.mark.parametrize(
    ('error', 'code'),
    [
        (SoftshellError('no supply'), ReasonCode.REFUSED),
        (RefusalError(ReasonCode.VOLTAGE, 'no supply'), ReasonCode.VOLTAGE),
    ],
)
def test_a_refused_activation_is_told_till_the_next_one(error, code):
    """The bridge stays inactive and reports at once why; an activation that works ends it.

    The code is that of the error, if it has one.
    """
    rig = Rig()
    works = rig.backend.activate
    rig.backend.activate = failing(error)
    rig.ask('activate')
    refused = (Reason(code, 'no supply'),)
    assert (rig.core.mode, rig.core.status().reasons) == (BridgeMode.INACTIVE, refused)
    assert [status.reasons for status in rig.reports] == [refused]
    rig.backend.activate = works
    rig.ask('activate')
    assert (rig.core.mode, rig.core.status().reasons) == (BridgeMode.HOLDING, ())


@pytest.mark.parametrize('call', ['reset', 'deactivate', 'stop', 'apply'])
def test_every_call_may_end_in_a_typed_fault(call):
    """Wherever the line breaks, the code says so."""
    rig = Rig().bring(BridgeMode.HOLDING)
    setattr(rig.backend, call, failing(FaultError(ReasonCode.BUS, 'no port')))
    if call == 'stop':
        rig.core.fail(HOT)
        expected = (HOT, Reason(ReasonCode.STOP_FAILED, 'the backend did not stop: no port'))
    else:
        rig.core.apply(None) if call == 'apply' else rig.ask(call)
        expected = (Reason(ReasonCode.BUS, 'no port'),)
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.core.status().reasons == expected


def test_warnings_come_with_every_report_and_change_nothing():
    """They come after what was limited, while they last; the bridge goes on."""
    rig = Rig().bring(BridgeMode.HOLDING)
    rig.backend.warnings = lambda: [WARM]
    who = rig.offer(goal=9.0, duration=0.1)
    rig.run(400)
    assert rig.states(who)[0] is GoalState.ACTIVE
    assert rig.reports[-1].reasons[-1] == WARM
    codes = [reason.code for reason in rig.core.status().reasons]
    assert (codes[0], codes[-1]) == (ReasonCode.OUT_OF_RANGE, ReasonCode.TEMPERATURE)
    assert rig.core.driven
    rig.backend.warnings = tuple
    rig.core.status()
    assert WARM not in rig.core.status().reasons


def test_warnings_that_fail_stop_nothing():
    """They only inform: their own failure is one more of them."""
    rig = Rig().bring(BridgeMode.HOLDING)
    rig.backend.warnings = failing(OSError('no answer'))
    rig.run(3)
    assert rig.core.driven
    assert rig.core.status().reasons == (Reason(ReasonCode.BACKEND, 'OSError: no answer'),)


def test_a_derated_joint_slows_down_within_its_acceleration():
    """From 2.5 rad/s and more to a fifth of its rate: braked, not jerked, and no faster after.

    The other joints keep their rates, and without derating so does this one.
    """
    rig = Rig().bring(BridgeMode.HOLDING)
    elbow = LIMITS.names.index('elbow')
    rig.offer(goal=LIMITS.lower[elbow], duration=0.0)
    rates = []

    def run(ticks):
        for _ in range(ticks):
            rig.run()
            rates.append(abs(rig.core.command.rate[elbow]))

    run(25)
    fast = rates[-1]
    assert fast > 2.5
    scale = np.ones(len(LIMITS.names))
    scale[elbow] = 0.2
    rig.backend.inner._measured.derating = scale
    run(60)
    step = LIMITS.acceleration[elbow] * PERIOD
    assert np.abs(np.diff(rates)).max() <= step * (1.0 + 1e-9)
    slow = 0.2 * LIMITS.rate[elbow]
    assert rates[-1] == pytest.approx(slow)
    braking = int(np.ceil((fast - slow) / step))
    assert rates[25 + braking + 1] == pytest.approx(slow)
    reasons = {reason.code: reason.text for reason in rig.core.status().reasons}
    assert reasons[ReasonCode.RATE] == 'rate limited: elbow'


@pytest.mark.parametrize('scale', [0.0, -1.0])
def test_a_joint_derated_to_nothing_stands(scale):
    """No part of its rate is none: the command stays where it is."""
    rig = Rig().bring(BridgeMode.HOLDING)
    before = rig.core.command.value.copy()
    rig.backend.inner._measured.derating = np.full(len(LIMITS.names), scale)
    rig.run(2)
    rig.offer(goal=0.3, duration=0.1)
    rig.run(50)
    assert rig.core.command.value.tolist() == before.tolist()


def test_a_derating_that_is_no_number_is_a_fault():
    """Nobody knows how fast the joint may move, so it is stopped."""
    rig = Rig().bring(BridgeMode.HOLDING)
    rig.backend.inner._measured.derating = np.array([1.0, np.nan, 1.0])
    rig.run()
    reason = Reason(ReasonCode.NOT_FINITE, 'the derating is not finite')
    assert (rig.core.mode, rig.core.status().reasons) == (BridgeMode.FAULT, (reason,))


def test_a_derating_that_is_no_number_from_the_start_moves_nothing():
    """Neither before the fault nor after it, whatever was ordered."""
    rig = Rig()
    rig.backend.inner._measured.derating = np.full(3, np.nan)
    rig.core.activate()
    before = rig.core.command.value.copy()
    rig.offer()
    rig.run(3)
    assert rig.core.mode is BridgeMode.FAULT
    sent = [command for command in rig.backend.commands if command is not None]
    assert sent
    assert np.array_equal(sent, [before] * len(sent))


def test_a_derating_has_one_value_for_each_channel():
    """Another size is refused with the size that was expected."""
    measured = Rig().core.measured
    measured.derating = np.ones(2)
    with pytest.raises(ProblemsError, match=r'derating has the shape \(2,\); expected \(3,\)'):
        measured.check(3)
