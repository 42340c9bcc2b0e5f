"""Settings of the sensors of a simulated robot, and the file that has them.

By default every sensor measures exactly and without delay. What is left out has its default.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field, field_validator

from softshell_common.plain_data import from_data
from softshell_common.yaml_file import NotNegative, Number, StrictModel, YamlFile
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError, UnknownNameError
from softshell_sim.sensing.camera_settings import CameraSettings
from softshell_sim.sensing.sampling_settings import SamplingSettings

#: Components of a vector; of a rotation the axes that it is about.
AXES = ('x', 'y', 'z')
#: Name of a camera, with which its topics begin.
CameraName = Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*$')]


class SignalSettings(StrictModel):
    """How one measured quantity differs from the truth, in its unit.

    What is measured is the truth + bias + noise, rounded to a multiple of the resolution.

    Attributes:
        noise: standard deviation of the error that each component of each sample gets anew.
        bias: what is always added: one number for all components, or numbers by component (the
            name of a joint, or x, y, z) and 0 to the others.
        resolution: step to which values are rounded; 0: they are not.
    """

    noise: NotNegative = 0.0
    bias: Number | dict[str, Number] = 0.0
    resolution: NotNegative = 0.0

    @property
    def deviation(self) -> float:
        """Standard deviation of noise and rounding; that of rounding to a step is step/√12."""
        return math.hypot(self.noise, self.resolution / math.sqrt(12.0))

    @property
    def exact(self) -> bool:
        """Whether what is measured is the truth."""
        biases = self.bias.values() if isinstance(self.bias, dict) else (self.bias,)
        return not (self.noise or self.resolution or any(biases))


class JointSensors(SamplingSettings):
    """The sensors of all joints.

    Attributes:
        position: [rad] or [m].
        velocity: [rad/s] or [m/s].
        effort: [N m] or [N].
        at_motors: whether the motors, too, control by positions with this bias and resolution;
            as servos do that were calibrated badly; otherwise they know the true ones. Noise, rate
            and delay never affect the motors.
    """

    at_motors: Annotated[bool, Field(strict=True)] = False
    position: SignalSettings = SignalSettings()
    velocity: SignalSettings = SignalSettings()
    effort: SignalSettings = SignalSettings()


class ImuSensor(SamplingSettings):
    """An inertial measurement unit.

    Attributes:
        link: at whose origin and along whose axes it measures; empty: the base link.
        orientation: [rad]; noise and bias are small turns about the link's own axes, the
            resolution is that of yaw, pitch and roll.
        angular_velocity: [rad/s].
        linear_acceleration: [m/s^2].
    """

    link: str = ''
    orientation: SignalSettings = SignalSettings()
    angular_velocity: SignalSettings = SignalSettings()
    linear_acceleration: SignalSettings = SignalSettings()

    @property
    def deviations(self) -> tuple[float, float, float]:
        """Standard deviations, in the order of the attributes."""
        turn, rate = self.orientation.deviation, self.angular_velocity.deviation
        return turn, rate, self.linear_acceleration.deviation


class OdometrySensor(SamplingSettings):
    """What is measured of the base in odom; by default the ground truth.

    Attributes:
        position: [m].
        orientation: [rad], as of an IMU.
        linear_velocity: [m/s].
        angular_velocity: [rad/s].
    """

    position: SignalSettings = SignalSettings()
    orientation: SignalSettings = SignalSettings()
    linear_velocity: SignalSettings = SignalSettings()
    angular_velocity: SignalSettings = SignalSettings()

    @property
    def pose_deviation(self) -> Array:
        """(6,) standard deviations of x, y, z [m], roll, pitch, yaw [rad]."""
        return np.repeat([self.position.deviation, self.orientation.deviation], 3)

    @property
    def twist_deviation(self) -> Array:
        """(6,) standard deviations of linear [m/s] and angular [rad/s] velocity."""
        return np.repeat([self.linear_velocity.deviation, self.angular_velocity.deviation], 3)


class ContactSensors(SamplingSettings):
    """The contact sensors of the feet and of further links.

    Attributes:
        force: [N] in odom.
        threshold: force above which a link counts as touching [N]; 0: any contact counts.
        links: names of further links with contact sensors, besides the feet.
    """

    force: SignalSettings = SignalSettings()
    threshold: NotNegative = 0.0
    links: tuple[str, ...] = ()

    @field_validator('links')
    @classmethod
    def _once(cls, links: tuple[str, ...]) -> tuple[str, ...]:
        twice = sorted({name for name in links if links.count(name) > 1})
        if twice:
            raise ValueError(f'{", ".join(twice)}: given twice; expected each link once')
        return links


class SensorSettings(StrictModel):
    """The sensors of a robot; see `docs/sensors.md`.

    Attributes:
        joints: what `joint_states` show.
        imu: what `imu` shows.
        odometry: what `odom` shows.
        contacts: what `foot_contacts`, `link_contacts` and the forces in `finger_states` show.
        cameras: by name, with which their topics begin.
    """

    joints: JointSensors = JointSensors()
    imu: ImuSensor = ImuSensor()
    odometry: OdometrySensor = OdometrySensor()
    contacts: ContactSensors = ContactSensors()
    cameras: dict[CameraName, CameraSettings] = Field(default_factory=dict)


def sensor_settings(values: Mapping[str, Any]) -> SensorSettings:
    """Settings from plain dictionaries that have the form of the file.

    Raises:
        ProblemsError: names every key and value that does not fit.
    """
    return from_data(SensorSettings, values, 'settings of sensors')


def load_sensors(path: Path, robot: RobotModel) -> SensorSettings:
    """The sensors that a file describes.

    Args:
        path: of a YAML file.
        robot: whose links and joints it names.

    Raises:
        ProblemsError: names everything that is wrong with it, with lines.
    """
    file = YamlFile(path.expanduser())
    settings = file.validate(SensorSettings)
    problems = [file.problem(*problem) for problem in name_problems(settings, robot)]
    if problems:
        raise ProblemsError(str(file.path), problems)
    return settings


def refuse_unknown_names(settings: SensorSettings, robot: RobotModel) -> None:
    """Check that the robot has all links and joints that its sensors name.

    Raises:
        ProblemsError: lists every name that it does not have.
    """
    problems = [f'{".".join(place)}: {text}' for place, text in name_problems(settings, robot)]
    if problems:
        raise ProblemsError(f'sensors of robot {robot.name!r}', problems)


def name_problems(
    settings: SensorSettings, robot: RobotModel
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each place where the settings name what the robot does not have, and the problem."""
    joints = [joint.name for joint in robot.urdf.joints if joint.movable]
    yield from _components(settings.joints, 'joints', 'joint', joints)
    for name in ('imu', 'odometry', 'contacts'):
        yield from _components(getattr(settings, name), name, 'axis', AXES)
    links: list[tuple[tuple[str, ...], str]] = []
    if settings.imu.link:
        links.append((('imu', 'link'), settings.imu.link))
    links += [(('contacts', 'links'), link) for link in settings.contacts.links]
    links += [(('cameras', name, 'link'), each.link) for name, each in settings.cameras.items()]
    known = {link.name for link in robot.urdf.links}
    yield from (
        (place, str(UnknownNameError('link', link, known)))
        for place, link in links
        if link not in known
    )


def _components(
    sensors: StrictModel, place: str, kind: str, known: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Biases of components that there are not, as `name_problems` gives them.

    Args:
        sensors, place: settings of some sensors, and where they are.
        kind, known: what their components are, and the names of these.
    """
    for name in type(sensors).model_fields:
        signal = getattr(sensors, name)
        if isinstance(signal, SignalSettings) and isinstance(signal.bias, dict):
            for component in signal.bias:
                if component not in known:
                    text = str(UnknownNameError(kind, component, known))
                    yield (place, name, 'bias', component), text
