"""Soft manipulators as URDF.

URDF has no springs: only the definition has them. Joints have `<dynamics>` with damping and
friction. Numbers are written with all their digits, so that they are read back exactly.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence

from softshell_continuum.forms import JointKind, MaterialForm
from softshell_continuum.parts import Part, Solid
from softshell_continuum.shapes import Shape
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import coordinates_from_pose


def urdf(name: str, parts: Iterable[Part]) -> str:
    """The URDF of a robot of these bodies, indented.

    Args:
        name: of the robot.
        parts: its bodies, of which the first is the root.
    """
    root = ET.Element('robot', name=name)
    add_parts(root, parts)
    ET.indent(root)
    return ET.tostring(root, encoding='unicode', xml_declaration=True) + '\n'


def add_parts(root: ET.Element, parts: Iterable[Part]) -> None:
    """Add bodies to the root element of a URDF, which has the links that they are attached to."""
    known = {
        each.get('name', ''): colour.get('rgba', '')
        for each in root.iter('material')
        if (colour := each.find('color')) is not None
    }
    for part in parts:
        link = ET.SubElement(root, 'link', name=part.name)
        if part.mass > 0.0:
            inertial = ET.SubElement(link, 'inertial')
            ET.SubElement(inertial, 'origin', xyz=_text(part.centre))
            ET.SubElement(inertial, 'mass', value=_text([part.mass]))
            i = part.inertia
            values = {
                'ixx': i[0, 0], 'ixy': i[0, 1], 'ixz': i[0, 2],
                'iyy': i[1, 1], 'iyz': i[1, 2], 'izz': i[2, 2],
            }  # fmt: skip
            ET.SubElement(inertial, 'inertia', {key: _text([v]) for key, v in values.items()})
        for solid in part.solids:
            visual = ET.SubElement(link, 'visual')
            _add_solid(visual, solid)
            _add_material(visual, solid.link.material, known)
        for solid in part.solids:
            _add_solid(ET.SubElement(link, 'collision'), solid)
        if part.parent:
            _add_joint(root, part)


def _add_material(visual: ET.Element, material: MaterialForm, known: dict[str, str]) -> None:
    """Add a material; its name gets a number where another colour has it, since all share names.

    Args:
        visual: that is made of it.
        material: the material.
        known: names and colours of the materials before, which the new one is added to.
    """
    name, colour, number = material.name, _text(material.colour), 1
    while known.get(name, colour) != colour:
        number += 1
        name = f'{material.name}_{number}'
    element = ET.SubElement(visual, 'material', name=name)
    if name not in known:
        known[name] = colour
        ET.SubElement(element, 'color', rgba=colour)


def _add_joint(root: ET.Element, part: Part) -> None:
    """Add the joint between a body and its parent."""
    name = part.joint_name or f'{part.name}_fixed'
    kind = 'fixed' if part.joint is None else part.joint.kind.value
    joint = ET.SubElement(root, 'joint', name=name, type=kind)
    ET.SubElement(joint, 'parent', link=part.parent)
    ET.SubElement(joint, 'child', link=part.name)
    _add_origin(joint, part.pose)
    if part.joint is None:
        return
    ET.SubElement(joint, 'axis', xyz=_text(part.joint.axis))
    limits = part.joint.limits
    stops = part.joint.kind is JointKind.REVOLUTE
    ends = {'lower': limits.lower, 'upper': limits.upper} if stops else {}
    values = {**ends, 'effort': limits.effort, 'velocity': limits.velocity}
    ET.SubElement(joint, 'limit', {key: _text([value]) for key, value in values.items()})
    if part.joint.damping or part.joint.friction:
        ET.SubElement(
            joint,
            'dynamics',
            damping=_text([part.joint.damping]),
            friction=_text([part.joint.friction]),
        )


def _add_solid(parent: ET.Element, solid: Solid) -> None:
    """Add the geometry of a visual or a collision, and its origin."""
    _add_origin(parent, solid.pose)
    geometry = ET.SubElement(parent, 'geometry')
    match solid.shape:
        case Shape.BOX:
            ET.SubElement(geometry, 'box', size=_text(solid.dimensions))
        case Shape.SPHERE:
            ET.SubElement(geometry, 'sphere', radius=_text(solid.dimensions))
        case shape:
            long, radius = solid.dimensions
            sizes = {'length': _text([long]), 'radius': _text([radius])}
            ET.SubElement(geometry, shape.value, sizes)


def _add_origin(parent: ET.Element, pose: Array) -> None:
    x, y, z, yaw, pitch, roll = coordinates_from_pose(pose)
    ET.SubElement(parent, 'origin', xyz=_text([x, y, z]), rpy=_text([roll, pitch, yaw]))


def _text(values: Sequence[float] | Array) -> str:
    return ' '.join(repr(float(value) + 0.0) for value in values)
