"""What the page is like, read from config/dashboard.yaml."""

from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, model_validator

from softshell_common.yaml_file import StrictModel, YamlFile
from softshell_kinematics.errors import ProblemsError
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState
from softshell_sim.scene_file import read_body

Label = Annotated[str, Field(min_length=1, max_length=30)]


class Body(StrictModel):
    """What may be put into a simulated world.

    Attributes:
        description: as a body in a scene file is described, without its place.
        ahead: of the robot [m].
        height: of the body's origin above the ground [m].
    """

    description: dict[str, Any]
    ahead: float = 0.5
    height: float = 0.0

    @model_validator(mode='after')
    def _is_a_body(self) -> 'Body':
        try:
            read_body('body', self.text()['description'], BodyState.at_rest(shift()))
        except ProblemsError as error:
            raise ValueError('; '.join(error.problems)) from None
        return self

    def text(self) -> dict[str, Any]:
        """For the page, which shows the description as YAML to be changed."""
        text = yaml.safe_dump(self.description, default_flow_style=None, sort_keys=False).strip()
        return {'description': text, 'ahead': self.ahead, 'height': self.height}


class PageSettings(StrictModel):
    """All of config/dashboard.yaml.

    Attributes:
        modes: what buttons say that are always there, and the action that each begins.
        bodies: that the page offers for simulated worlds.
        hold_timeout: how long what is held counts after it was last said [s].
    """

    modes: dict[Label, Label]
    bodies: dict[Label, Body] = Field(default={})
    hold_timeout: Annotated[float, Field(ge=0.2, le=2.0)]


def load_page_settings(path: Path) -> PageSettings:
    """Settings of a YAML file.

    Raises:
        ProblemsError: the file, and every problem in it with its line.
    """
    return YamlFile(path).validate(PageSettings)
