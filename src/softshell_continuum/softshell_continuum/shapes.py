"""The shapes of links: height and moments of inertia.

All are along z, centred on the origin. A capsule is a cylinder with half balls beyond its ends. A
stadium is a box with a cylinder about its joint, as thick as the box, so that links that bend
against each other have a smooth outside.
"""

from enum import Enum

import numpy as np

from softshell_kinematics.arrays import Array


class Shape(Enum):
    """What a link looks like."""

    BOX = 'box'
    CYLINDER = 'cylinder'
    SPHERE = 'sphere'
    STADIUM = 'stadium'
    CAPSULE = 'capsule'


#: What the dimensions of each shape are [m].
DIMENSIONS = {
    Shape.BOX: ('x', 'y', 'z'),
    Shape.CYLINDER: ('height', 'radius'),
    Shape.SPHERE: ('radius',),
    Shape.STADIUM: ('x', 'y', 'z'),
    Shape.CAPSULE: ('height', 'radius'),
}


def height(shape: Shape, dimensions: tuple[float, ...]) -> float:
    """Length of the backbone on a link of a shape [m]."""
    match shape:
        case Shape.BOX | Shape.STADIUM:
            return dimensions[2]
        case Shape.SPHERE:
            return 2.0 * dimensions[0]
        case _:
            return dimensions[0]


def lowered(shape: Shape, dimensions: tuple[float, ...], factor: float) -> tuple[float, ...]:
    """Dimensions of a shape whose height is multiplied by a factor; those of a sphere stay."""
    match shape:
        case Shape.BOX | Shape.STADIUM:
            return (*dimensions[:2], factor * dimensions[2])
        case Shape.SPHERE:
            return dimensions
        case _:
            return factor * dimensions[0], dimensions[1]


def gyration(shape: Shape, dimensions: tuple[float, ...]) -> Array:
    """(3,) principal moments of inertia about x, y, z, divided by the mass [m^2].

    Of a capsule: a cylinder and two half balls, whose centres of mass are 3/8 of the radius
    beyond its ends.
    """
    match shape:
        case Shape.BOX | Shape.STADIUM:
            x, y, z = np.square(dimensions)
            return np.array([y + z, x + z, x + y]) / 12.0
        case Shape.SPHERE:
            return np.full(3, 0.4 * dimensions[0] ** 2)
        case Shape.CYLINDER:
            long, radius = dimensions
            across = (3.0 * radius**2 + long**2) / 12.0
            return np.array([across, across, 0.5 * radius**2])
    long, radius = dimensions
    share = long / (long + 4.0 / 3.0 * radius)
    away = 0.5 * long + 0.375 * radius
    ends = (0.4 - 0.375**2) * radius**2 + away**2
    across = share * (3.0 * radius**2 + long**2) / 12.0 + (1.0 - share) * ends
    along = share * 0.5 * radius**2 + (1.0 - share) * 0.4 * radius**2
    return np.array([across, across, along])
