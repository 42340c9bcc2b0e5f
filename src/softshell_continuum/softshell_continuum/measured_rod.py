"""A silicone rod with two tendons that was measured, to compare models with.

Experiments of the TendonForces report: a rod along the world's x axis, clamped at its origin, with
six discs on it; the vertical tendon runs above it, the horizontal one on its left (+y). Masses
pull them. The tip was measured in five trials of the third experiment; the
first, without tension, gave Young's modulus, and the second the shear modulus.
"""

from dataclasses import dataclass

import numpy as np

from softshell_continuum.forms import DiscForm, LinkForm, ManipulatorForm, MaterialForm
from softshell_continuum.rod import LINKS, Rod
from softshell_continuum.rod_form import rod_form
from softshell_continuum.shapes import Shape
from softshell_continuum.statics import GRAVITY, Statics
from softshell_continuum.tendon import Tendon
from softshell_kinematics.arrays import Array

#: Length and diameter [m], density [kg/m^3].
LENGTH, DIAMETER, DENSITY = 0.25, 0.011, 997.7
#: Young's and shear modulus as the report has calibrated them [Pa].
YOUNG, SHEAR = 16.598637e6, 7.21688e6
#: Arc lengths of the discs [m], and the mass of each [kg].
DISCS, DISC_MASS = 0.005 + 0.048 * np.arange(6), 0.002
#: Distance of the tendons from the backbone, thickness and radius of the discs as drawn [m].
RADIUS, DISC_SIZE = 0.015, (0.002, 0.018)
#: Arc lengths of the eyes of both tendons, the first at the clamp [m].
EYES = (0.0, *DISCS.tolist())
TENDONS = (
    Tendon.along('vertical', EYES, RADIUS, np.pi),
    Tendon.along('horizontal', EYES, RADIUS, np.pi / 2),
)
#: How far the tip hangs down without tension [m]; tension of the second experiment [N].
SAG, SIDEWAYS = 0.054, 2.014
#: (4, 4) pose of the rod: its z is along the world's x, its x downwards, its y the world's.
BASE = np.array([[0.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0, 0, 0, 1]])


@dataclass(frozen=True)
class Trial:
    """A trial of the third experiment.

    Attributes:
        number: of the trial in the report.
        masses: on the vertical and the horizontal tendon [g].
        place: x, y, z of the tip in the world [cm].
    """

    number: int
    masses: tuple[float, float]
    place: tuple[float, float, float]

    @property
    def tensions(self) -> Array:
        """(2,) tensions of the vertical and the horizontal tendon [N]."""
        return -1e-3 * GRAVITY[2] * np.array(self.masses)

    @property
    def tip(self) -> Array:
        """(3,) position of the tip in the world [m]."""
        return 1e-2 * np.array(self.place)


TRIALS = (
    Trial(1, (105.37, 80.37), (24.5, 3.45, -1.5)),
    Trial(3, (205.37, 130.37), (23.9, 5.0, 2.5)),
    Trial(5, (305.37, 180.37), (21.9, 7.8, 6.5)),
    Trial(7, (405.37, 230.37), (18.8, 10.0, 9.9)),
    Trial(9, (505.37, 280.37), (14.2, 10.7, 12.5)),
)


def measured_rod(young: float = YOUNG, shear: float = SHEAR, links: int = LINKS) -> Statics:
    """The rod with its discs and tendons.

    Args:
        young, shear: moduli [Pa].
        links: number of links of its chain.
    """
    rod = Rod(LENGTH, DIAMETER, young, shear, DENSITY)
    return Statics(rod.chain(links), TENDONS, [(disc, DISC_MASS) for disc in DISCS], base=BASE)


def measured_rod_form(links: int = LINKS, damping: float = 0.0) -> ManipulatorForm:
    """The rod with its discs as a manipulator for engines; it does not stretch.

    Args:
        links: number of links of its chain.
        damping: of its joints, divided by their stiffness [s].
    """
    disc = LinkForm(
        shape=Shape.CYLINDER, dimensions=DISC_SIZE, mass=DISC_MASS,
        material=MaterialForm(name='disc', colour=(0.9, 0.55, 0.2, 1.0)),
    )  # fmt: skip
    discs = [DiscForm(at=at, link=disc) for at in DISCS.tolist()]
    rod = Rod(LENGTH, DIAMETER, YOUNG, SHEAR, DENSITY)
    return rod_form('rod', rod, links, damping, discs)
