"""A bridge that nobody commands for long, and a clock that does not go on."""

import pytest
from bridge_rig import ARM, PERIOD, Probe, Rig

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.time_flow import CLOCK_BACK
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity

SECOND = 1_000_000_000
TICK = round(PERIOD * SECOND)
LIMITS = limits_of(ARM)


def idling(relax_timeout):
    """A rig that lets go after so long a time without a command."""
    rig = Rig()
    settings = FollowerSettings(command_timeout=0.1, relax_timeout=relax_timeout)
    rig.backend = Probe()
    rig.core = BridgeCore(rig.backend, LIMITS, PERIOD, settings)
    rig.core.activate()
    rig.backend.calls.clear()
    return rig


def ticks_until_relaxed(rig, most=1000):
    for tick in range(most):
        rig.run()
        if not rig.core.driven:
            return tick + 1
    return None


def test_by_default_a_robot_is_never_let_go():
    """Whoever stands on its joints stays standing."""
    assert FollowerSettings().relax_timeout == 0.0
    assert ticks_until_relaxed(idling(0.0), 3000) is None


def test_without_commands_the_joints_are_let_go_with_the_reason():
    """relax_timeout after the first period: deactivated once, inactive, and told at once."""
    rig = idling(0.4)
    assert ticks_until_relaxed(rig) == 101
    assert (rig.core.mode, rig.backend.calls) == (BridgeMode.INACTIVE, ['deactivate'])
    text = 'no command for 0.4 s, so the joints were released; ~/activate drives them'
    relaxed = (Reason(ReasonCode.TIMEOUT, text),)
    assert [(status.mode, status.reasons) for status in rig.reports] == [
        (BridgeMode.INACTIVE, relaxed)
    ]
    rig.run(200)
    assert rig.backend.calls == ['deactivate']
    assert rig.core.status().reasons == relaxed
    rig.ask('activate')
    assert (rig.core.mode, rig.core.status().reasons) == (BridgeMode.HOLDING, ())


@pytest.mark.parametrize('began', [0, 100 * SECOND])
def test_it_does_not_count_the_time_before_the_first_period(began):
    """An activation may take long, and a clock may come only after it."""
    rig = idling(0.4)
    rig.core.deactivate()
    rig.core.tick(SECOND)
    rig.core.activate()
    rig.core.tick(began + 3 * SECOND)
    assert rig.core.driven
    assert ticks_until_relaxed(rig) == 100


def test_it_counts_from_the_end_of_the_last_trajectory():
    """The end at 0.2 s, holding from 0.3 s on, let go 0.4 s later; one that waits keeps it up."""
    rig = idling(0.4)
    rig.offer(duration=0.2)
    assert ticks_until_relaxed(rig) == pytest.approx(175, abs=2)
    rig = idling(0.4)
    request = Request(Identity('later', bytes(16)), SECOND, ['elbow'], [0.2], [[0.3]], [[]])
    rig.core.offer(check_trajectory(request, LIMITS.names, rig.core.now))
    assert ticks_until_relaxed(rig) == pytest.approx(425, abs=2)
    assert GoalState.REACHED in [status.goal.state for status in rig.reports]


def test_a_backend_that_does_not_let_go_is_a_fault():
    """It is stopped by the policy instead, and the error is told."""
    rig = idling(0.4)
    rig.backend.fails.add('deactivate')
    assert ticks_until_relaxed(rig) == 101
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.backend.calls == ['deactivate', 'stop hold']
    assert rig.core.status().reasons[0].code is ReasonCode.BACKEND


def moving():
    rig = Rig().bring(BridgeMode.EXECUTING)
    rig.run(50)
    rig.reports.clear()
    return rig


@pytest.mark.parametrize('back', [0, 1, round(0.9 * CLOCK_BACK * SECOND)])
def test_a_tick_without_time_is_left_out(back):
    """Command, time and measurement stay; when time goes on, so does the motion, from there."""
    rig = moving()
    core, before = rig.core, rig.core.command.value.copy()
    now, stamp, steps = core.now, core.measured.stamp, len(rig.backend.commands)
    core.tick(now - back)
    assert (core.now, core.measured.stamp, len(rig.backend.commands)) == (now, stamp, steps)
    assert core.command.value.tolist() == before.tolist()
    text = 'the clock stood still or went back: 1 ticks left out'
    assert core.status().reasons == (Reason(ReasonCode.TIME, text),)
    assert core.status().reasons == ()
    core.tick(now + TICK)
    assert core.mode is BridgeMode.EXECUTING
    assert 0.0 < abs(core.command.value - before).max() < (LIMITS.rate * PERIOD).max()


def test_requests_are_heard_while_the_clock_stands():
    """An emergency stop needs no time."""
    rig = moving()
    rig.core.request(rig.core.emergency_stop)
    rig.core.tick(rig.core.now)
    assert rig.core.mode is BridgeMode.EMERGENCY_STOP


def test_a_clock_that_goes_far_back_is_a_fault_and_counts_anew():
    """The trajectory ends, the joints hold by the policy, and the new time is taken."""
    rig = moving()
    core, before = rig.core, rig.core.command.value.copy()
    core.flow.now += 7200 * SECOND  # it went ahead without a tick
    (status, *_) = core.tick(core.now - 3600 * SECOND)
    reason = Reason(ReasonCode.CLOCK, 'the clock went back by 3600.000 s')
    assert (status.mode, status.reasons) == (BridgeMode.FAULT, (reason,))
    assert (status.goal.state, status.goal.reasons) == (GoalState.STOPPED, (reason,))
    assert core.command.value.tolist() == before.tolist()
    assert rig.backend.calls == ['stop hold']
    core.clear_fault()
    core.activate()
    rig.offer(duration=0.2)
    states = [status.goal.state for _ in range(100) for status in core.tick(core.now + TICK)]
    assert states == [GoalState.ACTIVE, GoalState.REACHED]


@pytest.mark.parametrize('mode', [BridgeMode.INACTIVE, BridgeMode.EMERGENCY_STOP])
def test_where_nothing_is_driven_a_clock_may_go_back(mode):
    """The mode stays, and what is measured has the new time."""
    rig = Rig().bring(mode)
    rig.core.tick(3600 * SECOND)
    rig.core.tick(SECOND)
    assert (rig.core.mode, rig.core.now, rig.core.measured.stamp) == (mode, SECOND, SECOND)
