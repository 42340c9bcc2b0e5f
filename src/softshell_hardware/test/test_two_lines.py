"""A robot on two lines: what happens to one is not the end of the other."""

import pytest
from hardware_rig import HardwareRig, wiring_text

import softshell_hardware.driving.enlist as enlisting
from softshell_common.bridge_mode import BridgeMode
from softshell_control.backend import StopPolicy
from softshell_description.load import load_robot
from softshell_hardware.bus.bus import ServoBus
from softshell_kinematics.errors import SoftshellError

FAMILIES = pytest.mark.parametrize('family', ['ax', 'x'])


def torques(rig):
    return [servo.torque for servo in rig.emulated.servos.values()]


@pytest.fixture
def parted(tmp_path):
    """Makes arms whose wrist is on a bus of its own."""
    made = []

    def make(policy=StopPolicy.RELAX, family='ax'):
        robot = load_robot('arm')
        text = wiring_text(robot, family).replace(
            f'{{body: {{family: {family}}}}}',
            f'{{body: {{family: {family}}}, hand: {{family: {family}, port: /dev/ttyUSB1}}}}',
        )
        for name in robot.joint_names:
            bus = 'hand' if name == 'wrist' else 'body'
            text = text.replace(f'{name}: {{', f'{name}: {{bus: {bus}, ')
        path = tmp_path / f'{family}.yaml'
        # As many beats as a busy machine may miss.
        death = '\non_host_death: relax\nbeats: 100\n' if family == 'ax' else '\n'
        path.write_text(text + death)
        made.append(HardwareRig('arm', path, policy=policy))
        return made[-1]

    yield make
    for each in made:
        each.close()


def is_watched(line):
    """Whether servos of a line stop by themselves if this program dies."""
    if not line.bus.family.watches:
        return line.watch._heartbeat is not None and not line.watch.lapse
    answers = [line.bus.read(station.id, ['bus_watchdog']) for station in line.reader.stations]
    return all(answer.values['bus_watchdog'] > 0 for answer in answers)


def test_of_two_lines_the_one_that_lives_gives_way(parted):
    """At once; the other one is named, and gives way when it is back."""
    parted = parted()
    parted.core.activate()
    parted.run(3)
    parted.emulated.inject('hand', 'unplugged', True)
    parted.run(3)
    assert parted.core.mode is BridgeMode.FAULT
    assert any('not confirmed by servo 3 (wrist)' in reason for reason in parted.reasons)
    assert torques(parted) == [False, False, True]
    parted.emulated.inject('hand', 'unplugged', False)
    parted.run(60)
    assert not any(torques(parted))


def test_no_guardian_waits_while_other_lines_are_switched_on(parted, monkeypatch):
    """However long that takes: the robot holds afterwards."""
    parted = parted()
    lines, said, written = parted.backend.crew.lines, enlisting.said, []

    def watched(bus, servo, register, value):
        assert not any(is_watched(line) for line in lines)
        written.append(servo)
        return said(bus, servo, register, value)

    monkeypatch.setattr(enlisting, 'said', watched)
    parted.core.activate()
    assert set(written) == {1, 2, 3}
    assert parted.core.mode is BridgeMode.HOLDING
    assert all(torques(parted))
    assert all(is_watched(line) for line in lines)


def test_while_one_port_is_gone_the_other_line_is_still_read(parted):
    """Its joints are measured, and its motors watched."""
    parted = parted()
    parted.core.activate()
    parted.run(3)
    parted.emulated.inject('hand', 'unplugged', True)
    parted.run(3)
    for name in ('shoulder', 'elbow'):
        parted.emulated.servos[name].temperature = 61.0
    parted.run(20)
    measured = parted.core.measured
    assert measured.valid.tolist() == [True, True, False]
    assert measured.age[:2].max() < 0.1
    assert any('warm: shoulder 61 °C, elbow 61 °C' in reason for reason in parted.reasons)


