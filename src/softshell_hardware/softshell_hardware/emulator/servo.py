"""One emulated servo: a control table that follows its rules, in front of a shaft."""

import math

from softshell_hardware.bus.families import AX, Access, Family, Register, with_sign_bit
from softshell_hardware.emulator.faults import ServoFaults
from softshell_hardware.emulator.refusal import Refusal, Trouble
from softshell_hardware.emulator.shaft import LIMP, Drive, FreeShaft, Shaft
from softshell_kinematics.errors import SoftshellError, UnknownNameError

#: Operating modes of X: within a turn, over many turns, and all that go to a position; the third
#: of them also limits the current.
POSITION, MANY_TURNS, MODES = 3, 4, (3, 4, 5)
#: The one in which it gives a torque.
CURRENT = 0
#: By register, the one that limits what may be written to it.
MOST = {
    'goal_current': 'current_limit',
    'goal_pwm': 'pwm_limit',
    'profile_velocity': 'velocity_limit',  # by early editions of the e-Manual; later allow more
}
#: Value of the bus watchdog after it has tripped.
TRIPPED = -1
#: Temperature around the motors [°C], and time constant with which they come back to it [s].
AMBIENT, COOLING = 30.0, 60.0


class Servo:
    """A servo on the bus.

    Args:
        family: its family.
        servo: its id.
        model: its model number; None: the first of the family.
        shaft: what it turns; None: one that carries nothing.

    Raises:
        SoftshellError: the family has no such model, or the id is out of range.

    Attributes:
        family: as given.
        shaft: what it turns.
        temperature: of the motor [°C].
        voltage: of the supply [V].
        trouble: what it has found wrong with itself.
        faults: what is wrong with it.
    """

    def __init__(
        self, family: Family, servo: int, model: int | None = None, shaft: Shaft | None = None
    ) -> None:
        number = next(iter(family.models)) if model is None else model
        if number not in family.models:
            raise SoftshellError(
                f'servo {servo}: model {number} is none of family {family.name!r}; expected one '
                f'of {sorted(family.models)}'
            )
        if not 0 <= servo <= family.registers['id'].highest:
            raise SoftshellError(
                f'servo id {servo}; expected 0 to {family.registers["id"].highest}'
            )
        self.family = family
        self.shaft: Shaft = FreeShaft() if shaft is None else shaft
        self.temperature, self.voltage = AMBIENT, 12.0
        self.trouble = Trouble(0)
        self.faults = ServoFaults()
        self._table = bytearray(family.size)
        self._silence = 0.0
        self._stopped = self.shaft.angle
        self._shown = family.centre
        self._turned = 0  # whole turns that its position has forgotten [ticks]
        self._registered: tuple[int, bytes] | None = None
        self._by_address = sorted(family.registers.values(), key=lambda each: each.address)
        for register in self._by_address:
            self._store(register, register.initial)
        self.set('model_number', number)
        self._model = family.models[number]
        if family is not AX:
            self.set('velocity_limit', self._model.velocity_limit)
            self.set('current_limit', self._model.current_limit)
            lowest, highest = self._model.voltages
            self.set('lowest_voltage', lowest)
            self.set('highest_voltage', highest)
        self.set('id', servo)
        self._measure()
        self.set('goal_position', self.get('present_position'))

    @property
    def id(self) -> int:
        """Its id on the bus."""
        return self.get('id')

    @property
    def baud(self) -> int:
        """The baud rate that it is set to; 0: the register has no rate of the family."""
        return self.family.bauds.get(self.get('baud_rate'), 0)

    @property
    def torque(self) -> bool:
        """Whether its motor is driven."""
        return bool(self.get('torque_enable')) and not self._shut_down()

    def get(self, name: str) -> int:
        """The value of a register.

        Raises:
            UnknownNameError: the family has no register of that name.
        """
        register = self._register(name)
        if register.access is Access.READ:
            self._measure()
        return self._kept(register)

    def set(self, name: str, value: int) -> None:
        """Set a register without regard to access and range.

        Raises:
            UnknownNameError: the family has no register of that name.
        """
        self._store(self._register(name), value)

    def read(self, address: int, size: int) -> bytes | Refusal:
        """Bytes of the table; what belongs to no register is 0."""
        if size < 1 or address + size > len(self._table):
            return Refusal.RANGE if self.family.protocol == 1 else Refusal.LENGTH
        self._silence = 0.0
        self._measure()
        return bytes(self._table[address : address + size])

    def write(self, address: int, data: bytes) -> Refusal | None:
        """Write whole registers, all or none of them."""
        self._silence = 0.0
        found = self._covered(address, len(data))
        if found is None:
            return Refusal.LENGTH
        for register in found:
            value = register.decode(data[register.address - address : register.end - address])
            refused = self._refusal(register, value)
            if refused:
                return refused
        for register in found:
            value = register.decode(data[register.address - address : register.end - address])
            self._accept(register, value)
        return None

    def register_write(self, address: int, data: bytes) -> Refusal | None:
        """Keep a write until `action`."""
        if self._covered(address, len(data)) is None:
            return Refusal.LENGTH
        self._registered = (address, data)
        self.set('registered', 1)
        return None

    def action(self) -> None:
        """Do the write that was kept, if there is one."""
        if self._registered is not None:
            kept, self._registered = self._registered, None
            self.set('registered', 0)
            self.write(*kept)

    def reboot(self) -> None:
        """Lose what is kept in RAM, and all troubles whose causes have gone."""
        self.trouble = Trouble(0)
        self._registered = None
        for register in self._by_address:
            if register.access is Access.RAM:
                self._store(register, register.initial)
        if self.family is not AX:
            self.set('goal_pwm', self.get('pwm_limit'))
        self.set('registered', 0)
        self._forget_turns()
        self.set('goal_position', self.get('present_position'))

    def step(self, seconds: float) -> None:
        """Let time pass: the motor moves, the servo watches itself and its host."""
        drive = self._drive()
        if self.faults.blocked:
            self.shaft.step(Drive(None, 0.0, 0.0, blocked=True), seconds)
            left = 0.0 if drive.angle is None else drive.angle - self.shaft.angle
            most = drive.torque * self._model.stall_torque
            self.shaft.load = math.copysign(most, left) if left else 0.0
        else:
            self.shaft.step(drive, seconds)
        cooling = (self.temperature - AMBIENT) / COOLING
        self.temperature += (self.faults.heating - cooling) * seconds
        self._silence += seconds
        self._watch()

    def _register(self, name: str) -> Register:
        if name not in self.family.registers:
            kind = f'register of family {self.family.name!r}'
            raise UnknownNameError(kind, name, self.family.registers)
        return self.family.registers[name]

    def _kept(self, register: Register) -> int:
        return register.decode(self._table[register.address : register.end])

    def _store(self, register: Register, value: int) -> None:
        self._table[register.address : register.end] = register.encode(value)

    def _covered(self, address: int, size: int) -> list[Register] | None:
        """The registers that so many bytes are, gaps between them left out; None if parts."""
        end = address + size
        found = [each for each in self._by_address if each.address < end and each.end > address]
        whole = all(each.address >= address and each.end <= end for each in found)
        return found if found and whole else None

    def _refusal(self, register: Register, value: int) -> Refusal | None:
        if register.access is Access.READ:
            return Refusal.ACCESS
        if register.access is Access.EEPROM and self.get('torque_enable'):
            return Refusal.ACCESS
        # An AX that is locked stays so, with all that it keeps, until it is without power.
        lasting = register.access is Access.EEPROM or (register.name == 'lock' and not value)
        if lasting and self.family is AX and self.get('lock'):
            return Refusal.ACCESS
        low, high = register.lowest, register.highest
        if register.name in ('lowest_voltage', 'highest_voltage') and self.family is not AX:
            low, high = self._model.voltages
        if not low <= value <= high:
            return Refusal.RANGE
        if register.name == 'goal_position' and not self._may_go(value):
            return Refusal.RANGE
        most = MOST.get(register.name)
        if most is not None and abs(value) > self.get(most):
            return Refusal.RANGE
        watched = 'bus_watchdog' in self.family.registers and self.get('bus_watchdog') == TRIPPED
        if watched and register.name.startswith('goal_'):
            return Refusal.ACCESS
        return None

    def _may_go(self, position: int) -> bool:
        low, high = self.get('lowest_position'), self.get('highest_position')
        endless = (
            low == high == 0 if self.family is AX else self.get('operating_mode') == MANY_TURNS
        )
        return endless or low <= position <= high

    def _accept(self, register: Register, value: int) -> None:
        comes = register.name == 'torque_enable' and value and not self.get('torque_enable')
        if comes and self.family is not AX:
            # What was asked before the torque came is not what is meant now.
            if self.get('operating_mode') == POSITION:
                self._forget_turns()
            self.set('goal_position', self.get('present_position'))
        if register.name == 'goal_position' and self.family is AX:
            # On AX a goal switches the torque on.
            self.set('torque_enable', 1)
        if register.name == 'torque_limit' and value:
            self.trouble &= ~Trouble.OVERLOAD
        if register.name == 'operating_mode':
            # By the e-Manual, a change of the mode resets goals and profiles.
            for goal, most in MOST.items():
                self.set(goal, self.get(most))
            self.set('profile_velocity', 0)
            self.set('profile_acceleration', 0)
        self._store(register, value)

    def _shut_down(self) -> bool:
        return bool(self.trouble) and bool(int(self.trouble) & self.get('shutdown'))

    def _drive(self) -> Drive:
        family = self.family
        if not self.torque or self.faults.dead:
            return LIMP
        mode = self.get('operating_mode') if family.watches else POSITION
        if mode == CURRENT:
            stopped = self.get('bus_watchdog') == TRIPPED
            current = 0.0 if stopped else family.current_unit * self.get('goal_current')
            most = self._model.stall_torque
            push = min(max(self._model.torque_constant * current, -most), most)
            return Drive(None, 0.0, 0.0, push=push)
        if mode not in MODES:
            return LIMP
        fastest = self._model.fastest
        goal = self.get('goal_position') + self._turned
        if family is not AX:
            goal -= self.get('homing_offset')
        wanted = family.tick * (goal - family.centre)
        if family is AX:
            speed = self.get('moving_speed') * family.speed_unit
            return Drive(wanted, speed or fastest, self.get('torque_limit') / 1023.0)
        if self.get('bus_watchdog') == TRIPPED:
            wanted = self._stopped
        speed = self.get('profile_velocity') * family.speed_unit
        limit = self.get('velocity_limit') * family.speed_unit
        part = abs(self.get('goal_pwm')) / family.registers['pwm_limit'].highest
        return Drive(wanted, min(speed or limit, limit, fastest), part)

    def _watch(self) -> None:
        # AX tells what is wrong now; X tells it until it is restarted.
        if self.trouble and self.family is AX:
            self.trouble &= Trouble.OVERLOAD
        if self.temperature >= self.get('highest_temperature'):
            self.trouble |= Trouble.OVERHEATING
        volts = (self.voltage - self.faults.sag) / self.family.voltage_unit
        if not self.get('lowest_voltage') <= volts <= self.get('highest_voltage'):
            self.trouble |= Trouble.VOLTAGE
        unit = self.family.watchdog_unit
        patience = unit * self.get('bus_watchdog') if self.family.watches else 0.0
        if 0.0 < patience < self._silence:
            self.set('bus_watchdog', TRIPPED)
            self._stopped = self.shaft.angle
        if self._shut_down():
            self.set('torque_enable', 0)
            if self.family is AX:
                self.set('torque_limit', 0)

    def _forget_turns(self) -> None:
        """Show a position within a turn, as X does when its torque or its supply comes."""
        if self.family is not AX:
            turn = round(math.tau / self.family.tick)
            self._turned += self.get('present_position') // turn * turn
        self._measure()

    def _measure(self) -> None:
        family, shaft = self.family, self.shaft
        position = family.centre + round((shaft.angle + self.faults.offset) / family.tick)
        if self.faults.stuck:
            position = self._shown
        self._shown = position
        speed = round(shaft.speed / family.speed_unit)
        if family is AX:
            self.set('present_position', min(max(position, 0), 1023))
            self.set('present_speed', with_sign_bit(speed))
            self.set('present_load', family.shown_torque(self._model, shaft.load))
        else:
            shown = position + self.get('homing_offset') - self._turned
            self.set('present_position', shown)
            self.set('present_velocity', speed)
            self.set('present_current', family.shown_torque(self._model, shaft.load))
            self.set('hardware_error', int(self.trouble))
        self.set('moving', abs(shaft.speed) > 1e-3)
        for name, value in (
            ('present_temperature', self.temperature),
            ('present_voltage', (self.voltage - self.faults.sag) / family.voltage_unit),
        ):
            self.set(name, min(max(round(value), 0), 255))  # no sensor shows more or less
