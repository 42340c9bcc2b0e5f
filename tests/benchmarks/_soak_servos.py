"""Faults of emulated servos in a soak, by chance: each has to be told, and there is a way out."""

import random
import time
from dataclasses import dataclass

from _soak_record import Record

from softshell_client import BridgeMode, Shell, SoftshellError
from softshell_common.reason import ReasonCode
from softshell_common.ros import qos
from softshell_interfaces.srv import InjectFault

#: What `where` stands for a servo that is chosen by chance.
ANY = 'any'
STALE = (ReasonCode.STALE, ReasonCode.BUS)
#: Within which a mended robot has to stand again [s, wall].
MENDED = 30.0


@dataclass(frozen=True)
class Fault:
    """Something that breaks.

    Args:
        where: a bus; or `ANY`.
        name, begin: the fault, and the value with which it begins, as typed.
        end: the value with which it ends; empty: it happens once.
        codes: of the reason that has to be told.
        told: within which it has to be told [s, wall].
    """

    where: str
    name: str
    begin: str
    end: str
    codes: tuple[ReasonCode, ...]
    told: float = 2.0


#: As in tests/faults/, which hold in which time each is found exactly; here the computer emulates
#: the servos as well, so that answers are waited for longer (`slack`).
FAULTS = (
    Fault('body', 'unplugged', 'true', 'false', (ReasonCode.BUS,)),
    Fault('body', 'silent', 'true', 'false', (ReasonCode.BUS,), told=4.0),
    Fault('body', 'damage', '0.2', '0.0', STALE, told=10.0),
    Fault('body', 'late', '0.5', '0.0', STALE, told=4.0),
    Fault(ANY, 'dead', 'true', 'false', STALE, told=4.0),
    Fault(ANY, 'overload', '', '', (ReasonCode.OVERLOAD,)),
    Fault(ANY, 'restart', '', '', (ReasonCode.SERVO,), told=4.0),
    Fault(ANY, 'sag', '3.0', '0.0', (ReasonCode.VOLTAGE,)),
)


@dataclass
class Breaker:
    """Breaks servos of a robot that walks, and mends them.

    Args:
        robot: the one that walks.
        chance: what chooses.
        record: told of what is done, and of what goes wrong.
    """

    robot: Shell
    chance: random.Random
    record: Record

    def __post_init__(self) -> None:
        self._service = self.robot.node.create_client(
            InjectFault, 'servo_emulator/inject', qos_profile=qos.SERVICE
        )
        assert self._service.wait_for_service(MENDED)

    def any(self) -> None:
        """Break something while the robot walks, and mend it."""
        fault = self.chance.choice(FAULTS)
        where = fault.where
        if where == ANY:
            where = (
                f'lower_{self.chance.randrange(6)}_{self.chance.choice(("yaw", "pitch", "knee"))}'
            )
        what = f'{where} {fault.name}'
        self.record.did(f'servos: {fault.name}')
        walk = self.robot.begin_action('walk', distance=1.0)
        time.sleep(self.chance.uniform(0.5, 3.0))
        begin = time.monotonic()
        self._inject(where, fault.name, fault.begin)
        self._see_that_it_is_told(what, fault, begin)
        self.record.must_fail(walk.result, what)
        if fault.end:
            self._inject(where, fault.name, fault.end)
        self.see_that_it_stands(what)

    def _inject(self, where: str, fault: str, value: str) -> None:
        request = InjectFault.Request(where=where, fault=fault, value=value)
        future = self._service.call_async(request)
        if not self.record.comes(future, MENDED) or not future.result().success:
            self.record.problems.append(f'{where} {fault} {value}: {future.result()}')

    def _see_that_it_is_told(self, what: str, fault: Fault, begin: float) -> None:
        while self.robot.bridge().mode is not BridgeMode.FAULT:
            if time.monotonic() > begin + fault.told:
                break
            time.sleep(0.02)
        self.record.told(f'servos: {fault.name}', time.monotonic() - begin, fault.told)
        state = self.robot.bridge()
        if not set(state.codes) & set(fault.codes):
            self.record.problems.append(f'{what} was told as {state.mode}: {state.reasons}')

    def see_that_it_stands(self, after: str) -> None:
        """Leave the fault and stand; servos may take a while until they answer again."""
        end, last = time.monotonic() + MENDED, ''
        while time.monotonic() < end:
            try:
                if self.robot.bridge().mode is BridgeMode.FAULT:
                    self.robot.clear_fault()
                self.robot.activate()
                self.robot.perform('stand')
                return
            except SoftshellError as error:
                last = str(error)
                time.sleep(0.5)
        self.record.problems.append(f'it does not stand {MENDED:g} s after {after}: {last[:200]}')
