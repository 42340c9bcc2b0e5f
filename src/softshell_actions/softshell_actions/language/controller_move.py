"""A move that the bridge decides on as it goes, from what it measures."""

from pydantic import Field

from softshell_actions.language.entries import Number
from softshell_common.yaml_file import StrictModel


class ControllerMove(StrictModel):
    """A controller of the bridge moves the joints till it is done."""

    controller: str = Field(description='of robot.yaml')
    references: dict[str, Number] = Field(
        default_factory=dict, description='what it is told, by name; others have defaults'
    )
