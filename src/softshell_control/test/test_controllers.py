"""Controllers on the bridge: begun, told, ended and limited as trajectories are."""

import numpy as np
import pytest
from bridge_rig import ARM, LIMITS, PERIOD, Rig

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.controller import (
    Controller,
    Instruction,
    Reference,
    check_run,
    controllers_of,
    factory_of,
    repeated,
)
from softshell_control.trajectories.check import Refusal
from softshell_control.trajectories.trajectory import Identity
from softshell_kinematics.errors import SoftshellError

ELBOW = LIMITS.names.index('elbow')


class Pushing(Controller):
    """Wants the elbow to turn at a rate till it is told to finish."""

    def __init__(self, refusal=''):
        self.references = {'rate': Reference(0.5, -100.0, 100.0, 'rad/s', 'of the elbow')}
        self.refusal, self.finished, self.trouble = refusal, False, None
        self.stumble = ''
        self.watched, self.bug = [], None

    def begin(self, now, measured, value):
        if self.refusal:
            raise SoftshellError(self.refusal)
        self.finished, self.trouble = False, None

    def instruct(self, now, references):
        if self.stumble:
            raise SoftshellError(self.stumble)
        self.rate = references['rate']

    def finish(self):
        self.finished = True

    def watch(self, now, measured, value, rate):
        self.watched.append((now, value[ELBOW]))

    def update(self, now, end, measured, value, rate):
        if self.bug is not None:
            raise self.bug
        value[ELBOW] += self.rate * (end - now) * 1e-9
        rate[ELBOW] = self.rate

    done = property(lambda self: self.finished)
    problem = property(lambda self: self.trouble)


def begin(rig, controller, number=1, queued=False, **references):
    identity = Identity('tester', bytes([number]) * 16)
    rig.core.offer(check_run(identity, 'pushing', references, queued, {'pushing': controller}))
    return identity


def driven():
    return Rig().bring(BridgeMode.HOLDING)


def test_a_run_moves_its_channel_till_it_is_told_to_finish():
    """0.5 rad/s for half a second is 0.25 rad; then it is reached, and the joint rests."""
    rig, controller = driven(), Pushing()
    start = rig.core.command.value[ELBOW]
    who = begin(rig, controller)
    rig.run(round(0.5 / PERIOD))
    assert rig.core.mode is BridgeMode.EXECUTING
    assert rig.core.command.value[ELBOW] - start == pytest.approx(0.25, abs=0.01)
    rig.core.offer(Instruction(who, finish=True))
    rig.run(50)
    rested = rig.core.command.value[ELBOW]
    rig.run(50)
    assert rig.core.command.value[ELBOW] == rested
    assert rig.states(who) == [GoalState.ACTIVE, GoalState.REACHED]


def test_the_gate_limits_what_a_controller_wants():
    """It wants 50 rad/s; rate and range of the joint are kept at every tick."""
    rig = driven()
    begin(rig, Pushing(), rate=50.0)
    before = rig.core.command.value[ELBOW]
    for _ in range(300):
        rig.run()
        now = rig.core.command.value[ELBOW]
        assert abs(now - before) <= LIMITS.rate[ELBOW] * PERIOD * (1.0 + 1e-9)
        assert LIMITS.lower[ELBOW] <= now <= LIMITS.upper[ELBOW]
        before = now


def test_runs_are_told_references_under_their_id_alone():
    """The one that is meant turns round; an instruction for another is for nobody."""
    rig, controller = driven(), Pushing()
    who = begin(rig, controller)
    rig.run(10)
    rig.core.offer(Instruction(Identity('tester', bytes(16)), {'rate': -3.0}))
    rig.run()
    assert controller.rate == 0.5
    rig.core.offer(Instruction(who, {'rate': -0.5}))
    rig.run()
    assert controller.rate == -0.5


def test_runs_wait_end_and_are_replaced_as_trajectories_are():
    """Queued behind a trajectory it waits; a trajectory that comes at once replaces it."""
    rig = driven()
    first = rig.offer(goal=-0.4, duration=0.4)
    rig.run()
    run = begin(rig, Pushing(), queued=True)
    rig.run(10)
    assert rig.states(run) == [GoalState.WAITING]
    rig.run(120)
    assert rig.states(first)[-1] is GoalState.REACHED
    assert rig.states(run)[-1] is GoalState.ACTIVE
    rig.offer(goal=0.0)
    rig.run(2)
    assert rig.states(run)[-1] is GoalState.REPLACED


