"""Every fault of servos and lines while the robot walks: found in time, told, and survived."""

import pytest
from catalogue import FAULTS
from walker import PERIOD, TILT

from softshell_common.bridge_mode import BridgeMode

#: Faults that are tried in each run of the tests, one for each reason that may be given; the long
#: tests try all of them, on both families of servos.
QUICK = ('1', '5a', '7', '10', '11', '12', '13', '15')
CASES = [
    pytest.param(
        fault, family, id=f'{fault.number}-{family}',
        marks=[] if family == 'ax' and fault.number in QUICK else pytest.mark.long,
    )
    for fault in FAULTS
    for family in fault.families
]  # fmt: skip


@pytest.mark.parametrize(('fault', 'family'), CASES)
def test_a_walking_robot_survives(walker, record, fault, family):
    """Found within k read cycles and two periods, or what builds up; the joints come to rest.

    What is commanded stays within the limits at every tick, the robot does not fall, and once the
    fault has gone there is a way out, on which nothing jumps.
    """
    record(fault.number, fault.name, family)
    robot = walker(family)
    robot.stride()
    fault.begin(robot)
    if not fault.codes:
        robot.run(100)
        assert robot.core.mode is BridgeMode.EXECUTING, robot.reasons
        return
    protection = robot.config.protection
    cycle = robot.backend.crew.cycle
    bound = fault.patience + protection.missed_reads * cycle + 2 * PERIOD
    found = robot.ticks_until(
        lambda: robot.core.mode is BridgeMode.FAULT, round(4 * bound / PERIOD)
    )
    assert found is not None, robot.reasons
    assert found * PERIOD <= bound + 1e-9
    assert robot.core.status().reasons[0].code in fault.codes, robot.reasons
    rest = robot.ticks_until(lambda: robot.at_rest, 75)
    assert rest is not None
    record.times(found * PERIOD, (found + rest) * PERIOD, bound)
    assert robot.tilt < TILT
    if fault.end is None:
        return
    robot.give_up()
    fault.end(robot)
    robot.run(60)
    robot.core.clear_fault()
    before = robot.world.measured.position.copy()
    for servo in robot.emulated.servos.values():
        servo.temperature = 30.0
    robot.run(15)
    if family == 'x' and robot.emulated.servos['lower_2_knee'].trouble:
        robot.backend.reboot('lower_2_knee')
        robot.run(2)
    robot.core.activate()
    robot.run(20)
    assert robot.core.mode is BridgeMode.HOLDING, robot.reasons
    assert abs(robot.world.measured.position - before).max() < 0.15
    assert robot.tilt < TILT
