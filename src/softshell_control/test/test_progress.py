"""What is told of a trajectory on its way is what its tolerances are held against."""

import numpy as np
import pytest
from bridge_rig import ELSEWHERE, LIMITS, PERIOD, Rig

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_control.progress import progress_of
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.trajectory import Identity, Tolerances

ELBOW = LIMITS.names.index('elbow')
WHOSE = Identity('planner', bytes(16))


def sent(duration, path=None):
    """A bridge that holds, and takes a trajectory of the elbow over 1 rad at its next tick."""
    rig = Rig().bring(BridgeMode.HOLDING)
    goal = ELSEWHERE[ELBOW] - 1.0
    request = Request(WHOSE, 0, ['elbow'], [duration], [[goal]], [[]])
    tolerances = None if path is None else Tolerances(path=np.array([path]))
    rig.core.offer(check_trajectory(request, LIMITS.names, tolerances=tolerances))
    return rig


def test_a_trajectory_is_missed_as_the_error_that_is_told_exceeds_its_tolerance():
    """1 rad in 50 ms is more than the gate allows: the reason has the error of the period before.

    The joints follow their commands exactly, so it is no error between command and measurement.
    """
    rig = sent(0.05, path=0.1)
    told = [0.0]
    while GoalState.MISSED not in rig.states(WHOSE):
        progress = progress_of(rig.core)
        told.append(abs(progress.desired[ELBOW] - progress.actual[ELBOW]))
        rig.run()
    missed = rig.reports[-1].goal
    assert missed.error == pytest.approx(told[-1], abs=1e-12)
    assert max(told[:-1]) <= 0.1 < told[-1]
    assert missed.on_the_way


def test_desired_is_the_curve_and_actual_is_measured():
    """Over 1 rad in 1 s from rest they are the cubic and its derivative, at the stamp."""
    rig = sent(1.0)
    begin = rig.core.now
    for _ in range(round(1.0 / PERIOD)):
        rig.run()
        progress = progress_of(rig.core)
        part = (progress.stamp - begin) / 1e9
        desired, rates, actual, actual_rates = progress.of(np.array([ELBOW]))
        assert desired == pytest.approx(ELSEWHERE[ELBOW] - part**2 * (3.0 - 2.0 * part))
        assert rates == pytest.approx(-6.0 * part * (1.0 - part), abs=1e-9)
        assert actual.tolist() == [rig.core.channels[ELBOW]]
        assert actual_rates.tolist() == [rig.core.measured.velocity[ELBOW]]


def test_a_joint_that_is_not_measured_has_no_actual_velocity():
    """As it has no position then: what the backend leaves in its arrays is not told."""
    rig = sent(1.0)
    rig.run(10)
    rig.core.measured.valid[ELBOW] = False
    rates = progress_of(rig.core).actual_rates
    assert np.isnan(rates[ELBOW])
    assert np.isfinite(np.delete(rates, ELBOW)).all()


def test_progress_is_a_copy():
    """Another thread may read it while the control loop goes on."""
    rig = sent(0.5)
    rig.run(10)
    progress = progress_of(rig.core)
    before = [array.copy() for array in progress.of(np.array([ELBOW]))]
    rig.run(10)
    after = progress.of(np.array([ELBOW]))
    assert [array.tolist() for array in after] == [array.tolist() for array in before]
