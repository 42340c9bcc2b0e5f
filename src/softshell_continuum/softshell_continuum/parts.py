"""The rigid bodies of a soft manipulator, and the joints between them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from softshell_continuum.forms import (
    ActuatorForm,
    AssemblyForm,
    JointForm,
    LinkForm,
    ManipulatorForm,
    Pose,
)
from softshell_continuum.shapes import Shape, lowered
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import pose_from_coordinates, shift

#: Distance at which a disc counts as at the end of a link, as part of the backbone.
SLACK = 1e-9
#: Mass and inertia of a body between two joints at the same place, as part of its link's.
BETWEEN = 1e-3


@dataclass(frozen=True, eq=False)
class Solid:
    """One shape of a body.

    Attributes:
        shape, dimensions: as in `shapes.py` [m].
        pose: (4, 4) of its centre in the body's frame.
        link: that it is part of, with its material.
    """

    shape: Shape
    dimensions: tuple[float, ...]
    pose: Array
    link: LinkForm


@dataclass(frozen=True, eq=False)
class Part:
    """A rigid body and the joint between it and its parent.

    Attributes:
        name: of the body.
        parent: name of the body that it is attached to; empty: it is the root.
        pose: (4, 4) of its frame in that of the parent, with the joint at 0.
        joint: that moves it; None: it is fixed.
        joint_name: of the joint.
        mass: [kg].
        centre: (3,) of the mass, in its frame [m].
        inertia: (3, 3) about this centre [kg m^2].
        solids: its shapes.
        begin: (3,) in its frame, from where its shape goes along z [m].
        height: of the shape, from there to where the next body is attached [m].
        soft: whether this height is part of the backbone, unlike that of a base or a tip.
        actuator: number of the actuator that it is part of; -1: none.
    """

    name: str
    parent: str
    pose: Array
    joint: JointForm | None = None
    joint_name: str = ''
    mass: float = 0.0
    centre: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    solids: tuple[Solid, ...] = ()
    begin: Array = field(default_factory=lambda: np.zeros(3))
    height: float = 0.0
    soft: bool = False
    actuator: int = -1

    @property
    def end(self) -> Array:
        """(4, 4) pose, in its frame, at which the next body is attached."""
        return shift(*(self.begin + [0.0, 0.0, self.height]))

    @property
    def length(self) -> float:
        """Length of the backbone on it [m]."""
        return self.height if self.soft else 0.0


def parts_of_manipulator(
    form: ManipulatorForm, prefix: str = '', parent: str = '', pose: Array | None = None
) -> list[Part]:
    """The bodies of a manipulator, from its base to its tips.

    Args:
        form: the manipulator.
        prefix: with which all names begin.
        parent: body that it is fixed to; empty: none.
        pose: (4, 4) of its origin in that body's frame.
    """
    at = np.eye(4) if pose is None else pose
    if form.base is None:
        parts = [Part(f'{prefix}base', parent, at)]
    else:
        parts = [_rigid(f'{prefix}base', parent, at, form.base)]
    for number, actuator in enumerate(form.actuators):
        added = _actuator(f'{prefix}{number}', parts[-1], actuator)
        parts += [replace(part, actuator=number) for part in added]
    last = parts[-1]
    for number, tip in enumerate(form.tips):
        parts.append(_rigid(f'{prefix}tip_{number}', last.name, last.end, tip))
    soft = [part for part in parts if part.soft]
    ends = np.cumsum([part.length for part in soft])
    for number, disc in enumerate(form.discs):
        place = min(int(np.searchsorted(ends, disc.at - SLACK * ends[-1])), len(soft) - 1)
        on, height = soft[place], disc.link.height
        above = disc.at - (ends[place] - on.length) - 0.5 * height
        pose = shift(*(on.begin + [0.0, 0.0, above]))
        parts.append(_rigid(f'{prefix}disc_{number}', on.name, pose, disc.link))
    return parts


def parts_of_assembly(form: AssemblyForm) -> list[Part]:
    """The bodies of an assembly, `form`: its origin, then those of each member in turn.

    Raises:
        SoftshellError: a body of a member has the name of one before it.
    """
    root = Part('base', '', np.eye(4))
    ends: dict[str | None, Part] = {None: root}
    parts = [root]
    added: list[Part]
    for member in form.members:
        before = ends[member.parent]
        pose = before.end @ _pose(member.pose)
        if member.manipulator is not None:
            added = parts_of_manipulator(member.manipulator, f'{member.name}_', before.name, pose)
            last = next(part for part in reversed(added) if part.soft)
        else:
            assert member.link is not None
            added = [_rigid(member.name, before.name, pose, member.link)]
            last = added[0]
        taken = {part.name for part in parts}.intersection(part.name for part in added)
        if taken:
            raise SoftshellError(
                f'two bodies of {form.name!r} are named {min(taken)!r}, the second in member '
                f'{member.name!r}; expected another name of this member'
            )
        parts += added
        ends[member.name] = last
    return parts


def _actuator(name: str, before: Part, form: ActuatorForm) -> Iterator[Part]:
    """Half a link that is fixed to the body before, then a link after the joints of each place."""
    half = _scaled(form.link, 0.5)
    previous = _rigid(f'{name}_root', before.name, before.end, half, soft=True)
    yield previous
    for place in range(form.n_segments):
        joints = form.joints_at(place)
        link = form.link if place < form.n_segments - 1 else half
        at, parent = previous.end, previous.name
        beside = np.zeros(3)
        for number, joint in enumerate(joints):
            axis = np.array(joint.neutral_axis)
            pose = at @ shift(*(axis - beside))
            body, joint_name = f'{name}_{place}', f'{name}_{place}_bend'
            if len(joints) > 1:
                joint_name = f'{joint_name}_{number}'
            if number < len(joints) - 1:
                between = Part(
                    f'{body}_{number}', parent, pose, joint, joint_name,
                    BETWEEN * link.mass, -axis, BETWEEN * link.inertia_matrix,
                )  # fmt: skip
                yield between
                at, parent, beside = np.eye(4), between.name, axis
            else:
                previous = _rigid(body, parent, pose, link, joint, joint_name, soft=True)
                yield previous


def _rigid(
    name: str,
    parent: str,
    pose: Array,
    link: LinkForm,
    joint: JointForm | None = None,
    joint_name: str = '',
    soft: bool = False,
) -> Part:
    """A body of one link; without a joint it is fixed to its parent."""
    begin = -np.array(joint.neutral_axis) if joint is not None else np.zeros(3)
    shape = link.shape
    centre = shift(*(begin + [0.0, 0.0, 0.5 * link.height])) @ _pose(link.offset)
    turned = centre[:3, :3]
    solids = [Solid(_plain(shape), link.dimensions, centre, link)]
    if joint is not None and shape is Shape.STADIUM and abs(joint.axis[2]) < 0.5:
        solids.append(_knuckle(link, joint, begin))
    return Part(
        name, parent, pose, joint, joint_name, link.mass, centre[:3, 3],
        turned @ link.inertia_matrix @ turned.T, tuple(solids), begin, link.height, soft,
    )  # fmt: skip


def _knuckle(link: LinkForm, joint: JointForm, begin: Array) -> Solid:
    """The cylinder of a stadium about its joint, along x or y, whichever is nearer to the axis."""
    wide, deep, _ = link.dimensions
    if abs(joint.axis[0]) >= abs(joint.axis[1]):
        pose, dimensions = _pose((0.0, 0.0, 0.0, 0.0, 0.5 * math.pi, 0.0)), (wide, 0.5 * deep)
    else:
        pose, dimensions = _pose((0.0, 0.0, 0.0, 0.5 * math.pi, 0.0, 0.0)), (deep, 0.5 * wide)
    return Solid(Shape.CYLINDER, dimensions, shift(*begin) @ pose, link)


def _plain(shape: Shape) -> Shape:
    """A shape without the cylinder of a stadium."""
    return Shape.BOX if shape is Shape.STADIUM else shape


def _scaled(link: LinkForm, factor: float) -> LinkForm:
    """A link whose height, mass and inertia are multiplied by a factor."""
    inertia = None
    if link.inertia is not None:
        inertia = tuple(factor * value for value in link.inertia)
    dimensions = lowered(link.shape, link.dimensions, factor)
    changes = {'dimensions': dimensions, 'mass': factor * link.mass, 'inertia': inertia}
    return link.model_copy(update=changes)


def _pose(pose: Pose) -> Array:
    """(4, 4) of x, y, z, roll, pitch, yaw."""
    x, y, z, roll, pitch, yaw = pose
    matrix: Array = pose_from_coordinates([x, y, z, yaw, pitch, roll])
    return matrix
