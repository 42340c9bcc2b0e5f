"""The round ends of a robot's feet, by which they roll over the ground."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array


@dataclass(frozen=True, eq=False)
class FootSpheres:
    """The sphere of each foot that touches the ground, in the order of the robot's legs.

    Args:
        centre: (feet, 3) [m] in the foot's frame.
        radius: (feet,) [m]; 0: a point.
    """

    centre: Array
    radius: Array


def foot_spheres(robot: RobotModel) -> FootSpheres:
    """The spheres of the feet of a robot with legs."""
    assert robot.legs is not None
    return spheres_of(robot.urdf_text, robot.legs.feet)


def spheres_of(urdf: str, feet: Sequence[str]) -> FootSpheres:
    """The `<collision>` sphere of each foot's link; the origin of its frame where there is none.

    Of several spheres it is the one nearest to the origin.

    Args:
        urdf: text of the URDF.
        feet: links of it.
    """
    centre, radius = np.zeros((len(feet), 3)), np.zeros(len(feet))
    links = {link.get('name'): link for link in ElementTree.fromstring(urdf).findall('link')}
    for place, foot in enumerate(feet):
        spheres = [_sphere(shape) for shape in links[foot].findall('collision')]
        found = [sphere for sphere in spheres if sphere is not None]
        if found:
            nearest = min(found, key=lambda sphere: float(np.linalg.norm(sphere[0])))
            centre[place], radius[place] = nearest
    return FootSpheres(centre, radius)


def _sphere(shape: ElementTree.Element) -> tuple[Array, float] | None:
    """Centre (3,) and radius [m] of a shape in its link; None if it is no sphere."""
    sphere = shape.find('geometry/sphere')
    if sphere is None:
        return None
    origin = shape.find('origin')
    place = (origin.get('xyz') if origin is not None else None) or '0 0 0'
    return np.array([float(value) for value in place.split()]), float(sphere.get('radius', '0'))
