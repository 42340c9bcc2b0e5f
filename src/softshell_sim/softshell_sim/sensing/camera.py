"""A camera's view of a world, and the pictures that it takes.

A camera's optical frame has x to the right of the picture, y down and z along what it looks at, as
REP 103 says. The middle of pixel (column u, row v) is seen along ((u − cx)/f, (v − cy)/f, 1), with
cx = (width − 1)/2 and cy = (height − 1)/2: pixel (0, 0) is the one at the top left.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_from_angles, transform
from softshell_sim.sensing.camera_settings import CameraSettings
from softshell_sim.sensing.sampling import SampleQueue

#: The optical frame in that of the camera, which looks along x with z up.
OPTICAL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
#: Colour where nothing is seen.
SKY = (191, 209, 230)
#: Direction to where light comes from in all pictures, in the world; of any length.
LIGHT_FROM = (0.6, -0.9, 1.6)


@dataclass(frozen=True, eq=False)
class View:
    """What a picture is to show.

    Args:
        pose: (4, 4) of the camera's optical frame in the world.
        width, height: of the picture [pixels].
        field_of_view: from its left edge to its right one [rad].
        near, far: what is nearer or further along the camera's z is not seen [m].
    """

    pose: Array
    width: int
    height: int
    field_of_view: float
    near: float
    far: float

    @property
    def focal_length(self) -> float:
        """Focal length [pixels]."""
        return 0.5 * self.width / math.tan(0.5 * self.field_of_view)

    @property
    def intrinsics(self) -> Array:
        """(3, 3) matrix K that projects points of the optical frame [pixels]."""
        f = self.focal_length
        return np.array(
            [
                [f, 0.0, 0.5 * (self.width - 1)],
                [0.0, f, 0.5 * (self.height - 1)],
                [0.0, 0.0, 1.0],
            ]
        )


@dataclass(frozen=True, eq=False)
class Picture:
    """What a camera saw.

    Args:
        rgb: (height, width, 3) colours, 0 to 255.
        depth: (height, width) depth along the camera's z [m]; infinite where nothing is seen, as
            REP 117 says.
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]


class Camera:
    """Takes pictures at a rate, adds noise, and shows them after a delay.

    Args:
        settings: of the camera.
        seed: of its noise.
    """

    def __init__(self, settings: CameraSettings, seed: np.random.SeedSequence) -> None:
        self.settings, self._seed = settings, seed
        roll, pitch, yaw = settings.rpy
        turn = rotation_from_angles((yaw, pitch, roll))
        #: (4, 4) pose of its optical frame in its link.
        self.optical_in_link = transform(turn @ OPTICAL, settings.xyz)
        self._queue = SampleQueue(settings)
        self.begin()

    def begin(self) -> None:
        """Forget all pictures and begin the noise anew."""
        self._random = np.random.default_rng(self._seed)
        self.clear()

    def clear(self) -> None:
        """Forget all pictures; noise goes on."""
        self._queue.clear()

    def view(self, link: Array) -> View:
        """What it sees when its link is at a (4, 4) pose in the world."""
        s = self.settings
        pose = link @ self.optical_in_link
        return View(pose, s.width, s.height, s.field_of_view, s.near, s.far)

    @property
    def intrinsics(self) -> Array:
        """(3, 3) matrix K that projects points of its optical frame [pixels]."""
        return self.view(np.eye(4)).intrinsics

    def due(self, time: float) -> bool:
        """Whether it is time [s] for a further picture."""
        return self._queue.due(time)

    def take(self, time: float, picture: Picture) -> None:
        """Take the exact picture of a time [s]: add noise, and keep it until it is shown."""
        self._queue.push(time, self._noisy(picture))

    def shown(self, time: float) -> tuple[float, Picture]:
        """When the newest picture that is known at a time [s] was taken [s], and the picture."""
        return self._queue.shown(time)

    def save(self) -> object:
        """Pictures that wait and state of the noise, for `restore`."""
        return self._queue.save(), self._random.bit_generator.state

    def restore(self, content: Any) -> None:
        """Go on as after `save`."""
        queue, self._random.bit_generator.state = content
        self._queue.restore(queue)

    def _noisy(self, picture: Picture) -> Picture:
        """A picture with noise, its depths not negative and rounded."""
        s, random = self.settings, self._random
        if s.noise:
            rgb = picture.rgb + random.normal(0.0, s.noise, picture.rgb.shape)
            picture = replace(picture, rgb=rgb.round().clip(0, 255).astype(np.uint8))
        depth: Array = picture.depth.astype(np.float64)
        if s.depth_noise:
            depth = np.maximum(depth + random.normal(0.0, s.depth_noise, depth.shape), 0.0)
        if s.depth_resolution:
            depth = np.round(depth / s.depth_resolution) * s.depth_resolution
        return replace(picture, depth=depth.astype(np.float32))