@pytest.mark.parametrize('way', ['cancel', 'emergency_stop', 'deactivate'])
def test_whatever_stops_a_trajectory_stops_a_run(way):
    """It is STOPPED, and moves nothing any more."""
    rig = driven()
    run = begin(rig, Pushing())
    rig.run(10)
    if way == 'cancel':
        rig.core.cancel(run)
    else:
        rig.ask(way)
    rig.run(60)
    still = rig.core.command.value.copy()
    rig.run(20)
    assert rig.states(run)[-1] is GoalState.STOPPED
    assert np.array_equal(rig.core.command.value, still)


def test_refusals_say_why():
    """A controller that cannot begin; references that are unknown or out of range; no such one."""
    rig = driven()
    run = begin(rig, Pushing('nothing to push with'))
    rig.run()
    assert rig.states(run) == [GoalState.REJECTED]
    assert 'nothing to push with' in str(rig.reports[-1].goal.reasons[0])
    who, known = Identity('tester', bytes(16)), {'pushing': Pushing()}
    for name, references, words in (
        ('pulling', {}, 'pushing'),
        ('pushing', {'rat': 1.0}, 'rate'),
        ('pushing', {'rate': 101.0}, 'expected -100 to 100 rad/s'),
        ('pushing', {'rate': float('nan')}, 'expected -100'),
    ):
        refusal = check_run(who, name, references, False, known)
        assert isinstance(refusal, Refusal)
        assert words in str(refusal.reasons[0])


@pytest.mark.parametrize('flaw', ['refusal', 'stumble'])
def test_a_run_that_is_refused_disturbs_nothing(flaw):
    """The trajectory under way and the one that waits go on; from rest the mode stays."""
    rig, controller = driven(), Pushing()
    setattr(controller, flaw, 'nothing to push with')
    runs = [begin(rig, controller, 101)]
    rig.run()
    assert rig.core.mode is BridgeMode.HOLDING
    ways = [rig.offer(goal=-0.4, duration=0.4), rig.offer(goal=0.2, duration=0.4, queued=True)]
    rig.run(20)
    runs.append(begin(rig, controller, 102))
    # A walk goes on as well: what is to follow the last one that was taken still does.
    ways[1:] = [rig.offer(goal=0.1, duration=0.4, queued=True, after=ways[1])]
    rig.run(300)
    assert [rig.states(run) for run in runs] == [[GoalState.REJECTED]] * 2
    assert [rig.states(way)[-1] for way in ways] == [GoalState.REACHED] * 2
    assert rig.core.command.value[ELBOW] == pytest.approx(0.1)


def test_a_run_of_a_controller_that_runs_replaces_its_run():
    """It has one at a time: a new one that it refuses leaves the joint at rest."""
    rig, controller = driven(), Pushing()
    first = begin(rig, controller, 101)
    rig.run(20)
    controller.refusal = 'too tired'
    second = begin(rig, controller, 102)
    rig.run(60)
    still = rig.core.command.value[ELBOW]
    rig.run(60)
    assert rig.core.command.value[ELBOW] == still
    assert rig.states(first)[-1] is GoalState.REPLACED
    assert rig.states(second) == [GoalState.REJECTED]


def test_a_run_that_waits_is_told_as_one_that_runs():
    """References are for its begin; one that is to finish has reached its end without a begin."""
    rig, controller = driven(), Pushing()
    rig.offer(goal=-0.4, duration=0.4)
    run = begin(rig, controller, 101, queued=True)
    rig.run(10)
    rig.core.offer(Instruction(run, {'rate': -0.2}))
    rig.run(150)
    assert rig.states(run)[-1] is GoalState.ACTIVE
    assert controller.rate == -0.2
    waiting = begin(rig, controller, 102, queued=True)
    rig.run()
    rig.core.offer(Instruction(waiting, finish=True))
    rig.run()
    assert rig.states(waiting) == [GoalState.WAITING, GoalState.REACHED]
    assert rig.states(run)[-1] is GoalState.ACTIVE


def test_a_run_that_cannot_go_on_is_missed_and_holds():
    """With its reason, which drops what waits for it; the joint stays where it was commanded."""
    rig, controller = driven(), Pushing()
    run = begin(rig, controller)
    waiting = rig.offer(goal=0.0, queued=True)
    rig.run(20)
    controller.trouble = Reason(ReasonCode.NOT_MEASURED, 'the wall is gone')
    rig.run(30)
    still = rig.core.command.value[ELBOW]
    rig.run(30)
    assert rig.core.command.value[ELBOW] == still
    assert rig.states(run) == [GoalState.ACTIVE, GoalState.MISSED]
    assert rig.states(waiting)[-1] is GoalState.REJECTED
    missed = next(each.goal for each in rig.reports if each.goal.state is GoalState.MISSED)
    assert missed.reasons == (controller.trouble,)


