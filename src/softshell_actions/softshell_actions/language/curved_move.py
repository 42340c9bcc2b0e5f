"""The keys of moves that run along a curve."""

from typing import Annotated, Literal

from pydantic import Field

from softshell_common.yaml_file import StrictModel

Weight = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0)]
Weights = Annotated[list[Weight], Field(min_length=1)]
Degree = Annotated[int, Field(strict=True, ge=1)]
Law = Literal['cubic', 'quintic']


class CurvedMove(StrictModel):
    """How a move runs along its points: with none of the last three keys, by the usual curve."""

    weights: Weights | None = Field(
        default=None, description='of the points; that of the start is 1'
    )
    nodes: bool = Field(default=False, description='the curve passes through the points')
    degree: Degree | None = Field(
        default=None, description='at most the number of points; 3 or less if it is left out'
    )
    law: Law | None = Field(
        default=None, description='time law of a curve with nodes or degree, quintic if left out'
    )

    @property
    def plain(self) -> bool:
        """Whether it runs by the usual curve: a cubic whose ends are doubled."""
        return not self.nodes and self.degree is None and self.law is None
