"""`config/hardware/<robot>.yaml`: which servo moves which joint, and what may not happen to it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from softshell_common.yaml_file import YamlFile
from softshell_description.model import RobotModel
from softshell_description.robots import ROBOT_FILE, share_directory
from softshell_hardware.wiring.check import bus_of, family_of, wiring_problems
from softshell_hardware.wiring.form import BusSpec, HardwareForm, Protection
from softshell_hardware.wiring.units import Motor, Tendon, Wiring
from softshell_kinematics.errors import ProblemsError

#: Name of the file beside the `robot.yaml` of a robot that is not installed.
BESIDE = 'hardware.yaml'

#: `slack` of a computer that emulates the servos as well [s].
EMULATED_SLACK = 0.1
#: Least watchdog of servos that the bridge emulates [s]: it shares its processor with them.
EMULATED_WATCHDOG = 1.0


@dataclass(frozen=True, eq=False)
class HardwareConfig:
    """The wiring of a robot, held against its model.

    Args:
        path: of the file that it comes from.
        form: all of the file.
        buses: by name.
        joints: in the order of the robot's joints.
        tendons: in the order of its other channels.
    """

    path: Path
    form: HardwareForm
    buses: Mapping[str, BusSpec]
    joints: tuple[Wiring, ...]
    tendons: tuple[Tendon, ...]

    @property
    def protection(self) -> Protection:
        """What may not happen to the motors."""
        return self.form.protection

    @property
    def uncalibrated(self) -> tuple[str, ...]:
        """Names of the joints without an offset."""
        return tuple(each.name for each in self.joints if not each.calibrated)

    def at(
        self, ports: Mapping[str, str], slack: float = EMULATED_SLACK, watchdog: float = 0.0
    ) -> 'HardwareConfig':
        """The same servos, calibrated as they are, on ports of emulated ones.

        Args:
            ports: path of the device, by bus.
            slack: what the computer may take until it looks for an answer [s].
            watchdog: least time without a packet after which servos stop [s].
        """
        buses = {
            name: spec.model_copy(update={'port': ports.get(name, spec.port), 'slack': slack})
            for name, spec in self.buses.items()
        }
        joints = tuple(replace(each, offset=each.offset or 0.0) for each in self.joints)
        watches = max(self.form.watchdog, watchdog)
        form = self.form.model_copy(update={'watchdog': watches})
        return replace(self, form=form, buses=buses, joints=joints)

    @property
    def motors(self) -> tuple[Motor, ...]:
        """The servos of all joints, then those of the other channels."""
        everything: list[Motor] = [*self.joints, *self.tendons]
        return tuple(everything)

    def on_bus(self, bus: str) -> tuple[Motor, ...]:
        """Everything that is on a bus, by name of the bus."""
        return tuple(motor for motor in self.motors if motor.bus == bus)


def hardware_file(robot: RobotModel) -> Path:
    """Where the wiring of a robot is written: of an installed one in `config/hardware`."""
    share = share_directory() / 'config'
    ours = (share / 'robots' / robot.name / ROBOT_FILE).resolve().parent
    installed = ours == robot.folder.resolve()
    return share / 'hardware' / f'{robot.name}.yaml' if installed else robot.folder / BESIDE


def load_hardware(robot: RobotModel, path: Path | None = None) -> HardwareConfig:
    """Read the wiring of a robot and hold it against the robot.

    Args:
        robot: the robot.
        path: of the file; None: where `hardware_file` says.

    Raises:
        ProblemsError: everything that is wrong with it, with lines.
    """
    file = YamlFile(hardware_file(robot) if path is None else path)
    form, problems = file.fitting(HardwareForm)
    if form is None:
        raise ProblemsError(str(file.path), problems)
    if form.robot != robot.name:
        text = f'is {form.robot!r}; expected {robot.name!r}, the robot that is started'
        raise ProblemsError(str(file.path), [*problems, file.problem(('robot',), text)])
    problems += [file.problem(*problem) for problem in wiring_problems(form, robot, file.data)]
    if problems:
        raise ProblemsError(str(file.path), problems)
    return HardwareConfig(
        file.path,
        form,
        form.buses,
        tuple(
            Wiring(name, bus_of(spec.bus, form), family_of(form, spec.bus), spec.id, spec.model,
                   spec.direction, spec.offset)
            for name in robot.joint_names
            for spec in [form.joints[name]]
        ),
        tuple(_tendon(form, name) for name in robot.channels),
    )  # fmt: skip


def _tendon(form: HardwareForm, name: str) -> Tendon:
    spec = form.channels[name]
    return Tendon(
        name, bus_of(spec.bus, form), family_of(form, spec.bus), spec.id, spec.model,
        spec.direction, spec.torque_constant, spec.spool_radius,
    )  # fmt: skip
