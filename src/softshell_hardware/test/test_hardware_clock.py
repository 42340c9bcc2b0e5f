"""A loop that stands still, or a clock that is set, while joints are driven."""

from hardware_rig import HardwareRig, wiring_text

from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import ReasonCode
from softshell_description.load import load_robot


def test_a_loop_that_was_still_does_not_go_on(moving):
    """After half a second in which nothing ran, the bridge stops before it sends anything."""
    rig = moving('ax')
    goals = [servo.get('goal_position') for servo in rig.emulated.servos.values()]
    rig.now += 600_000_000
    rig.run()
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.core.status().reasons[0].code is ReasonCode.STALL
    assert [servo.get('goal_position') for servo in rig.emulated.servos.values()] == goals


def test_a_clock_that_goes_back_does_not_move_anything(moving):
    """It is a fault, and the goals stay."""
    rig = moving('ax')
    goals = [servo.get('goal_position') for servo in rig.emulated.servos.values()]
    rig.now -= 3_000_000_000
    rig.run()
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.core.status().reasons[0].code is ReasonCode.CLOCK
    assert [servo.get('goal_position') for servo in rig.emulated.servos.values()] == goals


def test_a_clock_that_goes_ahead_is_no_loop_that_stood_still(moving):
    """As when a machine without a clock of its own first hears the time."""
    rig = moving('ax')
    goals = [servo.get('goal_position') for servo in rig.emulated.servos.values()]
    rig.ahead += 900_000_000
    rig.run()
    (reason,) = rig.core.status().reasons
    assert reason.code is ReasonCode.CLOCK
    assert 'the clock went ahead by 0.900 s' in str(reason)
    assert [servo.get('goal_position') for servo in rig.emulated.servos.values()] == goals


def test_a_clock_that_goes_back_a_little_lets_nobody_take_the_host_for_dead(tmp_path):
    """X with the shortest watchdog there is hears it while the time is made up for."""
    path = tmp_path / 'arm.yaml'
    path.write_text(wiring_text(load_robot('arm'), 'x') + '\nwatchdog: 0.06\n')
    rig = HardwareRig('arm', path)
    rig.core.activate()
    rig.run(10)
    rig.ahead -= 99_000_000
    rig.run(5)
    assert '4 ticks left out' in ' '.join(rig.reasons)
    assert [servo.get('bus_watchdog') for servo in rig.emulated.servos.values()] == [3] * 3
    assert rig.core.mode is BridgeMode.HOLDING
    rig.close()
