"""The form of what is soft on a robot: an entry of `soft` in its `robot.yaml`."""

from typing import Annotated

from pydantic import Field, model_validator

from softshell_common.yaml_file import NotNegative, Number, Positive, StrictModel, Whole
from softshell_continuum.forms import Pose


class TendonForm(StrictModel):
    """Where a tendon runs along a manipulator; see `softshell_continuum.tendon.Tendon`.

    Attributes:
        radius: its distance from the backbone [m].
        angle: its angle about the backbone, from x towards y [rad].
        twist: change of this angle per arc length [rad/m].
        discs: arc lengths of the discs that guide it [m]; left out: the base, each link and the
            end.
        friction: coefficient at its eyes.
        stiffness: EA of the thread [N]; left out: it does not stretch.
        outside: its length between the first eye and its motor [m].
    """

    radius: NotNegative
    angle: Number = 0.0
    twist: Number = 0.0
    discs: tuple[NotNegative, ...] | None = None
    friction: NotNegative = 0.0
    stiffness: Positive | None = None
    outside: NotNegative = 0.0


class MomentForm(StrictModel):
    """What bends the joints of an actuator without a tendon, such as a chamber under pressure.

    Attributes:
        actuator: its number, from the base.
        axis: number of its kind of joints, from 0, in the order of the definition.
        moment: that acts in each of these joints, per unit of the channel [N m], [N m/kPa].
    """

    actuator: Annotated[Whole, Field(ge=0)] = 0
    axis: Annotated[Whole, Field(ge=0)] = 0
    moment: Number = 1.0


class SoftForm(StrictModel):
    """A soft manipulator on a robot.

    Attributes:
        manipulator: file of its definition, beside `robot.yaml` or below `urdf/`.
        link: the link that it is fixed to, of the URDF or of another manipulator; left out: the
            URDF has the manipulator already, by the macro `soft_manipulator`.
        pose: x, y, z, roll, pitch, yaw of its base there [m], [rad].
        tendons: its tendons, by the channel that pulls them.
        moments: what else bends it, by channel.
    """

    manipulator: str
    link: str | None = None
    pose: Pose = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    tendons: dict[str, TendonForm] = Field(default_factory=dict)
    moments: dict[str, MomentForm] = Field(default_factory=dict)

    @model_validator(mode='after')
    def _posed_on_a_link(self) -> 'SoftForm':
        if self.link is None and 'pose' in self.model_fields_set:
            raise ValueError('has a pose and no link; expected both, or none of them')
        return self
