"""Truth in, measurements out: all sensors of a robot."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from softshell_control.backend import FootContacts, Measured
from softshell_control.joint_map import JointMap
from softshell_sim.sensing.sampling_settings import SamplingSettings
from softshell_sim.sensing.sensor_models import (
    OrientationModel,
    Quantity,
    Sensor,
    SensorModel,
    VectorModel,
)
from softshell_sim.sensing.sensor_settings import (
    AXES,
    ContactSensors,
    SensorSettings,
    SignalSettings,
)

#: Number of each quantity's stream of noise. They are never changed, so that a quantity has the
#: same noise whatever other sensors there are.
STREAMS = {
    ('joints', 'position'): 0,
    ('joints', 'velocity'): 1,
    ('joints', 'effort'): 2,
    ('imu', 'orientation'): 3,
    ('imu', 'angular_velocity'): 4,
    ('imu', 'linear_acceleration'): 5,
    ('odometry', 'position'): 6,
    ('odometry', 'orientation'): 7,
    ('odometry', 'linear_velocity'): 8,
    ('odometry', 'angular_velocity'): 9,
    ('contacts', 'force'): 10,
    ('contacts', 'touching'): 11,
    ('link_contacts', 'force'): 12,
    ('link_contacts', 'touching'): 13,
    ('cameras', 'picture'): 14,
    ('tactile', 'force'): 15,
    ('tactile', 'touching'): 16,
}


def stream(seed: int, *key: int) -> np.random.SeedSequence:
    """The seed of one of a world's streams of noise, independent of all others.

    Args:
        seed: of the world.
        key: numbers of the stream, of which the first is one of `STREAMS`.
    """
    return np.random.SeedSequence(seed, spawn_key=key)


class Sensing:
    """The sensors of a robot; those that are exact share their arrays with the truth.

    Args:
        settings: of the sensors.
        seed: of all noise.
        truth: what is true; its arrays are filled anew before each reading.
        joint_map: order of the joints.

    Attributes:
        measured: what is shown; `truth` itself if all sensors are exact.
    """

    def __init__(
        self, settings: SensorSettings, seed: int, truth: Measured, joint_map: JointMap
    ) -> None:
        self._seed, self._joints = seed, joint_map.independent
        self._threshold = settings.contacts.threshold
        self._sensors: dict[str, Sensor] = {}
        self._parts: dict[str, Any] = {}
        self._seeds: dict[str, list[int]] = {}
        joints = self._part('joints', settings.joints, truth, joint_map.names)
        parts = {
            'imu': self._part('imu', settings.imu, truth.imu),
            'base': self._part('odometry', settings.odometry, truth.base),
            'contacts': self._part('contacts', settings.contacts, truth.contacts),
            'link_contacts': self._part('link_contacts', settings.contacts, truth.link_contacts),
            'tactile': self._part('tactile', settings.contacts, truth.tactile),
        }
        self.measured: Measured = replace(joints, **parts) if self._sensors else truth
        if 'joints' in self._sensors:
            self.measured.age, self.measured.channels = truth.age.copy(), truth.channels.copy()
        self.begin()

    def begin(self) -> None:
        """Forget everything: the same truth then gives the same measurements."""
        for name, sensor in self._sensors.items():
            sensor.begin([stream(self._seed, number) for number in self._seeds[name]])

    def clear(self) -> None:
        """Forget all samples; noise goes on."""
        for sensor in self._sensors.values():
            sensor.clear()

    def read(self, time: float) -> Measured:
        """Show what is known at a time [s] for which the truth is filled in."""
        for name, sensor in self._sensors.items():
            age = sensor.read(time)
            if name == 'joints':
                self._note_joints(age)
                continue
            part = self._parts[name]
            part.age = age
            if self._threshold and isinstance(part, FootContacts):
                np.greater(np.linalg.norm(part.force, axis=1), self._threshold, out=part.touching)
        return self.measured

    def save(self) -> object:
        """Samples and noise, for `restore`."""
        return {name: sensor.save() for name, sensor in self._sensors.items()}

    def restore(self, content: Any) -> None:
        """Go on as after `save`."""
        for name, sensor in self._sensors.items():
            sensor.restore(content[name])

    def _note_joints(self, age: float) -> None:
        measured = self.measured
        measured.age[:] = measured.joints_age = age
        measured.channels[: self._joints] = measured.position[: self._joints]

    def _part(
        self, name: str, settings: SamplingSettings, truth: Any, components: Sequence[str] = AXES
    ) -> Any:
        """A part of the measurement: with arrays of its own, or the truth if it is exact."""
        signals = {
            field: value
            for field in type(settings).model_fields
            if isinstance(value := getattr(settings, field), SignalSettings)
        }
        threshold = isinstance(settings, ContactSensors) and settings.threshold > 0.0
        exact = settings.at_once and not threshold and all(s.exact for s in signals.values())
        if truth is None or exact:
            return truth
        arrays = {field: getattr(truth, field) for field in signals}
        models = {field: _model(signal, field, components) for field, signal in signals.items()}
        if isinstance(truth, FootContacts):
            arrays['touching'], models['touching'] = truth.touching, SensorModel()
        own = {field: array.copy() for field, array in arrays.items()}
        quantities = [Quantity(arrays[field], own[field], models[field]) for field in arrays]
        self._sensors[name] = Sensor(settings, quantities)
        self._seeds[name] = [STREAMS[name, field] for field in arrays]
        self._parts[name] = replace(truth, **own)
        return self._parts[name]


def _model(settings: SignalSettings, field: str, components: Sequence[str]) -> SensorModel:
    if settings.exact:
        return SensorModel()
    kind = OrientationModel if field == 'orientation' else VectorModel
    return kind(settings, components)