@FAMILIES
def test_a_line_that_lives_is_watched_while_the_other_one_comes_back_piece_by_piece(
    parted, family
):
    """First its port, then its servo; the robot holds all the time, and is told what is missing.

    What is asked of it in vain on the way is refused, and takes nothing from the line that lives.
    """
    rig = parted(StopPolicy.HOLD, family)
    body, hand = rig.backend.crew.lines
    rig.core.activate()
    rig.run(3)

    def check(words):
        rig.run(30)
        assert torques(rig) == [True, True, True]
        assert rig.core.measured.valid.tolist() == [True, True, words == '']
        assert is_watched(body)
        assert any(words in reason for reason in rig.reasons[1:]) or not words

    rig.emulated.inject('hand', 'unplugged', True)
    check('there is no such device')
    with pytest.raises(SoftshellError, match='there is no such device'):
        rig.core.reset()
    check('there is no such device')
    rig.core.clear_fault()
    with pytest.raises(SoftshellError, match='there is no such device'):
        rig.core.activate()
    rig.core.emergency_stop()
    check('there is no such device')
    rig.emulated.inject('wrist', 'dead', True)
    rig.emulated.inject('hand', 'unplugged', False)
    check('no answer of servo 3 (wrist)')
    with pytest.raises(SoftshellError, match=r'servo 3 \(wrist\) does not answer'):
        rig.core.reset()
    check('no answer of servo 3 (wrist)')
    rig.emulated.inject('wrist', 'dead', False)
    check('')
    assert is_watched(hand)
    rig.core.reset()
    rig.core.activate()
    rig.run(5)
    assert rig.core.mode is BridgeMode.HOLDING
    assert not rig.reasons


@FAMILIES
def test_a_servo_that_owes_it_gives_way_while_the_other_port_is_gone(parted, family):
    """It was silent when it was told; nobody waits for the other line."""
    rig = parted(StopPolicy.RELAX, family)
    rig.core.activate()
    rig.run(3)
    rig.emulated.inject('elbow', 'dead', True)
    rig.emulated.inject('hand', 'unplugged', True)
    for _ in range(60):  # a busy machine is late to notice
        rig.run()
        if any('(elbow)' in reason and '(wrist)' in reason for reason in rig.reasons):
            break
    else:
        pytest.fail(f'neither is told: {rig.reasons}')
    assert torques(rig) == [False, True, True]
    rig.emulated.inject('elbow', 'dead', False)
    rig.run(40)
    assert torques(rig) == [False, False, True]


@FAMILIES
def test_silent_servos_of_a_port_that_is_back_take_little_time(parted, family, monkeypatch):
    """No control period waits for more than two of their answers."""
    rig = parted(StopPolicy.RELAX, family)
    rig.core.activate()
    rig.run(3)
    rig.emulated.inject('hand', 'unplugged', True)
    rig.run(3)
    rig.emulated.inject('wrist', 'dead', True)
    rig.emulated.inject('hand', 'unplugged', False)
    answer, hand = ServoBus._answer, rig.backend.crew.lines[1].bus
    asked = [0]

    def counted(bus, *arguments):
        asked[0] += bus is hand
        return answer(bus, *arguments)

    monkeypatch.setattr(ServoBus, '_answer', counted)
    for _ in range(60):
        asked[0] = 0
        rig.run()
        assert asked[0] <= 2


@pytest.mark.parametrize('hurried', [False, True])
def test_two_full_lines_share_a_control_period(tmp_path, hurried):
    """Shell, half of it on each: all servos are read in the stated cycle, and examined."""
    robot = load_robot('shell')
    text = wiring_text(robot, 'ax').replace(
        '{body: {family: ax}}', '{body: {family: ax}, rest: {family: ax, port: /dev/ttyUSB1}}'
    )
    for place, name in enumerate(robot.joint_names):
        text = text.replace(f' {name}: {{', f' {name}: {{bus: {("body", "rest")[place % 2]}, ')
    path = tmp_path / 'shell.yaml'
    path.write_text(text)
    rig = HardwareRig(robot, path)
    buses = [port.bus for port in rig.emulated.ports.values()]
    busy = sum(bus.busy for bus in buses)

    def clock():
        """The robot's time goes on while it is spoken to."""
        spent = min(sum(bus.busy for bus in buses) - busy, rig.period)
        return rig.now + round(1e9 * spent) * hurried

    rig.backend._hurried = hurried
    for part in (rig.backend, rig.backend.crew, rig.backend.crew.readings):
        part._clock = clock
    for line in rig.backend.crew.lines:
        line._clock = line.reader.clock = clock
    try:
        rig.core.activate()
        for count in range(40):
            busy = sum(bus.busy for bus in buses)
            rig.run()
            assert sum(bus.busy for bus in buses) - busy < 0.9 * rig.period
            if count * rig.period > rig.backend.crew.cycle:
                most = rig.backend.crew.cycle + 2.0 * rig.period
                assert rig.core.measured.age.max() <= most
        assert rig.backend.crew.cycle <= 6 * rig.period
        last = rig.robot.joint_names[29]  # on the line that is read last
        rig.emulated.inject(last, 'restart', True)
        rig.run(8)
        assert any(f'({last}) was restarted' in reason for reason in rig.reasons)
    finally:
        rig.close()
