"""How a sensor measures: with bias, noise and rounding, at a rate, after a delay."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.sensing.orientation_error import turned
from softshell_sim.sensing.sampling import SampleQueue
from softshell_sim.sensing.sampling_settings import SamplingSettings
from softshell_sim.sensing.sensor_settings import SignalSettings


class SensorModel:
    """Turns true values into measured ones; this class itself measures exactly."""

    def sample(self, truth: Any) -> Any:
        """What is measured of true values, as a new array."""
        return truth.copy()

    def begin(self, seed: np.random.SeedSequence) -> None:
        """Begin a new series of noise."""

    def save(self) -> object:
        """Everything that the next samples depend on, for `restore`."""
        return None

    def restore(self, content: Any) -> None:
        """Go on as after `save`."""


class NoisyModel(SensorModel):
    """Base of models with bias, noise and rounding.

    Args:
        settings: noise, bias, resolution.
        components: names of the values along the last axis of what is measured.
    """

    def __init__(self, settings: SignalSettings, components: Sequence[str]) -> None:
        self._noise, self._resolution = settings.noise, settings.resolution
        bias = settings.bias
        by_name = bias if isinstance(bias, dict) else dict.fromkeys(components, bias)
        self._bias = np.array([by_name.get(name, 0.0) for name in components])
        self.begin(np.random.SeedSequence(0))

    def begin(self, seed: np.random.SeedSequence) -> None:
        """Begin a new series of noise."""
        self._random = np.random.default_rng(seed)

    def save(self) -> object:
        """State of the noise, for `restore`."""
        return deepcopy(self._random.bit_generator.state)

    def restore(self, content: Any) -> None:
        """Go on as after `save`."""
        self._random.bit_generator.state = deepcopy(content)

    def _error(self, shape: tuple[int, ...]) -> Array:
        """Bias and noise, of this shape or of one that is broadcast to it."""
        noise, bias = self._noise, self._bias
        return bias + self._random.normal(0.0, noise, shape) if noise else bias

    def _rounded(self, values: Array) -> Array:
        step = self._resolution
        return np.round(values / step) * step if step else values


class VectorModel(NoisyModel):
    """Measures numbers."""

    def sample(self, truth: Any) -> Any:
        """Truth, bias and noise, rounded."""
        return self._rounded(truth + self._error(truth.shape))


class OrientationModel(NoisyModel):
    """Measures a quaternion x, y, z, w: bias and noise are a turn about the body's own axes.

    Yaw, pitch and roll are rounded.
    """

    def sample(self, truth: Any) -> Any:
        """Truth, turned by bias and noise, rounded."""
        return turned(truth, self._error((3,)), self._resolution)


class Quantity:
    """One quantity that a sensor measures.

    Args:
        truth: (...,) true values, in the unit of the quantity.
        shown: (...,) array of the same shape that what is shown is written to.
        model: turns the first into the second.
    """

    def __init__(
        self,
        truth: Array | NDArray[np.bool_],
        shown: Array | NDArray[np.bool_],
        model: SensorModel,
    ) -> None:
        self.truth, self.shown, self.model = truth, shown, model


class Sensor:
    """Samples several quantities at the same times.

    Args:
        settings: rate and delay.
        quantities: what it measures.
    """

    def __init__(self, settings: SamplingSettings, quantities: Sequence[Quantity]) -> None:
        self._queue, self._quantities = SampleQueue(settings), tuple(quantities)

    def begin(self, seeds: Sequence[np.random.SeedSequence]) -> None:
        """Forget all samples, and begin each quantity's noise anew."""
        self.clear()
        for quantity, seed in zip(self._quantities, seeds, strict=True):
            quantity.model.begin(seed)

    def clear(self) -> None:
        """Forget all samples; noise goes on."""
        self._queue.clear()

    def read(self, time: float) -> float:
        """Sample if it is time for that, and show what is known.

        Args:
            time: now [s].

        Returns:
            How long before now what is shown was measured [s].
        """
        queue = self._queue
        if queue.due(time):
            queue.push(time, [each.model.sample(each.truth) for each in self._quantities])
        taken, samples = queue.shown(time)
        for quantity, sample in zip(self._quantities, samples, strict=True):
            quantity.shown[...] = sample
        return time - taken

    def save(self) -> object:
        """Samples and noise, for `restore`."""
        return self._queue.save(), [quantity.model.save() for quantity in self._quantities]

    def restore(self, content: Any) -> None:
        """Go on as after `save`."""
        queue, models = content
        self._queue.restore(queue)
        for quantity, model in zip(self._quantities, models, strict=True):
            quantity.model.restore(model)
