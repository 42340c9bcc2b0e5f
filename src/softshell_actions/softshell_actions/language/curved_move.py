"""The keys of moves that run along a curve."""

from typing import Annotated, Literal

from pydantic import Field

from softshell_common.yaml_file import StrictModel

Weight = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0)]
Weights = Annotated[list[Weight], Field(min_length=1)]
Degree = Annotated[int, Field(strict=True, ge=1)]
Law = Literal['cubic', 'quintic']


class CurvedMove(StrictModel):
    """How a move follows its points; a cubic by control points without nodes, degree and law."""

    weights: Weights | None = Field(
        default=None, description='one for each point; that of the start is 1'
    )
    nodes: bool = Field(default=False, description='the curve passes through the points')
    degree: Degree | None = Field(
        default=None,
        description='of the curve, at most the number of points; by default 3, or less for fewer',
    )
    law: Law | None = Field(
        default=None,
        description='time law along the curve; by default quintic if nodes or degree is given',
    )

    @property
    def plain(self) -> bool:
        """Whether it follows the usual curve: a cubic whose end points count twice."""
        return not self.nodes and self.degree is None and self.law is None
