"""A rod that is bent by two tendons: where its tip is at rest, by statics."""

from typing import Annotated

import numpy as np
from pydantic import Field

from softshell_common.yaml_file import NotNegative, Positive, StrictModel
from softshell_continuum.rod import Rod
from softshell_continuum.statics import Statics
from softshell_continuum.tendon import Tendon
from softshell_studies.study.scenario import Metric, Scenario
from softshell_studies.study.whole import WHOLE


class TendonRodForm(StrictModel):
    """Parameters of the scenario `tendon_rod`: a round rod that stands upright, with two tendons.

    The rod goes along z, against gravity. Seen from its base, with y above, x is on the left.

    Attributes:
        length: of the rod [m].
        diameter: of the rod [m].
        youngs_modulus: Young's modulus of its material [Pa].
        shear_modulus: of its material [Pa].
        density: of its material [kg/m^3].
        radius: distance of both tendons from the axis of the rod [m].
        above: tension of the tendon on the side of y [N].
        left: tension of the tendon on the side of x [N].
        links: number of links of the chain that models the rod.
    """

    length: Positive = 0.25
    diameter: Positive = 0.01
    youngs_modulus: Positive = 1.0e6
    shear_modulus: Positive = 0.34e6
    density: NotNegative = 1100.0
    radius: Positive = 0.008
    above: NotNegative = 1.0
    left: NotNegative = 0.0
    links: Annotated[int, Field(ge=2, le=400), WHOLE] = 40


def run(form: TendonRodForm, seed: int) -> dict[str, float]:
    """Find the shape at rest; nothing is random, so the seed does not matter.

    Raises:
        SoftshellError: no pose at rest was found.
    """
    rod = Rod(form.length, form.diameter, form.youngs_modulus, form.shear_modulus, form.density)
    eyes = np.linspace(0.0, form.length, 11)
    tendons = [
        Tendon.along('above', eyes, form.radius, np.pi / 2),
        Tendon.along('left', eyes, form.radius, 0.0),
    ]
    chain = rod.chain(form.links)
    solved = Statics(chain, tendons).solve([form.above, form.left]).at_rest()
    points = solved.backbone(np.array([form.length]))[0]
    end = points[-1]
    return {
        'tip_x': float(end[0]),
        'tip_y': float(end[1]),
        'tip_z': float(end[2]),
        'way': float(np.linalg.norm(end - [0.0, 0.0, form.length])),
    }


TENDON_ROD = Scenario(
    'tendon_rod',
    TendonRodForm,
    {
        'tip_x': Metric('m', 'x of the tip in the frame of the rod'),
        'tip_y': Metric('m', 'y of the tip in the frame of the rod'),
        'tip_z': Metric('m', 'z of the tip in the frame of the rod'),
        'way': Metric('m', 'distance of the tip from its position in the straight rod'),
    },
    run,
    is_seen=False,
    has_joints=False,
)
