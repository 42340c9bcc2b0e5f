"""The round ends of a robot's feet, by which they roll over the ground."""

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.model.urdf_reader import plain_xml


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
    """The spheres of the feet of a robot with legs.

    Raises:
        SoftshellError: the robot has no legs, or as `spheres_of`.
    """
    if robot.legs is None:
        raise SoftshellError(f'robot {robot.name!r} has no legs; expected a robot with feet')
    return spheres_of(robot.urdf_text, robot.legs.feet)


def spheres_of(urdf: str, feet: Sequence[str]) -> FootSpheres:
    """The `<collision>` sphere of each foot's link; the origin of its frame where there is none.

    Of several spheres it is the one nearest to the origin.

    Args:
        urdf: text of the URDF.
        feet: links of it.

    Raises:
        UnknownNameError: the URDF has no link of that name.
        SoftshellError: a number of a sphere is none.
    """
    centre, radius = np.zeros((len(feet), 3)), np.zeros(len(feet))
    root = ElementTree.fromstring(plain_xml(urdf))
    links = {link.get('name'): link for link in root.findall('link')}
    for place, foot in enumerate(feet):
        if foot not in links:
            raise UnknownNameError('link', foot, [name for name in links if name])
        spheres = [_sphere(shape, foot) for shape in links[foot].findall('collision')]
        found = [sphere for sphere in spheres if sphere is not None]
        if found:
            nearest = min(found, key=lambda sphere: float(np.linalg.norm(sphere[0])))
            centre[place], radius[place] = nearest
    return FootSpheres(centre, radius)


def _sphere(shape: ElementTree.Element, link: str) -> tuple[Array, float] | None:
    """Centre (3,) and radius [m] of a shape in its link; None if it is no sphere.

    Raises:
        SoftshellError: they are not three finite numbers, and one that is 0 or more.
    """
    sphere = shape.find('geometry/sphere')
    if sphere is None:
        return None
    origin = shape.find('origin')
    place = (origin.get('xyz') if origin is not None else None) or '0 0 0'
    size = sphere.get('radius', '0')
    try:
        x, y, z, radius = (float(value) for value in (*place.split(), size))
    except ValueError:
        x = y = z = radius = math.nan
    if not all(map(math.isfinite, (x, y, z, radius))) or radius < 0.0:
        raise SoftshellError(
            f'link {link!r}: a sphere has xyz {place!r} and radius {size!r}; expected three '
            'finite numbers, and one that is 0 or more'
        )
    return np.array([x, y, z]), radius
