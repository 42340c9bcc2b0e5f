"""An emulated bus, and the maker's SDK on its other side."""

import dynamixel_sdk as sdk
import pytest

from softshell_hardware.bus.families import AX, X
from softshell_hardware.emulator.bus import EmulatedBus
from softshell_hardware.emulator.port import EmulatedPort
from softshell_hardware.emulator.servo import Servo

FAMILIES = pytest.mark.parametrize('family', [AX, X], ids=['ax', 'x'])


class PatientPort(sdk.PortHandler):
    """The SDK's port, which waits as long as it is told: its own 34 ms are short if much runs.

    Attributes:
        patience: how long for an answer [s].
    """

    patience = 20.0

    def setPacketTimeout(self, packet_length):  # noqa: N802 - the SDK's name
        super().setPacketTimeout(packet_length)
        self.packet_timeout = 1e3 * self.patience


class Line:
    """A bus of three servos of a family on a port, and the SDK on its other side."""

    def __init__(self, family, **options):
        self.family = family
        self.servos = {i: Servo(family, i) for i in (1, 2, 7)}
        self.bus = EmulatedBus(self.servos.values(), **options)
        self.emulated = EmulatedPort(self.bus)
        self.port = PatientPort(self.emulated.path)
        assert self.port.setBaudRate(self.bus.baud)
        self.packets = sdk.PacketHandler(float(family.protocol))

    def close(self):
        self.port.closePort()
        self.emulated.close()

    def of(self, name):
        register = self.family.registers[name]
        return register.address, register.size

    def read(self, servo, name):
        address, size = self.of(name)
        function = getattr(self.packets, f'read{size}ByteTxRx')
        value, result, error = function(self.port, servo, address)
        assert result == sdk.COMM_SUCCESS, self.packets.getTxRxResult(result)
        return value, error

    def write(self, servo, name, value):
        address, size = self.of(name)
        function = getattr(self.packets, f'write{size}ByteTxRx')
        result, error = function(self.port, servo, address, value)
        assert result == sdk.COMM_SUCCESS, self.packets.getTxRxResult(result)
        return error
