"""Shapes of a URDF's links: what is harmless is left out and told, what is none is refused."""

import xml.etree.ElementTree as ElementTree

from softshell_kinematics.errors import SoftshellError
from softshell_sim.number_checks import LONGEST

#: Lengths of each primitive: attribute, and how many numbers it has.
LENGTHS = {
    'box': {'size': 3},
    'sphere': {'radius': 1},
    'cylinder': {'radius': 1, 'length': 1},
    'capsule': {'radius': 1, 'length': 1},
}
SHAPES = (*LENGTHS, 'mesh')


def is_kept(link: str, shape: ElementTree.Element, left_out: list[str]) -> bool:
    """Check a `<collision>` or `<visual>`, and leave out what is no shape in its geometry.

    Args:
        link: its name, for messages.
        shape: the element, from which what is no shape is taken out.
        left_out: gets a text for whatever is left out.

    Returns:
        Whether it has an extent. What is only seen and is flat has none either.

    Raises:
        SoftshellError: it has no shape, or lengths that no shape has; the text names the link.
    """
    where = f'link {link!r}, <{shape.tag}>'
    kinds = _shapes_of(where, shape, left_out)
    nothing = all if shape.tag == 'collision' else any
    for kind in kinds:
        lengths = [
            length
            for name, count in LENGTHS.get(kind.tag, {}).items()
            for length in _lengths(where, kind, name, count)
        ]
        if lengths and nothing(length == 0.0 for length in lengths):
            left_out.append(f'{where}: its {kind.tag} has no extent')
            return False
        if 0.0 in lengths:
            raise SoftshellError(
                f'{where}: a length of its {kind.tag} is 0 m; expected more than 0 for all'
            )
    return True


def _shapes_of(
    where: str, shape: ElementTree.Element, left_out: list[str]
) -> list[ElementTree.Element]:
    """The shapes in a geometry, from which all else is taken out.

    Raises:
        SoftshellError: there is something, and no shape.
    """
    geometry = shape.find('geometry')
    if geometry is None:
        return []
    kinds = [kind for kind in geometry if kind.tag in SHAPES]
    for other in [kind for kind in geometry if kind.tag not in SHAPES]:
        if not kinds:
            expected = ', '.join(SHAPES)
            raise SoftshellError(
                f'{where}: unknown shape <{other.tag}>; expected one of {expected}'
            )
        geometry.remove(other)
        left_out.append(f'{where}: <{other.tag}> in its <geometry> is no shape')
    return kinds


def _lengths(where: str, kind: ElementTree.Element, name: str, count: int) -> list[float]:
    """What an attribute of a shape says [m].

    Raises:
        SoftshellError: not so many numbers from 0 to the longest.
    """
    text = kind.get(name, '')
    try:
        lengths = [float(part) for part in text.split()]
    except ValueError:
        lengths = []
    if len(lengths) != count or not all(0.0 <= length <= LONGEST for length in lengths):
        numbers = 'a number' if count == 1 else f'{count} numbers'
        raise SoftshellError(
            f'{where}: {name} of its {kind.tag} is {text!r}; expected {numbers} of 0 to '
            f'{LONGEST:g} m'
        )
    return lengths
