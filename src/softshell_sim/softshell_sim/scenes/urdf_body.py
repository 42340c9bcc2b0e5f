"""A body of links and joints that no motor moves, from a URDF."""

import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from softshell_description.expand import resolve_meshes
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.urdf_reader import xml_text
from softshell_sim.bodies import RobotSpec, Surface
from softshell_sim.joints.springs import Springs
from softshell_sim.urdf.flatten import flatten
from softshell_sim.urdf.parsed import parsed


def urdf_body(
    name: str, path: Path, fixed: bool, surface: Surface, layer: tuple[float, bool]
) -> RobotSpec:
    """A body as a URDF describes it, with the damping and dry friction of its joints.

    A warning names the joints that mimic others: without a motor nothing makes them do so.

    Args:
        name: of the body.
        path: of the URDF.
        fixed: whether its root link is fixed in the world.
        surface: how it touches others.
        layer: its `padding` and `preshrink`.

    Raises:
        SoftshellError: the file cannot be read, or is wrong; the text names the part.
    """
    try:
        text = xml_text(path.read_bytes())
    except (OSError, SoftshellError) as error:
        raise SoftshellError(f'urdf {str(path)!r} cannot be read: {error}') from None
    free = [joint.name for joint in parsed(text).joints if joint.mimic is not None]
    if free:
        warnings.warn(
            f'body {name!r}: joints that mimic others move freely, as it has no motors: '
            f'{", ".join(free)}',
            stacklevel=2,
        )
    flat = flatten(text, visuals=True).text
    joints = tuple(joint.name for joint in parsed(flat).joints)
    urdf, springs = resolve_meshes(flat, path.parent), _dampers(flat, joints)
    return RobotSpec(name, urdf, joints, fixed, False, surface, *layer, springs=springs)


def _dampers(text: str, joints: Sequence[str]) -> Springs | None:
    """Damping and dry friction, as `<dynamics>` of the joints states them; None: none.

    Raises:
        SoftshellError: one is no number, or below 0; the text names the joint.
    """
    stated = {
        element.get('name'): element.find('dynamics')
        for element in ElementTree.fromstring(text).findall('joint')
    }
    values = np.zeros((2, len(joints)))
    for row, key in zip(values, ('damping', 'friction'), strict=True):
        for place, joint in enumerate(joints):
            dynamics = stated[joint]
            number = '0' if dynamics is None else dynamics.get(key, '0')
            try:
                row[place] = float(number)
            except ValueError:
                row[place] = np.nan
            if not 0.0 <= row[place] < np.inf:
                raise SoftshellError(
                    f'joint {joint!r}: {key} is {number!r}; expected a number, 0 or more'
                )
    return Springs.of(0.0, values[0], 0.0, values[1]) if values.any() else None
