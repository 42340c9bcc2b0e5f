"""The kinds of bridges that the contract is asked of: a new one joins by a line in `BRIDGES`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import yaml

from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import Backend
from softshell_control.mock import MockBackend
from softshell_description.model import RobotModel
from softshell_hardware.bus.families import FAMILIES
from softshell_hardware.emulator.robot import EmulatedRobot
from softshell_hardware.hardware_backend import HardwareBackend
from softshell_hardware.wiring.config import load_hardware
from softshell_kinematics.errors import SoftshellError
from softshell_sim.physics.engines import ENGINES
from softshell_sim.settings import WorldSettings
from softshell_sim.sim_backend import SimBackend

#: How long the host waits for an answer on any machine [s]; where silence is tested, short.
PATIENT, BRIEF = 20.0, 0.05


class Plant:
    """What a bridge moves, and what can go wrong with it. It may live on without a bridge.

    Attributes:
        fault: codes of which one is the fault's that `fail` leads to.
    """

    fault: tuple[ReasonCode, ...] = (ReasonCode.BACKEND,)

    def connect(self, clock: Callable[[], int]) -> Backend:
        """The backend of a new bridge."""

    def leave(self, killed: bool) -> None:
        """The bridge's process ends, in an orderly way or not."""

    def step(self, seconds: float) -> None:
        """Let time pass outside of the bridge."""

    def truth(self) -> np.ndarray:
        """(joints,) where the joints are [rad]."""

    def lock(self, locked: bool) -> Reason:
        """Let activation be refused, or no more; returns the refusal's code, and what it says."""

    def lose(self, joint: str | None) -> None:
        """Let a joint not be measured; None: all are again."""

    def fail(self, failing: bool) -> None:
        """Let the backend fail in its next periods, or no more."""

    def close(self) -> None:
        """End it."""


class Tampered(Backend):
    """A backend in a process of its own that can be broken, where it has no troubles itself."""

    def __init__(self, inner: Backend, robot: RobotModel) -> None:
        self.inner, self.name, self.owns_time = inner, inner.name, inner.owns_time
        self._names = robot.joint_names
        self.locked = self.failing = False
        self.lost: str | None = None

    def reset(self):
        return self._seen(self.inner.reset())

    def activate(self):
        if self.locked:
            raise SoftshellError('the key is missing')
        return self._seen(self.inner.activate())

    def step(self, now, command):
        if self.failing:
            raise OSError('port is gone')
        return self._seen(self.inner.step(now, command))

    def stop(self, policy):
        self.inner.stop(policy)

    def diagnostics(self):
        return self.inner.diagnostics()

    def close(self):
        self.inner.close()

    def _seen(self, measured):
        measured.valid[:] = True
        if self.lost is not None:
            measured.valid[self._names.index(self.lost)] = False
        return measured


class Inside(Plant):
    """A plant that begins and ends with its bridge: a simulation, the mock."""

    def __init__(self, robot: RobotModel, make: Callable[[RobotModel], Backend]) -> None:
        self._robot, self._make = robot, make
        self.backend: Tampered | None = None

    def connect(self, clock):
        self.backend = Tampered(self._make(self._robot), self._robot)
        return self.backend

    def leave(self, killed):
        self.backend.close()

    def truth(self):
        inner = self.backend.inner
        measured = inner.world.measured if hasattr(inner, 'world') else inner._measured
        return measured.position[: len(self._robot.joints)].copy()

    def lock(self, locked):
        self.backend.locked = locked
        return Reason(ReasonCode.REFUSED, 'the key is missing')

    def lose(self, joint):
        self.backend.lost = joint

    def fail(self, failing):
        self.backend.failing = failing


