"""The settings of the page, from config/dashboard.yaml."""

from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, model_validator

from softshell_common.yaml_file import Number, StrictModel, YamlFile
from softshell_kinematics.errors import ProblemsError
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState
from softshell_sim.scenes.scene_file import read_body

Label = Annotated[str, Field(min_length=1, max_length=30)]


class Body(StrictModel):
    """A body that the page offers to put into a simulated world.

    Attributes:
        description: as of a body in a scene file, without its pose.
        ahead: distance in front of the robot at which it is placed [m].
        height: of the body's origin above the ground [m].
    """

    description: dict[str, Any]
    ahead: Number = 0.5
    height: Number = 0.0

    @model_validator(mode='after')
    def _is_a_body(self) -> 'Body':
        try:
            read_body('body', self.text()['description'], BodyState.at_rest(shift()))
        except ProblemsError as error:
            raise ValueError('; '.join(error.problems)) from None
        return self

    def text(self) -> dict[str, Any]:
        """The body for the page, which shows the description as YAML that can be edited."""
        text = yaml.safe_dump(self.description, default_flow_style=None, sort_keys=False).strip()
        return {'description': text, 'ahead': self.ahead, 'height': self.height}


class PageSettings(StrictModel):
    """The settings of the page: all of config/dashboard.yaml.

    Attributes:
        modes: labels of the buttons in the header, and the action that each begins.
        bodies: that the page offers to put into a simulated world, by name.
        hold_timeout: keys and pads count as released if the page has not repeated for this long
            that they are held [s].
    """

    modes: dict[Label, Label]
    bodies: dict[Label, Body] = Field(default={})
    hold_timeout: Annotated[Number, Field(ge=0.2, le=2.0)]


def load_page_settings(path: Path) -> PageSettings:
    """Read the settings from a YAML file.

    Raises:
        ProblemsError: lists every problem in the file, with its line.
    """
    return YamlFile(path).validate(PageSettings)
