"""A world as a MuJoCo model: bodies, joints, shapes, and the pairs of shapes that may touch.

MuJoCo's own collision rules take the larger friction of two shapes and have no restitution. So
they are switched off: every pair of shapes that may touch is an explicit `<pair>` of the model,
whose numbers `mujoco/surfaces.py` writes.
"""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import mujoco
import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.urdf import Joint, Urdf
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_kinematics.transforms import quaternion_from_rotation, rotation_about
from softshell_sim.bodies import (
    Body,
    ObjectSpec,
    RobotSpec,
    anisotropic_links,
)
from softshell_sim.contact.anisotropic_friction import AnisotropicFriction
from softshell_sim.contact.padding import grown, grown_urdf
from softshell_sim.joints.implicit_mass import implicit_inertia
from softshell_sim.joints.springs import Springs
from softshell_sim.mujoco.scene import CHEQUERED, decorate
from softshell_sim.mujoco.shapes import (
    HIDDEN,
    collision_shapes,
    geom_of,
    offset_of,
    visual_shapes,
)
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.shapes import mass_properties, parts_of
from softshell_sim.urdf.tree import from_the_root

#: Time constant of a joint limit, in steps.
LIMIT_STEPS = 2.0
#: Impedance of a joint limit, MuJoCo's `solimp`: its default, and where springs press on it.
LIMIT_IMPEDANCE = (0.9, 0.95, 0.001, 0.5, 2.0)
STOP_IMPEDANCE = (0.999, 0.999, 0.001, 0.5, 2.0)
#: Limit of a joint that has none on one side [rad] or [m].
FARTHEST = 1e9
#: How far the limits of a joint are moved apart, each, if they are equal [rad] or [m].
NARROWEST = 1e-6
#: Cylinders are turned by this about x [rad]. For an upright cylinder on a plane MuJoCo finds the
#: lowest point from the part of its axis that is not along the normal: if rounding has made that
#: axis a little shorter than 1, the point is below the ground, outside of the cylinder.
TILT = 1e-7
#: Vertices of a mesh at least.
FEWEST_VERTICES = 4
#: Versions whose Newton solver factors its Hessian wrongly with sparse Jacobians, which MuJoCo
#: uses from 60 degrees of freedom on: bodies that barely touch are thrown apart. Source: release
#: notes of MuJoCo 4.0.1, issue 3767.
WRONG_IF_SPARSE = ('4.0.0',)


@dataclass(eq=False)
class Member:
    """A body as it is added to a model.

    Attributes:
        body: the body.
        urdf: of a robot; None: it is an object.
        fixed: whether its root link stands still.
        self_collision: whether its links touch each other.
        padding: thickness of the layer round it [m].
        root: (4, 4) pose of its root link in the world; used if that stands still.
        shapes: collision shapes of each link, in the order of `Body.links`: (4, 4) pose in the
            link, and options of MuJoCo's geometry.
        masses: mass [kg], centre (3,) [m] and inertia (3, 3) about it [kg m^2] of each link.
        passing: pairs of links that do not touch.
        looks: visual shapes of each link; if there are none, the collision shapes are shown.
        rotor_inertia: (joints,) in the order of `Body.joints` [kg m^2] or [kg]; empty: none.
        springs: of the joints, in the same order; None: none.
        anisotropic: friction of links that have it, by their place.
    """

    body: Body
    urdf: Urdf | None
    fixed: bool
    self_collision: bool
    padding: float
    root: Array
    shapes: list[list[tuple[Array, dict[str, Any]]]]
    masses: list[tuple[float, Array, Array]]
    passing: set[tuple[int, int]] = field(default_factory=set)
    looks: list[list[tuple[Array, dict[str, Any]]]] = field(default_factory=list)
    rotor_inertia: tuple[float, ...] = ()
    springs: Springs | None = None
    anisotropic: Mapping[int, AnisotropicFriction] = field(default_factory=dict)

    def added(self, step: float) -> Array:
        """(joints,) inertia of its springs in an implicit step [kg m^2] or [kg]; `step` [s]."""
        if self.springs is None:
            return np.zeros(len(self.body.joints))
        return implicit_inertia(self.springs, step)

    @property
    def stands(self) -> bool:
        """Whether no part of it moves."""
        return self.fixed and len(self.body.links) == 1


