"""A world as a MuJoCo model: bodies, joints, shapes, and the pairs of shapes that may touch."""

from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.urdf import Joint
from softshell_kinematics.transforms import quaternion_from_rotation, rotation_about
from softshell_sim.bodies import Body
from softshell_sim.mujoco.member import Member
from softshell_sim.mujoco.pairs import add_pairs
from softshell_sim.mujoco.scene import CHEQUERED, decorate
from softshell_sim.mujoco.shapes import HIDDEN
from softshell_sim.physics.engine_settings import EngineSettings

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


def build(members: Sequence[Member], settings: EngineSettings, masks: Mapping[Body, int]) -> Any:
    """A compiled model; its elements are named by the places of member, link and shape.

    Args:
        members: its bodies.
        settings: of the engine.
        masks: of robots whose links touch each other by MuJoCo's rules (see `masks_of`).

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
        _add(spec, number, member, step, masks.get(member.body, 0))
    add_pairs(spec, members, masks)
    try:
        return spec.compile()
    except ValueError as error:
        names = ', '.join(repr(member.body.name) for member in members)
        text = ' '.join(str(error).split())
        raise SoftshellError(f'MuJoCo cannot compile a world of {names}: {text}') from None


def _add(spec: Any, number: int, member: Member, step: float, mask: int) -> None:
    """Add a body with its links, joints and shapes, which touch by a mask, to a model.

    Args:
        spec: the model.
        number, member: the body, and its place among all.
        step: time step [s].
        mask: of its collision shapes; 0: they do not touch by MuJoCo's rules.
    """
    touching = {'contype': mask, 'conaffinity': mask, 'margin': member.padding}
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
            more = hidden | touching
            _add_shape(spec, body, f'{number}/{place}/{count}', pose, options | more)
        for count, (pose, options) in enumerate(looks):
            name = f'{number}/{place}/look/{count}'
            _add_shape(spec, body, name, pose, options | {'contype': 0, 'conaffinity': 0})


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
        name=name, pos=pose[:3, 3], quat=mujoco_quaternion(turn), mass=0.0, condim=3, **options,
    )  # fmt: skip


def mujoco_quaternion(rotation: Array) -> Array:
    """(4,) quaternion w, x, y, z, the order of MuJoCo, of a (3, 3) rotation."""
    x, y, z, w = quaternion_from_rotation(rotation)
    return np.array([w, x, y, z])
