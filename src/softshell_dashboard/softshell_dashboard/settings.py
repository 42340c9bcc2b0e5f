"""What the page is like, read from config/dashboard.yaml."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from softshell_common.yaml_file import StrictModel, YamlFile

Label = Annotated[str, Field(min_length=1, max_length=30)]


class PageSettings(StrictModel):
    """All of config/dashboard.yaml.

    Attributes:
        modes: what buttons say that are always there, and the action that each begins.
        hold_timeout: how long what is held counts after it was last said [s].
    """

    modes: dict[Label, Label]
    hold_timeout: Annotated[float, Field(ge=0.2, le=2.0)]


def load_page_settings(path: Path) -> PageSettings:
    """Settings of a YAML file.

    Raises:
        ProblemsError: the file, and every problem in it with its line.
    """
    return YamlFile(path).validate(PageSettings)