class Servos(Plant):
    """Emulated servos in a simulated world, behind serial ports; they live on without a bridge."""

    fault = (ReasonCode.SERVO,)

    def __init__(self, robot: RobotModel, family: str, folder: Path, period: float) -> None:
        self._robot, self._period = robot, period
        wiring = load_hardware(robot)
        if {motor.family.name for motor in wiring.motors} != {family}:
            wiring = load_hardware(robot, wiring_file(robot, family, folder))
        # By links: an adapter that comes back gets any number that is free on the machine.
        self._links = TemporaryDirectory()
        self.emulated = EmulatedRobot(robot, wiring, folder=Path(self._links.name))
        config = wiring.at({name: port.path for name, port in self.emulated.ports.items()})
        buses = {
            name: spec.model_copy(update={'slack': PATIENT}) for name, spec in config.buses.items()
        }
        self.config = replace(config, buses=buses)
        self.backend: HardwareBackend | None = None

    def connect(self, clock):
        self.backend = HardwareBackend(
            self._robot, self.config, self._period, clock=clock, hurried=False
        )
        return self.backend

    def leave(self, killed):
        if killed:  # not a word to the servos
            for line in self.backend.crew.lines:
                line.bus.close()
        else:
            self.backend.close()

    def step(self, seconds):
        self.emulated.step(seconds)

    def truth(self):
        return self.emulated.measured.position[: len(self._robot.joints)].copy()

    def lock(self, locked):
        joints = list(self.config.joints)
        if locked:
            joints[1] = replace(joints[1], offset=None)
        self.backend.config = replace(self.config, joints=tuple(joints))
        return Reason(ReasonCode.CALIBRATION, f'not calibrated: {joints[1].name}')

    def lose(self, joint):
        for name in self._robot.joint_names:
            self.emulated.inject(name, 'dead', name == joint)
        for line in self.backend.crew.lines:
            line.bus._port.patience = PATIENT if joint is None else BRIEF

    def fail(self, failing):
        if failing:  # it comes back at once, without torque
            self.emulated.inject(self._robot.joint_names[0], 'restart', True)

    def close(self):
        self.emulated.close()
        self._links.cleanup()


def wiring_file(robot: RobotModel, family: str, folder: Path) -> Path:
    """A wiring of servos of one family; every other one turns the other way."""
    joints = {
        joint.name: {
            'id': place + 1,
            'direction': (1, -1)[place % 2],
            'offset': 0.05 * float(joint.lower + joint.upper),  # a range of AX is hardly wider
        }
        for place, joint in enumerate(robot.joints)
    }
    path = folder / f'{robot.name}_{family}.yaml'
    buses = {'body': {'family': family}}
    path.write_text(yaml.safe_dump({'robot': robot.name, 'buses': buses, 'joints': joints}))
    return path


@dataclass(frozen=True)
class Kind:
    """A kind of bridge, and how closely its joints follow.

    At any time a joint is where its command was at most `lag` ago, within `rest` and `sag` times
    the error at which a goal of the joint counts as reached. What is measured of it is where it
    was as long ago as the measurement is old, within `rest`.

    Attributes:
        make: makes the plant of a robot, with a folder for files.
        period: control period [s].
        lag: [s].
        rest: [rad].
        sag: as above.
        lives_on: whether the joints stay where they are when a bridge is restarted or reset;
            otherwise a new one begins anew.
    """

    make: Callable[[RobotModel, Path], Plant]
    period: float
    lag: float
    rest: float = 1e-9
    sag: float = 0.0
    lives_on: bool = False


SIM_PERIOD, SERVO_PERIOD = 0.004, 0.02


def _sim(engine: str) -> Kind:
    """Motors of finite stiffness sag under load, on the shipped robots by at most 0.4 of the goal
    tolerance; a target is reached at the end of the period."""
    settings = WorldSettings(engine=engine)
    make = partial(
        lambda s, r, f: Inside(r, lambda robot: SimBackend(robot, SIM_PERIOD, s)), settings
    )
    return Kind(make, SIM_PERIOD, lag=SIM_PERIOD, sag=0.5)


def _servos(family: str) -> Kind:
    """As in the simulation, and goals and readings are in ticks. A goal is reached in the period
    after that at whose end it is sent, or in the next one, where the way is less than a tick."""
    return Kind(
        lambda robot, folder: Servos(robot, family, folder, SERVO_PERIOD),
        SERVO_PERIOD,
        lag=2 * SERVO_PERIOD,
        rest=FAMILIES[family].tick,
        sag=0.5,
        lives_on=True,
    )


BRIDGES = {
    'mock': Kind(lambda robot, folder: Inside(robot, MockBackend), SIM_PERIOD, lag=0.0),
    **{f'sim-{engine}': _sim(engine) for engine in ENGINES},
    **{f'hardware-{family}': _servos(family) for family in FAMILIES},
}
