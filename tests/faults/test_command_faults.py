"""Commands, clocks and operators that do what they should not, while the robot walks."""

import numpy as np
import pytest
from walker import AT_REST, PERIOD, TILT

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import ReasonCode
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.trajectory import Identity
from softshell_hardware.bus.bus import PortError, ServoBus

#: In which time passes for servos without a host [s].
TICK = 0.004
NAMES = ['lower_0_yaw', 'lower_1_yaw']


def offer(robot, sender, number, names=NAMES, times=(0.3,), values=((0.2, -0.2),)):
    """Offer whatever a client may send; the states that it went through so far."""
    identity = Identity(sender, number.to_bytes(16, 'big'))
    rows = [list(row) for row in values]
    request = Request(identity, 0, names, list(times), rows, [[] for _ in rows])
    robot.core.offer(check_trajectory(request, robot.limits.names))
    return identity


def test_a_second_process_on_the_port_is_refused(walker, record):
    """9: by a lock, and the robot walks on."""
    record('9', 'a second process on the port')
    robot = walker()
    robot.stride()
    bus = robot.config.buses['body']
    with pytest.raises(PortError, match='another process uses it'):
        ServoBus(bus.port, robot.config.joints[0].family).open()
    robot.run(20)
    assert robot.core.mode is BridgeMode.EXECUTING


def test_a_starved_loop_stops_and_does_not_catch_up(walker, record):
    """17, 18: after 0.6 s and after 5 s without a tick nothing is sent, and the joints rest."""
    record('18', 'a starved control loop')
    for pause in (0.6, 5.0):
        robot = walker()
        robot.stride()
        goals = [servo.get('goal_position') for servo in robot.emulated.servos.values()]
        for _ in range(round(pause / PERIOD)):
            robot.emulated.step(PERIOD)
        robot.now += round(pause * 1e9)
        robot.run()
        assert robot.core.mode is BridgeMode.FAULT
        assert robot.core.status().reasons[0].code is ReasonCode.STALL
        assert [s.get('goal_position') for s in robot.emulated.servos.values()] == goals
        assert robot.ticks_until(lambda robot=robot: robot.at_rest, 50) is not None
        assert robot.tilt < TILT


def test_a_clock_that_stops_or_jumps_back_stops_the_robot(walker, record):
    """21: a tick without time sends nothing; time that runs back is a fault."""
    record('21', 'clock stops and jumps back')
    robot = walker()
    robot.stride()
    for _ in range(10):
        robot.core.tick(robot.now)
    assert ReasonCode.TIME in [reason.code for reason in robot.core.status().reasons]
    goals = [servo.get('goal_position') for servo in robot.emulated.servos.values()]
    robot.core.tick(robot.now - 2_000_000_000)
    assert robot.core.mode is BridgeMode.FAULT
    assert robot.core.status().reasons[0].code is ReasonCode.CLOCK
    assert [s.get('goal_position') for s in robot.emulated.servos.values()] == goals


def test_two_senders_who_fight_move_nothing_faster_than_it_may(walker, record):
    """23: each replaces the other's trajectory at every tick; both are told, the gate holds."""
    record('23', 'two publishers fight')
    robot = walker()
    robot.stride()
    robot.give_up()
    told = set()
    for number in range(40):
        side = 1.0 if number % 2 else -1.0
        offer(robot, f'fighter {number % 2}', number + 1, values=((side, -side),))
        told |= {s.goal.state for s in robot.run() if s.goal.identity.sender.startswith('fight')}
    assert {GoalState.ACTIVE, GoalState.REPLACED} <= told
    assert robot.core.driven
    assert robot.tilt < TILT


BAD = {
    ReasonCode.NOT_FINITE: {'values': ((np.nan, 0.0),)},
    ReasonCode.SIZE: {'values': ((0.1,),)},
    ReasonCode.UNKNOWN_CHANNEL: {'names': ['lower_0_yaw', 'tail']},
    ReasonCode.DUPLICATE_CHANNEL: {'names': ['lower_0_yaw', 'lower_0_yaw']},
    ReasonCode.TIME: {'times': (0.3, 0.2), 'values': ((0.1, 0.1), (0.2, 0.2))},
}


def test_messages_that_are_none_are_refused_and_the_robot_walks_on(walker, record):
    """24: each with its code; infinite, empty, huge and out of order among them."""
    record('24', 'messages that are none')
    robot = walker()
    robot.stride()
    for number, (code, wrong) in enumerate(BAD.items()):
        identity = offer(robot, 'stranger', number + 1, **wrong)
        reports = [s for s in robot.run() if s.goal.identity == identity]
        assert reports[0].goal.state is GoalState.REJECTED
        assert code in [reason.code for reason in reports[0].goal.reasons]
    offer(robot, 'stranger', 90, values=((np.inf, 0.0),))
    offer(robot, 'stranger', 91, names=[], values=((),))
    offer(robot, 'stranger', 92, times=np.arange(1, 10_002) * 0.01, values=[(0.0, 0.0)] * 10_001)
    robot.run(10)
    assert robot.core.mode is BridgeMode.EXECUTING
    # What is well formed and beyond all limits is followed as far as it may be.
    offer(robot, 'stranger', 93, values=((1e9, -1e9),))
    robot.give_up()
    robot.run(40)
    assert robot.core.driven


def test_an_emergency_stop_in_mid_stride_stays_one(walker, record):
    """26: and again while stopped; only a reset leads out, and nothing jumps."""
    record('26', 'emergency stop, twice')
    robot = walker()
    robot.stride()
    for _ in range(2):
        robot.core.emergency_stop()
        assert robot.ticks_until(lambda: robot.at_rest, 50) is not None
        assert robot.core.mode is BridgeMode.EMERGENCY_STOP
    robot.give_up()
    offer(robot, 'tester', 99)
    reports = robot.run()
    assert reports[0].goal.state is GoalState.REJECTED
    before = robot.world.measured.position.copy()
    robot.core.reset()
    robot.core.activate()
    robot.run(20)
    assert robot.core.mode is BridgeMode.HOLDING
    assert abs(robot.world.measured.position - before).max() < 0.15


@pytest.mark.parametrize(('family', 'watchdog'), [('ax', 0.2), ('x', 0.2), ('x', 0.1)])
def test_servos_whose_host_has_died_stop_by_themselves(walker, record, family, watchdog):
    """16: AX after its last goal, X when its watchdog trips, within a tick of its time."""
    record('16', f'host dies, watchdog {watchdog:g} s' if family == 'x' else 'host dies', family)
    robot = walker(family, watchdog=watchdog)
    robot.stride()
    servos = robot.emulated.servos.values()
    ticks = 0
    while robot.fastest > AT_REST or ticks < 2:
        robot.emulated.step(TICK)
        ticks += 1
        tripped = family == 'x' and all(servo.get('bus_watchdog') == -1 for servo in servos)
        if ticks * TICK > watchdog + 2 * PERIOD:
            assert tripped or family == 'ax'
        assert ticks * TICK < 1.0
    assert robot.tilt < TILT
    record.times(0.0 if family == 'ax' else watchdog, ticks * TICK, 1.0)
