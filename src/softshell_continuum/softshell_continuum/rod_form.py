"""A round rod as a soft manipulator, which engines can simulate."""

import math
from collections.abc import Sequence

from softshell_common.plain_data import from_data
from softshell_continuum.checks import refuse_no_number
from softshell_continuum.forms import Arrangement, DiscForm, ManipulatorForm
from softshell_continuum.rod import LINKS, Rod
from softshell_continuum.shapes import Shape
from softshell_kinematics.errors import OutOfRangeError

#: The two axes about which a rod bends, and that about which it twists.
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def rod_form(
    name: str,
    rod: Rod,
    links: int = LINKS,
    damping: float = 0.0,
    discs: Sequence[DiscForm] = (),
    planar: bool = False,
) -> ManipulatorForm:
    """A rod as rigid links that bend and twist against each other; it does not stretch.

    Args:
        name: of the manipulator.
        rod: the rod; engines need a density.
        links: number of links of its chain.
        damping: of its joints, divided by their stiffness [s].
        discs: along it.
        planar: whether it only bends, and only about its x axis.

    Raises:
        OutOfRangeError: the number of links is less than 1 or not whole, or the damping is
            negative or not finite.
        SoftshellError: the number of links or the damping is not a number.
        ProblemsError: the name, the number of links or a disc does not fit a manipulator.
    """
    step, links = rod.step(links), int(links)
    refuse_no_number('damping of a rod', damping)
    if not 0.0 <= damping < math.inf:
        raise OutOfRangeError('damping of a rod', damping, '0 or more')
    shape = {'shape': Shape.CYLINDER, 'dimensions': [step, 0.5 * rod.diameter]}
    stiffness = (rod.bending / step, rod.bending / step, rod.torsion / step)
    joints = [
        {'axis': axis, 'stiffness': each, 'damping': damping * each}
        for axis, each in zip(AXES, stiffness, strict=True)
    ]
    actuator = {
        'length': rod.length, 'n_segments': links, 'link': {**shape, 'mass': rod.weight * step},
        'joints': joints[:1] if planar else joints, 'arrangement': Arrangement.TOGETHER,
    }  # fmt: skip
    return from_data(ManipulatorForm, {'name': name, 'actuators': [actuator], 'discs': [*discs]})
