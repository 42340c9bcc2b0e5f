"""A rod that two tendons bend, at rest: how far its tip goes, by statics."""

import numpy as np
from pydantic import Field

from softshell_common.yaml_file import NotNegative, Positive, StrictModel
from softshell_continuum.rod import Rod
from softshell_continuum.statics import Statics
from softshell_continuum.tendon import Tendon
from softshell_studies.study.scenario import Metric, Scenario


class TendonRodForm(StrictModel):
    """A round rod along x, with tendons above and on its left.

    Attributes:
        length, diameter: [m].
        youngs_modulus, shear_modulus: [Pa].
        density: [kg/m^3].
        radius: distance of both tendons from its axis [m].
        above, left: tension of each [N].
        links: of the chain that stands for it.
    """

    length: Positive = 0.25
    diameter: Positive = 0.01
    youngs_modulus: Positive = 1.0e6
    shear_modulus: Positive = 0.34e6
    density: NotNegative = 1100.0
    radius: Positive = 0.008
    above: NotNegative = 1.0
    left: NotNegative = 0.0
    links: int = Field(default=40, ge=2, le=400)


def run(form: TendonRodForm, seed: int) -> dict[str, float]:
    """Bring it to rest; nothing of it is random."""
    rod = Rod(form.length, form.diameter, form.youngs_modulus, form.shear_modulus, form.density)
    eyes = np.linspace(0.0, form.length, 11)
    tendons = [
        Tendon.along('above', eyes, form.radius, np.pi / 2),
        Tendon.along('left', eyes, form.radius, 0.0),
    ]
    chain = rod.chain(form.links)
    solved = Statics(chain, tendons).solve([form.above, form.left])
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
        'tip_x': Metric('m', 'of the tip'),
        'tip_y': Metric('m', 'of the tip'),
        'tip_z': Metric('m', 'of the tip'),
        'way': Metric('m', 'of the tip from where it is unbent'),
    },
    run,
    is_seen=False,
    has_joints=False,
)