def robot_member(spec: RobotSpec) -> Member:
    """The member of a robot.

    Raises:
        SoftshellError: its URDF or a mesh cannot be read, a collision mesh is flat, or a shape
            cannot be shrunk by the layer.
    """
    urdf = parse_urdf(spec.urdf)
    links = (urdf.root, *(joint.child for joint in from_the_root(urdf)))
    inside = -spec.padding if spec.preshrink else 0.0
    source = ElementTree.fromstring(grown_urdf(spec.name, spec.urdf, inside))
    elements = {element.get('name', ''): element for element in source.findall('link')}
    inertias = {link.name: (link.mass, link.com, link.inertia) for link in urdf.links}
    member = Member(
        Body(spec.name, links, spec.joints),
        urdf,
        spec.fixed,
        spec.self_collision,
        spec.padding,
        np.eye(4),
        [list(collision_shapes(elements[name])) for name in links],
        [inertias[name] for name in links],
    )
    member.rotor_inertia, member.springs = spec.rotor_inertia, spec.springs
    member.looks += [list(visual_shapes(source, elements[name])) for name in links]
    places = {name: place for place, name in enumerate(links)}
    member.passing |= {(places[joint.parent], places[joint.child]) for joint in urdf.joints}
    member.anisotropic = anisotropic_links(spec, links)
    return member


def object_member(spec: ObjectSpec) -> Member:
    """The member of an object.

    Raises:
        SoftshellError: its shape cannot be shrunk by the layer.
    """
    mass = spec.mass, *mass_properties(spec.shape, spec.mass)
    inside = -spec.padding if spec.preshrink else 0.0
    shapes = [
        (pose @ offset_of(part), geom_of(part))
        for pose, part in parts_of(grown(spec.name, spec.shape, inside))
    ]
    body = Body(spec.name, (spec.name,), ())
    fixed = spec.mass == 0.0
    member = Member(body, None, fixed, False, spec.padding, spec.pose.copy(), [shapes], [mass])
    member.anisotropic = anisotropic_links(spec, body.links)
    return member


def build(members: Sequence[Member], settings: EngineSettings) -> Any:
    """A compiled model; its elements are named by the places of member, link and shape.

    Raises:
        SoftshellError: MuJoCo refuses it.
    """
    spec, step = mujoco.MjSpec(), settings.time_step
    spec.compiler.degree = False
    spec.compiler.fusestatic = False
    option = spec.option
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = 10.0
    if mujoco.__version__ in WRONG_IF_SPARSE:
        option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    # Otherwise MuJoCo resets all bodies to their start when a number is not finite, and integrates
    # the damping of springs implicitly, which their inertia does (see `MujocoBodies`).
    off = mujoco.mjtDisableBit.mjDSBL_AUTORESET, mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    option.disableflags = sum(map(int, off))
    if settings.window:
        decorate(spec)
    for number, member in enumerate(members):
        _add(spec, number, member, step)
    for one, other in _touching(members):
        first, second = ('/'.join(map(str, place)) for place in (one, other))
        spec.add_pair(geomname1=first, geomname2=second, condim=3)
    try:
        return spec.compile()
    except ValueError as error:
        names = ', '.join(repr(member.body.name) for member in members)
        text = ' '.join(str(error).split())
        raise SoftshellError(f'MuJoCo cannot compile a world of {names}: {text}') from None


