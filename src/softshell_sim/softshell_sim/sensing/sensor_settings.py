"""What the sensors of a simulated robot are like, and the file that says so.

Everything is exact and at once by default. A quantity that is left out is as by default.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, field_validator

from softshell_common.wording import Keys, reworded
from softshell_common.yaml_file import NotNegative, Number, StrictModel, YamlFile
from softshell_description.model import RobotModel
from softshell_kinematics.errors import ProblemsError, UnknownNameError
from softshell_sim.sensing.camera_settings import CameraSettings
from softshell_sim.sensing.sampling_settings import SamplingSettings

#: Components of a vector; of a rotation the axes that it is about.
AXES = ('x', 'y', 'z')
#: Part of the names of its topics.
CameraName = Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*$')]


class SignalSettings(StrictModel):
    """How one measured quantity differs from the truth, in its unit.

    What is measured is the truth + bias + noise, rounded to a multiple of the resolution.

    Attributes:
        noise: standard deviation of what is added anew to each component of each sample.
        bias: what is always added: one number for all components, or numbers by component (the
            name of a joint, or x, y, z) and 0 to the others.
        resolution: the step of the digits; 0: none.
    """

    noise: NotNegative = 0.0
    bias: Number | dict[str, Number] = 0.0
    resolution: NotNegative = 0.0

    @property
    def deviation(self) -> float:
        """Standard deviation of noise and rounding, whose error is even: step/√12."""
        return math.hypot(self.noise, self.resolution / math.sqrt(12.0))

    @property
    def exact(self) -> bool:
        """Whether nothing differs from the truth."""
        biases = self.bias.values() if isinstance(self.bias, dict) else (self.bias,)
        return not (self.noise or self.resolution or any(biases))


class JointSensors(SamplingSettings):
    """Of all joints.

    Attributes:
        position: [rad] or [m].
        velocity: [rad/s] or [m/s].
        effort: [N m] or [N].
        at_motors: motors hold by positions with this bias and resolution as well; otherwise they
            know the truth. Noise, rate and delay are never theirs.
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
    """The base in odom, which is the ground truth unless it is made worse here.

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
    def deviations(self) -> tuple[float, float, float, float]:
        """Standard deviations, in the order of the attributes."""
        place, turn = self.position.deviation, self.orientation.deviation
        return place, turn, self.linear_velocity.deviation, self.angular_velocity.deviation


class ContactSensors(SamplingSettings):
    """Of the feet, and of further links.

    Attributes:
        force: [N] in odom.
        threshold: force [N] above which something touches; 0: whatever touches.
        links: names of the links that feel contacts besides the feet.
    """

    force: SignalSettings = SignalSettings()
    threshold: NotNegative = 0.0
    links: tuple[str, ...] = ()

    @field_validator('links')
    @classmethod
    def _once(cls, links: tuple[str, ...]) -> tuple[str, ...]:
        twice = sorted({name for name in links if links.count(name) > 1})
        if twice:
            raise ValueError(f'{", ".join(twice)}: given twice')
        return links


class SensorSettings(StrictModel):
    """All sensors of a robot; see `docs/sensors.md`.

    Attributes:
        joints, imu, odometry, contacts: what the bridge measures.
        cameras: by name.
    """

    joints: JointSensors = JointSensors()
    imu: ImuSensor = ImuSensor()
    odometry: OdometrySensor = OdometrySensor()
    contacts: ContactSensors = ContactSensors()
    cameras: dict[CameraName, CameraSettings] = Field(default_factory=dict)


def sensor_settings(values: Mapping[str, Any]) -> SensorSettings:
    """Settings from plain dictionaries of the form of the file.

    Raises:
        ProblemsError: every key and value that does not fit.
    """
    keys = Keys()
    try:
        return SensorSettings.model_validate(values, context=keys)
    except ValidationError as error:
        problems = [
            f'{".".join(map(str, place))}: {text}'
            for place, text in reworded(error.errors(), values, keys)
        ]
    raise ProblemsError('settings of sensors', problems)


def load_sensors(path: Path, robot: RobotModel) -> SensorSettings:
    """The sensors that a file describes.

    Args:
        path: of a YAML file.
        robot: whose links and joints it names.

    Raises:
        ProblemsError: everything that is wrong with it, with lines.
    """
    file = YamlFile(path.expanduser())
    settings = file.validate(SensorSettings)
    problems = [file.problem(*problem) for problem in name_problems(settings, robot)]
    if problems:
        raise ProblemsError(str(file.path), problems)
    return settings


def refuse_unknown_names(settings: SensorSettings, robot: RobotModel) -> None:
    """See that the robot has all links and joints that its sensors name.

    Raises:
        ProblemsError: every name that it has not.
    """
    problems = [f'{".".join(place)}: {text}' for place, text in name_problems(settings, robot)]
    if problems:
        raise ProblemsError(f'sensors of robot {robot.name!r}', problems)


def name_problems(
    settings: SensorSettings, robot: RobotModel
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Where the settings name what the robot has not, and what is wrong there."""
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
    for name in type(sensors).model_fields:
        signal = getattr(sensors, name)
        if isinstance(signal, SignalSettings) and isinstance(signal.bias, dict):
            for component in signal.bias:
                if component not in known:
                    text = str(UnknownNameError(kind, component, known))
                    yield (place, name, 'bias', component), text
