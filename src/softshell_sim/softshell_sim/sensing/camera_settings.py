"""Settings of a camera on a simulated robot."""

import math
from typing import Annotated

from pydantic import Field, model_validator

from softshell_common.yaml_file import NotNegative, Number, Positive
from softshell_sim.sensing.sampling_settings import SamplingSettings

Pixels = Annotated[int, Field(ge=1, le=4096, strict=True)]


class CameraSettings(SamplingSettings):
    """A camera on a link: it looks along its own x, z is up in its picture.

    Attributes:
        link: that carries it.
        xyz: its position in the link [m].
        rpy: its orientation in the link: roll, pitch, yaw about the link's axes, as in a URDF
            [rad].
        rate: pictures per second.
        width, height: of the picture [pixels].
        field_of_view: from the left edge of the picture to the right one [rad].
        near, far: what is nearer or further along its axis is not seen [m].
        noise: standard deviation of each colour of each pixel; colours are 0 to 255.
        depth_noise: standard deviation of each pixel's depth [m].
        depth_resolution: step to which depths are rounded [m]; 0: they are not.
    """

    link: str
    xyz: tuple[Number, Number, Number] = (0.0, 0.0, 0.0)
    rpy: tuple[Number, Number, Number] = (0.0, 0.0, 0.0)
    rate: Annotated[Number, Field(gt=0, le=1e3)] = 10.0
    width: Pixels = 160
    height: Pixels = 120
    field_of_view: Annotated[Number, Field(gt=0, lt=math.pi)] = 1.0
    near: Positive = 0.02
    far: Positive = 20.0
    noise: NotNegative = 0.0
    depth_noise: NotNegative = 0.0
    depth_resolution: NotNegative = 0.0

    @model_validator(mode='after')
    def _consistent(self) -> 'CameraSettings':
        if self.near >= self.far:
            raise ValueError(f'near is {self.near} m; expected less than far, {self.far} m')
        return self