def test_a_controller_with_a_bug_is_a_fault():
    """Its kind and text are the reason, the joints are held, and the fault can be left."""
    rig, controller = driven(), Pushing()
    run = begin(rig, controller)
    rig.run(20)
    controller.bug = ZeroDivisionError('division by zero')
    rig.run()
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.states(run)[-1] is GoalState.STOPPED
    (reason,) = rig.reports[-1].reasons
    assert reason == Reason(ReasonCode.INTERNAL, 'ZeroDivisionError: division by zero')
    rig.ask('clear_fault')
    rig.ask('activate')
    assert rig.core.mode is BridgeMode.HOLDING


def test_what_was_decided_before_a_bug_is_told():
    """The trajectory was reached and the run began in the very tick: both end, and only once."""
    rig, controller = driven(), Pushing()
    way = rig.offer(goal=-0.4, duration=0.4)
    run = begin(rig, controller, 101, queued=True)
    controller.bug = ZeroDivisionError('division by zero')
    rig.run(150)
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.states(way) == [GoalState.ACTIVE, GoalState.REACHED]
    assert rig.states(run) == [GoalState.WAITING, GoalState.ACTIVE, GoalState.STOPPED]


def test_a_bug_in_taking_an_instruction_is_a_fault_and_nothing_is_lost():
    """What came with it is refused, since nothing is driven any more."""
    rig, controller = driven(), Pushing()
    run = begin(rig, controller, 101)
    rig.run()
    rig.core.offer(Instruction(run, {'speed': 1.0}))  # unchecked, so it does not know the name
    way = rig.offer()
    rig.run()
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.states(run)[-1] is GoalState.STOPPED
    assert rig.states(way) == [GoalState.REJECTED]


def test_a_controller_watches_while_it_does_not_run():
    """Every tick, a trajectory moving the robot or none; not while it runs itself."""
    rig, controller = driven(), Pushing()
    rig.core.follower.controllers = (controller,)
    rig.offer(goal=-0.4, duration=0.4)
    rig.run(200)
    times, wanted = zip(*controller.watched, strict=True)
    assert len(times) == 200
    assert np.all(np.diff(times) == round(PERIOD * 1e9))
    assert wanted[-1] == -0.4
    begin(rig, controller)
    rig.run(50)
    assert len(controller.watched) == 200


def test_an_instruction_is_for_runs_of_the_controller_it_was_checked_for():
    """Names of references of another controller do not reach it; they would be a fault."""
    rig, controller, other = driven(), Pushing(), Pushing()
    run = begin(rig, controller, 101)
    rig.run(5)
    rig.core.offer(Instruction(run, {'speed': 1.0}, controller=other))
    rig.core.offer(Instruction(run, {'rate': -0.3}, controller=controller))
    rig.run(5)
    assert controller.rate == -0.3
    assert rig.core.mode is BridgeMode.EXECUTING


def test_references_that_are_given_twice_are_named():
    assert repeated(['rate', 'speed']) == ()
    (reason,) = repeated(['rate', 'speed', 'rate'])
    assert reason.code is ReasonCode.DUPLICATE_CHANNEL
    assert reason.text == "references given twice: 'rate'"


def test_a_robot_that_was_put_elsewhere_tells_so_although_it_only_held():
    """Else an action would be planned from where the robot was; controllers forget that too."""
    rig, forgot = driven(), []
    controller = Pushing()
    controller.forget = lambda: forgot.append(True)
    rig.core.follower.controllers = (controller,)
    rig.run(5)
    reason = Reason(ReasonCode.MOVED, 'joints were put somewhere else')
    rig.core.intervene(lambda: rig.core.measured, reason)
    (report,) = rig.run(1)
    assert report.mode is BridgeMode.HOLDING
    assert (report.goal.state, report.goal.reasons) == (GoalState.STOPPED, (reason,))
    assert report.goal.identity.sender == ''
    assert forgot == [True]


def test_a_reset_of_a_simulated_robot_is_one_for_controllers():
    """What they have learnt of where it was is wrong by then."""
    rig, forgot = driven(), []
    controller = Pushing()
    controller.forget = lambda: forgot.append(True)
    rig.core.follower.controllers = (controller,)
    rig.ask('reset')
    rig.backend.owns_time = False
    rig.ask('reset')
    assert forgot == [True]


def test_controllers_are_found_where_a_robot_says():
    """The arm has none; a class that is not there is refused by its name."""
    assert controllers_of(ARM, LIMITS, PERIOD) == {}
    with pytest.raises(SoftshellError, match=r"controller 'x': 'softshell_control\.no:Such'"):
        factory_of('x', 'softshell_control.no:Such')
