"""Shapes of a URDF's links: which are kept, left out or refused, and where they are."""

import xml.etree.ElementTree as ElementTree

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_from_angles
from softshell_sim.number_checks import LONGEST

#: Numbers of each shape, which are 0 where it has no extent: attribute, and how many.
LENGTHS = {
    'box': {'size': 3},
    'sphere': {'radius': 1},
    'cylinder': {'radius': 1, 'length': 1},
    'capsule': {'radius': 1, 'length': 1},
    'mesh': {'scale': 3},
}
#: Numbers that may be left out, or negative.
DEFAULTS = {'scale': '1 1 1', 'xyz': '0 0 0', 'rpy': '0 0 0'}
#: Units of numbers other than lengths [m].
UNITS = {'scale': '', 'rpy': ' rad'}
#: Attribute of a shape that `flatten` moved to another link: the name of its own.
FROM = 'from_link'


def origin_pose(element: ElementTree.Element) -> Array:
    """(4, 4) pose that the `<origin>` of a shape or joint states; without one the identity."""
    pose, origin = np.eye(4), element.find('origin')
    if origin is not None:
        xyz, rpy = ((origin.get(key) or '0 0 0').split() for key in ('xyz', 'rpy'))
        pose[:3, 3] = [float(value) for value in xyz]
        pose[:3, :3] = rotation_from_angles([float(value) for value in reversed(rpy)])
    return pose


def colour_of(rgba: str) -> list[float]:
    """Red, green, blue and opacity from the attribute of a `<color>`, clipped to 0 to 1.

    Raises:
        SoftshellError: these are not three or four finite numbers.
    """
    try:
        values = [float(value) for value in rgba.split()]
    except ValueError:
        values = []
    if len(values) not in (3, 4) or not np.isfinite(values).all():
        raise SoftshellError(f'colour is {rgba!r}; expected four numbers from 0 to 1')
    return [min(max(value, 0.0), 1.0) for value in [*values, 1.0][:4]]


def label_of(link: str, shape: ElementTree.Element) -> str:
    """What a `<collision>` or `<visual>` is called in messages.

    Args:
        link: name of the link that has it.
        shape: the element; after `flatten` it says itself if it came from another link.
    """
    return f'link {shape.get(FROM, link)!r}, <{shape.tag}>'


def is_kept(link: str, shape: ElementTree.Element, left_out: list[str]) -> bool:
    """Whether a `<collision>` or `<visual>` is kept: one without extent is not.

    A collision has no extent if all of its lengths are 0, a visual if any of them is.

    Args:
        link: name of its link, for messages.
        shape: the element; what is no shape is removed from its geometry.
        left_out: gets a text for everything that is left out.

    Raises:
        SoftshellError: its shape is unknown, or it has numbers that no shape can have; the text
            names the link.
    """
    where = label_of(link, shape)
    if (origin := shape.find('origin')) is not None:
        for name in ('xyz', 'rpy'):
            _numbers(where, origin, name, 3)
    kinds = _shapes_of(where, shape, left_out)
    if not kinds:
        return False
    nothing = all if shape.tag == 'collision' else any
    for kind in kinds:
        lengths = [
            length
            for name, count in LENGTHS.get(kind.tag, {}).items()
            for length in _numbers(where, kind, name, count)
        ]
        if lengths and nothing(length == 0.0 for length in lengths):
            left_out.append(f'{where}: its {kind.tag} has no extent')
            return False
        if 0.0 in lengths:
            raise SoftshellError(
                f'{where}: a length of its {kind.tag} is 0 m; expected no length of 0'
            )
    return True


def _shapes_of(
    where: str, shape: ElementTree.Element, left_out: list[str]
) -> list[ElementTree.Element]:
    """The shapes in a geometry, from which everything else is removed.

    Raises:
        SoftshellError: it is not empty, and has no shape.
    """
    geometry = shape.find('geometry')
    if geometry is None:
        return []
    kinds = [kind for kind in geometry if kind.tag in LENGTHS]
    for other in [kind for kind in geometry if kind.tag not in LENGTHS]:
        if not kinds:
            expected = ', '.join(LENGTHS)
            raise SoftshellError(
                f'{where}: unknown shape <{other.tag}>; expected one of {expected}'
            )
        geometry.remove(other)
        left_out.append(f'{where}: <{other.tag}> in its <geometry> is no shape')
    return kinds


def _numbers(where: str, element: ElementTree.Element, name: str, count: int) -> list[float]:
    """Numbers that an attribute of a shape or of its origin states.

    Raises:
        SoftshellError: they are not `count` numbers from 0, or −`LONGEST`, to `LONGEST`.
    """
    text = element.get(name) or DEFAULTS.get(name, '')
    least = -LONGEST if name in DEFAULTS else 0.0
    try:
        numbers = [float(part) for part in text.split()]
    except ValueError:
        numbers = []
    if name == 'scale' and len(numbers) == 1:
        numbers *= count  # one for all axes: not in the standard, but usual
    if len(numbers) != count or not all(least <= number <= LONGEST for number in numbers):
        expected = 'a number' if count == 1 else f'{count} numbers'
        raise SoftshellError(
            f'{where}: {name} of its {element.tag} is {text!r}; expected {expected} of {least:g} '
            f'to {LONGEST:g}{UNITS.get(name, " m")}'
        )
    return numbers