def _add(spec: Any, number: int, member: Member, step: float) -> None:
    """Add a body with its links, joints and shapes to a model; `step`: time step [s]."""
    parents: dict[str, Any] = {}
    joint_of = {} if member.urdf is None else {j.child: j for j in member.urdf.joints}
    rotors = member.rotor_inertia or np.zeros(len(member.body.joints))
    whole = (rotors + member.added(step)).tolist()
    armature = dict(zip(member.body.joints, whole, strict=True))
    for place, name in enumerate(member.body.links):
        joint = joint_of.get(name)
        frame = member.root if joint is None else joint.origin
        parent = spec.worldbody if joint is None else parents[joint.parent]
        body = parent.add_body(
            name=f'{number}/{place}', pos=frame[:3, 3], quat=mujoco_quaternion(frame[:3, :3])
        )
        parents[name] = body
        mass, centre, inertia = member.masses[place]
        if joint is not None or not member.fixed:
            i = inertia
            body.mass, body.ipos, body.explicitinertial = mass, centre, True
            body.fullinertia = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
        if joint is not None:
            slides = joint.type == 'prismatic'
            body.add_joint(
                name=f'{number}/{joint.name}',
                type=mujoco.mjtJoint.mjJNT_SLIDE if slides else mujoco.mjtJoint.mjJNT_HINGE,
                axis=joint.axis,
                limited=bool(np.isfinite([joint.lower, joint.upper]).any()),
                range=limits_of(joint),
                solref_limit=[LIMIT_STEPS * step, 1.0],
                solimp_limit=LIMIT_IMPEDANCE if member.springs is None else STOP_IMPEDANCE,
                armature=armature.get(joint.name, 0.0),
            )
        elif not member.fixed:
            body.add_freejoint(name=f'{number}/')
        looks = member.looks[place] if member.looks else []
        for count, (pose, options) in enumerate(member.shapes[place]):
            hidden = {'group': HIDDEN} if any(member.looks) else {}
            _add_shape(spec, body, f'{number}/{place}/{count}', pose, options | hidden)
        for count, (pose, options) in enumerate(looks):
            _add_shape(spec, body, f'{number}/{place}/look/{count}', pose, options)


def limits_of(joint: Joint) -> Array:
    """(2,) limits of a joint [rad] or [m], finite and not equal, as MuJoCo needs them."""
    ends = np.clip([joint.lower, joint.upper], -FARTHEST, FARTHEST)
    return ends + [-NARROWEST, NARROWEST] if ends[0] == ends[1] else ends


def _add_shape(spec: Any, body: Any, name: str, pose: Array, options: dict[str, Any]) -> None:
    """Add a shape at a (4, 4) pose in a body; `options`: as `geom_of` returns them."""
    options = dict(options)
    mesh = options.pop('mesh', None)
    if mesh is not None:
        # MuJoCo refuses a single triangle. A further vertex, in no face, does not change it.
        vertices = mesh.vertices
        if len(vertices) < FEWEST_VERTICES:
            vertices = np.concatenate([vertices, vertices[:1]])
        # The inertia of a mesh is not used; as that of a shell it needs no volume.
        spec.add_mesh(
            name=name, uservert=vertices.ravel(), userface=mesh.faces.ravel(),
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )  # fmt: skip
        options['meshname'] = name
    if 'heights' in options:
        options['hfieldname'] = name
        spec.add_hfield(name=name, **options.pop('heights'))
    if options['type'] == mujoco.mjtGeom.mjGEOM_PLANE and spec.material(CHEQUERED) is not None:
        options['material'] = CHEQUERED
    turn = pose[:3, :3]
    if options['type'] == mujoco.mjtGeom.mjGEOM_CYLINDER:
        turn = turn @ rotation_about((1.0, 0.0, 0.0), TILT)
    body.add_geom(
        name=name, pos=pose[:3, 3], quat=mujoco_quaternion(turn), mass=0.0, contype=0,
        conaffinity=0, **options,
    )  # fmt: skip


#: A shape: places of its member, of its link there, and of the shape in the link.
Place = tuple[int, int, int]


def _touching(members: Sequence[Member]) -> Iterator[tuple[Place, Place]]:
    """All pairs of shapes that may touch."""
    every = [
        [
            (number, place, count)
            for place, shapes in enumerate(member.shapes)
            for count in range(len(shapes))
        ]
        for number, member in enumerate(members)
    ]
    for number, member in enumerate(members):
        for one, other in combinations(every[number], 2) if member.self_collision else ():
            links = one[1], other[1]
            if links[0] != links[1] and not {links, links[::-1]} & member.passing:
                yield one, other
    for (first, shapes), (second, others) in combinations(zip(members, every, strict=True), 2):
        if not (first.stands and second.stands):
            yield from ((one, other) for one in shapes for other in others)


def mujoco_quaternion(rotation: Array) -> Array:
    """(4,) quaternion w, x, y, z, the order of MuJoCo, of a (3, 3) rotation."""
    return np.roll(quaternion_from_rotation(rotation), 1)
