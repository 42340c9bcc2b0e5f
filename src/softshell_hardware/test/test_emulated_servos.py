"""The emulated bus as the unmodified SDK of the servos' maker finds it, byte by byte."""

import dynamixel_sdk as sdk
import pytest
from servo_line import FAMILIES

from softshell_hardware.bus.families import AX, Access, X


@FAMILIES
def test_each_servo_tells_its_model_and_only_those_there_answer(line, family):
    """Pings: the model number, and a time-out for an id that nobody has."""
    found = line(family)
    for servo in (1, 2, 7):
        model, result, error = found.packets.ping(found.port, servo)
        assert (model, result, error) == (next(iter(family.models)), sdk.COMM_SUCCESS, 0)
    found.port.patience = 0.1
    assert found.packets.ping(found.port, 3)[1] == sdk.COMM_RX_TIMEOUT


def test_all_servos_of_protocol_2_answer_one_ping(line):
    """A broadcast ping finds every id, with model and firmware."""
    found = line(X)
    answers, result = found.packets.broadcastPing(found.port)
    assert result == sdk.COMM_SUCCESS
    assert answers == {i: [1030, 45] for i in (1, 2, 7)}


@FAMILIES
def test_what_is_written_is_read_back(line, family):
    """Registers of one, two and four bytes, of both kinds of memory."""
    found = line(family)
    # These change how, whether and when it answers.
    others = ('id', 'baud_rate', 'torque_enable', 'status_return')
    for name, register in family.registers.items():
        if register.access is not Access.READ and name not in others:
            value = register.initial + (1 if register.initial < register.highest else -1)
            assert found.write(2, name, value) == 0, name
            assert found.read(2, name) == (value, 0)
            found.servos[2].set(name, register.initial)


@FAMILIES
def test_a_servo_goes_where_it_is_told_and_says_where_it_is(line, family):
    """A quarter of a radian from the middle, within a tick."""
    found = line(family)
    goal = family.centre + round(0.25 / family.tick)
    assert found.write(1, 'torque_enable', 1) == 0
    assert found.write(1, 'goal_position', goal) == 0
    for _ in range(100):
        found.bus.step(0.01)
    assert abs(found.servos[1].shaft.angle - 0.25) <= family.tick
    assert found.read(1, 'present_position') == (goal, 0)
    assert found.servos[2].shaft.angle == 0.0


@FAMILIES
def test_without_torque_nothing_moves(line, family):
    """An X-series servo takes a goal and stays; an AX' goal switches its torque on."""
    found = line(family)
    found.write(1, 'goal_position', family.centre + 100)
    found.bus.step(1.0)
    assert (found.servos[1].shaft.angle != 0.0) == (family is AX)
    found.write(1, 'torque_enable', 0)
    found.write(2, 'torque_enable', 0)
    before = found.servos[1].shaft.angle
    found.bus.step(1.0)
    assert found.servos[1].shaft.angle == before


@FAMILIES
def test_values_out_of_range_and_fixed_registers_are_refused(line, family):
    """With the protocol's own error, and nothing is changed."""
    found = line(family)
    refused = {1: 8, 2: 4}[family.protocol]
    assert found.write(1, 'goal_position', family.centre * 2 + 1) == refused
    assert found.write(1, 'present_position', 5) == {1: 8, 2: 7}[family.protocol]
    assert found.read(1, 'goal_position')[0] == family.centre
    found.write(1, 'torque_enable', 1)
    assert found.write(1, 'return_delay', 0) == {1: 8, 2: 7}[family.protocol]
    assert found.read(1, 'return_delay')[0] == 250


def test_goals_of_all_servos_are_one_packet_and_nobody_answers(line):
    """Sync write, in both protocols."""
    for family in (AX, X):
        found = line(family)
        address, size = found.of('goal_position')
        group = sdk.GroupSyncWrite(found.port, found.packets, address, size)
        goals = {i: family.centre + 10 * i for i in found.servos}
        for servo, goal in goals.items():
            group.addParam(servo, list(goal.to_bytes(size, 'little')))
        before = found.bus.packets
        assert group.txPacket() == sdk.COMM_SUCCESS
        # The next answer is to what is asked next.
        assert {i: found.read(i, 'goal_position')[0] for i in goals} == goals
        assert found.bus.packets == before + 1 + len(goals)


def test_positions_of_all_servos_are_one_question(line):
    """Sync read of X; of AX there is none, and no servo answers it."""
    found = line(X)
    found.servos[7].shaft.angle = -0.5
    found.bus.step(0.0)
    address, size = found.of('present_position')
    group = sdk.GroupSyncRead(found.port, found.packets, address, size)
    for servo in found.servos:
        group.addParam(servo)
    assert group.txRxPacket() == sdk.COMM_SUCCESS
    assert [group.getData(i, address, size) for i in (1, 2, 7)] == [
        2048, 2048, 2048 - round(0.5 / X.tick),
    ]  # fmt: skip


def test_a_reboot_clears_torque_and_trouble(line):
    """Of X; AX do not know the instruction."""
    found = line(X)
    found.write(2, 'torque_enable', 1)
    found.servos[2].temperature = 95.0
    found.bus.step(0.01)
    assert found.read(2, 'hardware_error') == (4, 0x80)
    assert found.read(2, 'torque_enable')[0] == 0
    found.servos[2].temperature = 30.0
    assert found.packets.reboot(found.port, 2) == (sdk.COMM_SUCCESS, 0)
    assert found.read(2, 'hardware_error') == (0, 0)


def test_the_watchdog_of_x_stops_the_servo_until_it_is_cleared(line):
    """After its time without a word no goal is taken; 0 sets it free."""
    found = line(X)
    found.write(1, 'torque_enable', 1)
    found.write(1, 'bus_watchdog', 5)
    found.bus.step(0.09)
    assert found.read(1, 'bus_watchdog')[0] == 5
    found.bus.step(0.11)
    assert found.read(1, 'bus_watchdog')[0] == 0xFF
    assert found.write(1, 'goal_position', 2100) == 7
    assert found.write(1, 'bus_watchdog', 0) == 0
    assert found.write(1, 'goal_position', 2100) == 0


@FAMILIES
def test_the_time_on_the_wire_is_counted(line, family):
    """Ten bits a byte, the return delay, the adapter's latency; reading AX takes 1.3 ms."""
    found = line(family, baud=1_000_000, latency=0.001)
    found.write(1, 'return_delay', 0)
    before = found.bus.busy
    found.read(1, 'present_position')
    lengths = {1: 8 + 8, 2: 14 + 15}[family.protocol]
    assert found.bus.busy - before == pytest.approx(1e-5 * lengths + 0.001)
