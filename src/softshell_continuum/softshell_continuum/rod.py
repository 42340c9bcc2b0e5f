"""Round elastic rods, as continua and as chains of short rigid links."""

import math
from dataclasses import dataclass

import numpy as np

from softshell_continuum.checks import refuse_no_count, refuse_no_number
from softshell_continuum.elastic_chain import ElasticChain, ElasticJoint
from softshell_kinematics.errors import OutOfRangeError

#: Unit vectors along x, y and z.
X, Y, Z = np.eye(3)
#: Default number of links of a rod. Bent by a right angle, a tip at 0.25 m is 0.02 mm off by a
#: moment there, and that of the measured rod, with tendons, 0.8 mm.
LINKS = 50


@dataclass(frozen=True)
class Rod:
    """A straight rod of round section, along z from its clamped end.

    Args:
        length: [m].
        diameter: [m].
        youngs_modulus, shear_modulus: [Pa].
        density: [kg/m^3].

    Raises:
        OutOfRangeError: a value is not positive and finite, or the density is negative.
        SoftshellError: a value is not a number.
    """

    length: float
    diameter: float
    youngs_modulus: float
    shear_modulus: float
    density: float = 0.0

    def __post_init__(self) -> None:
        for name in ('length', 'diameter', 'youngs_modulus', 'shear_modulus'):
            refuse_no_number(f'{name} of a rod', getattr(self, name))
            if not 0.0 < getattr(self, name) < math.inf:
                raise OutOfRangeError(f'{name} of a rod', getattr(self, name), 'more than 0')
        refuse_no_number('density of a rod', self.density)
        if not 0.0 <= self.density < math.inf:
            raise OutOfRangeError('density of a rod', self.density, '0 or more')

    @property
    def area(self) -> float:
        """Area of its section [m^2]."""
        return 0.25 * math.pi * self.diameter**2

    @property
    def bending(self) -> float:
        """Bending stiffness EI [N m^2]; I = π d⁴/64."""
        return self.youngs_modulus * math.pi * self.diameter**4 / 64.0

    @property
    def torsion(self) -> float:
        """Torsional stiffness GJ [N m^2]; J = π d⁴/32."""
        return self.shear_modulus * math.pi * self.diameter**4 / 32.0

    @property
    def stretch(self) -> float:
        """Axial stiffness EA [N]."""
        return self.youngs_modulus * self.area

    @property
    def weight(self) -> float:
        """Mass per length [kg/m]."""
        return self.density * self.area

    def step(self, links: int) -> float:
        """Length of each of so many links [m].

        Raises:
            OutOfRangeError: the number of links is less than 1, or not whole.
            SoftshellError: it is not a number.
        """
        refuse_no_count('links of a rod', links)
        return self.length / links

    def chain(self, links: int = LINKS) -> ElasticChain:
        """The rod as links with springs between them, half a link at either end.

        Where links meet, the chain stretches, bends about x and y, and twists. Its error falls
        with the square of the number of links if all tendons run from end to end. The moment of
        one that begins or ends along the rod begins or ends at the next joint, by which up to half
        a link is bent in error: that falls with the number, not with its square, and unevenly.

        Raises:
            OutOfRangeError: the number of links is less than 1, or not whole.
            SoftshellError: it is not a number.
        """
        step, links = self.step(links), int(links)
        joints: list[ElasticJoint] = []
        for place in range(links):
            length = step if place < links - 1 else 0.5 * step
            before = step if place else 0.5 * step
            joints += [
                ElasticJoint(Z, before * Z, self.stretch / step, prismatic=True),
                ElasticJoint(X, 0.0 * Z, self.bending / step),
                ElasticJoint(Y, 0.0 * Z, self.bending / step),
                ElasticJoint(
                    Z,
                    0.0 * Z,
                    self.torsion / step,
                    mass=self.weight * length,
                    centre=0.5 * length * Z,
                    length=length,
                ),
            ]
        return ElasticChain(tuple(joints), 0.5 * step)
