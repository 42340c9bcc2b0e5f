"""The two families of servos: their registers, their units, and what each can do.

AX (protocol 1.0) are the motors of the first robots, X (protocol 2.0) what one buys today.

Source: ROBOTIS e-Manual, control tables of AX-12A, AX-18A, XM430-W350 and XL430-W250.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from softshell_hardware.bus.models import AX_MODELS, RPM, X_MODELS, Model

REVOLUTION = 2.0 * math.pi
#: `present_current` at full torque of an X that measures no current, but shows its load.
LOAD = 1000.0


class Access(Enum):
    """Who may write a register, and when."""

    #: Measured, or fixed: nobody.
    READ = 'read'
    #: Anyone, at any time; it is lost with the power.
    RAM = 'ram'
    #: While the torque is off; it is kept without power.
    EEPROM = 'eeprom'


@dataclass(frozen=True)
class Register:
    """One entry of a control table.

    Attributes:
        name: the field's name, the same in both families where the meaning is.
        address: of its first byte.
        size: in bytes, lowest first.
        access: who may write it.
        initial: its value as shipped.
        lowest, highest: what may be written.
        signed: whether negative numbers are as in two's complement.
    """

    name: str
    address: int
    size: int
    access: Access
    initial: int = 0
    lowest: int = 0
    highest: int = 0
    signed: bool = False

    @property
    def end(self) -> int:
        """Address after its last byte."""
        return self.address + self.size

    def encode(self, value: int) -> bytes:
        """Its bytes for a value; what does not fit is cut off, as by the servo itself."""
        whole: int = value % 256**self.size
        return whole.to_bytes(self.size, 'little')

    def decode(self, data: bytes | bytearray) -> int:
        """The value of its bytes."""
        return int.from_bytes(data, 'little', signed=self.signed)


@dataclass(frozen=True)
class Family:
    """Servos that have a control table in common.

    Attributes:
        name: 'ax' or 'x'.
        protocol: 1 or 2.
        registers: by name.
        models: by model number.
        centre: position of the middle of the range [ticks].
        tick: of position [rad].
        speed_unit: of speeds [rad/s].
        goal: the registers of a goal and of the speed on the way, which are neighbours, in the
            order of their addresses.
        limit: the register that limits the torque till the power goes, and that which is kept.
        motion: what is read at every turn: position, speed, load, voltage and temperature.
        state: what is read now and then, and tells whether it has stopped by itself.
        bauds: baud rates that it can be set to, by the value of its register, that as shipped
            first.
        current_unit: of currents [A].
        voltage_unit: of the supply [V].
        watchdog_unit: of the bus watchdog [s].
        delay_unit: of the return delay [s].
        syncs: whether several servos can be read with one instruction.
        reboots: whether an instruction restarts it.
        watches: whether it stops by itself when its host is silent.
    """

    name: str
    protocol: int
    registers: Mapping[str, Register]
    models: Mapping[int, Model]
    centre: int
    tick: float
    speed_unit: float
    goal: tuple[str, str]
    limit: tuple[str, str]
    motion: tuple[str, ...]
    state: tuple[str, ...]
    bauds: Mapping[int, int]
    current_unit: float = 0.0
    voltage_unit: float = 0.1
    watchdog_unit: float = 0.02
    delay_unit: float = 2e-6
    syncs: bool = False
    reboots: bool = False
    watches: bool = False

    @property
    def size(self) -> int:
        """Bytes of the control table."""
        return max(register.end for register in self.registers.values())

    @property
    def goal_range(self) -> tuple[int, int]:
        """Positions within its range [ticks]."""
        return 0, self.registers['highest_position'].initial

    def misheard(self, error: int) -> bool:
        """Whether the error of an answer says that the instruction arrived damaged."""
        return bool(error & 0x10) if self.protocol == 1 else error & 0x7F == 3

    def refuses(self, error: int, register: str) -> bool:
        """Whether the error of an answer says that the servo did not take what was written."""
        if self.protocol == 2:
            return bool(error & 0x7F)
        # Bits for a range (0x08) and an instruction (0x40); for an angle (0x02) with goals only.
        return bool(error & (0x4A if register == 'goal_position' else 0x48))

    def speed(self, shown: int) -> float:
        """Speed [rad/s] from what a servo shows: AX has the sign in bit 10."""
        return self.speed_unit * (shown if self.protocol == 2 else signed_by_bit(shown))

    def torque(self, model: Model, values: Mapping[str, int]) -> float:
        """Torque that a servo gives [N m], from what it shows."""
        if self.protocol == 1:
            return model.stall_torque * signed_by_bit(values['present_load']) / 1023.0
        shown = values['present_current']
        if not model.current_limit:
            return model.stall_torque * shown / LOAD
        return model.torque_constant * self.current_unit * shown

    def shown_torque(self, model: Model, torque: float) -> int:
        """What a servo shows that gives a torque [N m], the reverse of `torque`."""
        part = torque / model.stall_torque
        if self.protocol == 1:
            return with_sign_bit(round(1023.0 * part))
        if not model.current_limit:
            return round(LOAD * part)
        return round(part * model.stall_current / self.current_unit)

    def named(self, model: str) -> Model | None:
        """The model of a name; None if the family has none."""
        return next((each for each in self.models.values() if each.name == model), None)


def signed_by_bit(shown: int) -> int:
    """The number that ten bits, and bit 10 for clockwise, stand for."""
    size = shown & 0x3FF
    return -size if shown & 0x400 else size


def with_sign_bit(value: int) -> int:
    """A number as ten bits, and bit 10 for clockwise, up to what these hold."""
    size = min(abs(value), 0x3FF)
    return size | 0x400 if value < 0 else size


def _by_name(registers: Iterable[Register]) -> dict[str, Register]:
    return {register.name: register for register in registers}


READ, RAM, EEPROM = Access.READ, Access.RAM, Access.EEPROM

AX = Family(
    name='ax',
    protocol=1,
    models=AX_MODELS,
    centre=512,
    tick=math.radians(300.0) / 1023.0,
    speed_unit=0.111 * RPM,
    goal=('goal_position', 'moving_speed'),
    limit=('torque_limit', 'highest_torque'),
    motion=(
        'present_position',
        'present_speed',
        'present_load',
        'present_voltage',
        'present_temperature',
    ),
    state=('torque_enable', 'led'),
    bauds={
        1: 1_000_000,
        3: 500_000,
        4: 400_000,
        7: 250_000,
        9: 200_000,
        16: 115_200,
        34: 57_600,
        103: 19_200,
        207: 9600,
    },
    registers=_by_name(
        [
            Register('model_number', 0, 2, READ, 12),
            Register('firmware', 2, 1, READ, 24),
            Register('id', 3, 1, EEPROM, 1, 0, 253),
            Register('baud_rate', 4, 1, EEPROM, 1, 0, 254),
            Register('return_delay', 5, 1, EEPROM, 250, 0, 254),
            Register('lowest_position', 6, 2, EEPROM, 0, 0, 1023),
            Register('highest_position', 8, 2, EEPROM, 1023, 0, 1023),
            Register('highest_temperature', 11, 1, EEPROM, 70, 0, 99),
            Register('lowest_voltage', 12, 1, EEPROM, 60, 50, 160),
            Register('highest_voltage', 13, 1, EEPROM, 140, 50, 160),
            Register('highest_torque', 14, 2, EEPROM, 1023, 0, 1023),
            Register('status_return', 16, 1, EEPROM, 2, 0, 2),
            Register('alarm_led', 17, 1, EEPROM, 36, 0, 127),
            Register('shutdown', 18, 1, EEPROM, 36, 0, 127),
            Register('torque_enable', 24, 1, RAM, 0, 0, 1),
            Register('led', 25, 1, RAM, 0, 0, 1),
            Register('clockwise_margin', 26, 1, RAM, 1, 0, 255),
            Register('counterclockwise_margin', 27, 1, RAM, 1, 0, 255),
            Register('clockwise_slope', 28, 1, RAM, 32, 0, 255),
            Register('counterclockwise_slope', 29, 1, RAM, 32, 0, 255),
            Register('goal_position', 30, 2, RAM, 0, 0, 1023),
            Register('moving_speed', 32, 2, RAM, 0, 0, 2047),
            Register('torque_limit', 34, 2, RAM, 1023, 0, 1023),
            Register('present_position', 36, 2, READ),
            Register('present_speed', 38, 2, READ),
            Register('present_load', 40, 2, READ),
            Register('present_voltage', 42, 1, READ, 111),
            Register('present_temperature', 43, 1, READ, 30),
            Register('registered', 44, 1, READ),
            Register('moving', 46, 1, READ),
            Register('lock', 47, 1, RAM, 0, 0, 1),
            Register('punch', 48, 2, RAM, 32, 32, 1023),
        ]
    ),
)

WORD = 2**31 - 1

X = Family(
    name='x',
    protocol=2,
    models=X_MODELS,
    centre=2048,
    tick=REVOLUTION / 4096.0,
    speed_unit=0.229 * RPM,
    goal=('profile_velocity', 'goal_position'),
    limit=('goal_pwm', 'pwm_limit'),
    motion=(
        'present_current',
        'present_velocity',
        'present_position',
        'present_voltage',
        'present_temperature',
    ),
    state=('torque_enable', 'led', 'hardware_error', 'bus_watchdog'),
    bauds={
        1: 57_600,
        3: 1_000_000,
        2: 115_200,
        4: 2_000_000,
        5: 3_000_000,
        6: 4_000_000,
        7: 4_500_000,
        0: 9600,
    },
    current_unit=0.00269,
    syncs=True,
    reboots=True,
    watches=True,
    registers=_by_name(
        [
            Register('model_number', 0, 2, READ, 1020),
            Register('model_information', 2, 4, READ),
            Register('firmware', 6, 1, READ, 45),
            Register('id', 7, 1, EEPROM, 1, 0, 252),
            Register('baud_rate', 8, 1, EEPROM, 1, 0, 7),
            Register('return_delay', 9, 1, EEPROM, 250, 0, 254),
            Register('drive_mode', 10, 1, EEPROM, 0, 0, 13),
            Register('operating_mode', 11, 1, EEPROM, 3, 0, 16),
            Register('secondary_id', 12, 1, EEPROM, 255, 0, 255),
            Register('protocol_type', 13, 1, EEPROM, 2, 1, 2),
            Register('homing_offset', 20, 4, EEPROM, 0, -1_044_479, 1_044_479, True),
            Register('moving_threshold', 24, 4, EEPROM, 10, 0, 1023),
            Register('highest_temperature', 31, 1, EEPROM, 80, 0, 100),
            Register('highest_voltage', 32, 2, EEPROM, 160, 95, 160),
            Register('lowest_voltage', 34, 2, EEPROM, 95, 95, 160),
            Register('pwm_limit', 36, 2, EEPROM, 885, 0, 885),
            Register('current_limit', 38, 2, EEPROM, 1193, 0, 2047),
            Register('velocity_limit', 44, 4, EEPROM, 200, 0, 1023),
            Register('highest_position', 48, 4, EEPROM, 4095, 0, 4095),
            Register('lowest_position', 52, 4, EEPROM, 0, 0, 4095),
            Register('shutdown', 63, 1, EEPROM, 52, 0, 63),
            Register('torque_enable', 64, 1, RAM, 0, 0, 1),
            Register('led', 65, 1, RAM, 0, 0, 1),
            Register('status_return', 68, 1, RAM, 2, 0, 2),
            Register('registered', 69, 1, READ),
            Register('hardware_error', 70, 1, READ),
            Register('velocity_i_gain', 76, 2, RAM, 1920, 0, 16383),
            Register('velocity_p_gain', 78, 2, RAM, 100, 0, 16383),
            Register('position_d_gain', 80, 2, RAM, 0, 0, 16383),
            Register('position_i_gain', 82, 2, RAM, 0, 0, 16383),
            Register('position_p_gain', 84, 2, RAM, 800, 0, 16383),
            Register('bus_watchdog', 98, 1, RAM, 0, -1, 127, True),
            Register('goal_pwm', 100, 2, RAM, 885, -885, 885, True),
            Register('goal_current', 102, 2, RAM, 0, -2047, 2047, True),
            Register('goal_velocity', 104, 4, RAM, 0, -1023, 1023, True),
            Register('profile_acceleration', 108, 4, RAM, 0, 0, 32767),
            Register('profile_velocity', 112, 4, RAM, 0, 0, 32767),
            Register('goal_position', 116, 4, RAM, 0, -WORD, WORD, True),
            Register('realtime_tick', 120, 2, READ),
            Register('moving', 122, 1, READ),
            Register('moving_status', 123, 1, READ),
            Register('present_pwm', 124, 2, READ, signed=True),
            Register('present_current', 126, 2, READ, signed=True),
            Register('present_velocity', 128, 4, READ, signed=True),
            Register('present_position', 132, 4, READ, signed=True),
            Register('velocity_trajectory', 136, 4, READ, signed=True),
            Register('position_trajectory', 140, 4, READ, signed=True),
            Register('present_voltage', 144, 2, READ, 120),
            Register('present_temperature', 146, 1, READ, 30),
        ]
    ),
)

FAMILIES = {family.name: family for family in (AX, X)}
