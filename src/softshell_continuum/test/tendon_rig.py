"""The measured rod of the TendonForces report: silicone, clamped, six discs, two tendons.

Along the world's x axis, the vertical tendon above it and the horizontal one on its left.
"""

import csv
from pathlib import Path

import numpy as np
from rods import LEVEL

from softshell_continuum.rod import Rod
from softshell_continuum.statics import Statics
from softshell_continuum.tendon import Tendon

DATA = Path(__file__).parent / 'data' / 'tendon_experiment3.csv'
GRAVITY = 9.80665
#: Young's and shear modulus as the report has calibrated them [Pa].
YOUNG, SHEAR = 16.598637e6, 7.21688e6
DISCS = 0.005 + 0.048 * np.arange(6)
#: Distance of the tendons from the backbone [m], and mass of a disc [kg].
RADIUS, DISC = 0.015, 0.002
#: Deflection without tension, which the report took E from [m].
SAG = 0.054
#: Tension of its second experiment, which it took G from [N].
SIDEWAYS = 2.014


def rig(young=YOUNG, shear=SHEAR, links=50):
    """The rod with its discs and tendons."""
    rod = Rod(0.25, 0.011, young, shear, 997.7)
    eyes = [0.0, *DISCS]
    tendons = [
        Tendon.along('vertical', eyes, RADIUS, np.pi),
        Tendon.along('horizontal', eyes, RADIUS, np.pi / 2),
    ]
    return Statics(rod.chain(links), tendons, [(disc, DISC) for disc in DISCS], base=LEVEL)


def trials():
    """Tensions [N] and measured tip [m] of each trial of the third experiment."""
    with DATA.open(encoding='utf-8') as file:
        for row in csv.DictReader(file):
            masses = [float(row[f'm_{way}_g']) for way in ('vertical', 'horizontal')]
            tip = [float(row[f'{axis}_meas_cm']) for axis in 'xyz']
            yield 1e-3 * GRAVITY * np.array(masses), 1e-2 * np.array(tip)
