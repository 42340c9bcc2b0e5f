"""The move in which a controller of the bridge moves the joints."""

from pydantic import Field

from softshell_actions.language.entries import Number
from softshell_common.yaml_file import StrictModel


class ControllerMove(StrictModel):
    """A controller of the bridge moves the joints, from what is measured, till it is done."""

    controller: str = Field(description='of robot.yaml')
    references: dict[str, Number] = Field(
        default_factory=dict, description='values for the controller by name; others have defaults'
    )
