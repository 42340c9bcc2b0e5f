"""Loading robots and objects into PyBullet, without the damping and motors that it adds."""

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import Body, ObjectSpec, RobotSpec
from softshell_sim.contact.padding import grown, grown_urdf
from softshell_sim.pybullet.meshes import grow_meshes, readable_meshes
from softshell_sim.pybullet.quietly import pybullet
from softshell_sim.pybullet.rotors import ballast_of, with_rotors
from softshell_sim.pybullet.shapes import make_object
from softshell_sim.shapes import Blocks, Ground, HeightField, Shape, mass_properties

#: Joints of a robot at most: PyBullet reports 128 numbers, of which the base takes seven.
MOST_JOINTS = 121
#: PyBullet cuts off velocities above this [m/s] or [rad/s], by default above 100.
FASTEST = 1e9
#: Position [m] and quaternion x, y, z, w.
Pose = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Numbers:
    """PyBullet's numbers of a body. Link k of `Body.links` is PyBullet's link k − 1.

    Args:
        body: number of the body.
        joints: numbers of the joints, in the order of `Body.joints`.
        neighbours: pairs of links that a joint connects, as places in `Body.links`.
        root_in_inertial: pose of the root link in its inertial frame; PyBullet places and reads
            the inertial frame.
        inertial_in_root: its inverse.
    """

    body: int
    joints: list[int]
    neighbours: set[tuple[int, int]]
    root_in_inertial: Pose
    inertial_in_root: Pose


def load_robot(client: int, spec: RobotSpec, step: float) -> tuple[Body, Numbers]:
    """Load a robot, its joints without PyBullet's own motors.

    Args:
        client: of PyBullet.
        spec: of the robot.
        step: duration of a step [s].

    Raises:
        SoftshellError: a mesh cannot be read, PyBullet cannot load its URDF, it has too many
            joints, a collision shape cannot have the layer, or a prismatic joint has a rotor
            inertia.
    """
    if len(spec.joints) > MOST_JOINTS:
        raise SoftshellError(
            f'robot {spec.name!r} has {len(spec.joints)} joints; expected {MOST_JOINTS} at most '
            'with PyBullet, or engine:=mujoco'
        )
    flags = pybullet.URDF_USE_INERTIA_FROM_FILE
    if spec.self_collision:
        flags |= pybullet.URDF_USE_SELF_COLLISION
    text, moments = with_rotors(spec, ballast_of(spec, step))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'robot.urdf'
        text = readable_meshes(_padded(spec, text, Path(folder)), Path(folder))
        path.write_text(text, encoding='utf-8')
        try:
            number = pybullet.loadURDF(
                str(path), useFixedBase=spec.fixed, flags=flags, physicsClientId=client
            )
        except pybullet.error as error:
            raise SoftshellError(
                f'robot {spec.name!r}: PyBullet cannot load its URDF: {error}'
            ) from error
    infos = [
        pybullet.getJointInfo(number, index, physicsClientId=client)
        for index in range(pybullet.getNumJoints(number, physicsClientId=client))
    ]
    root = pybullet.getBodyInfo(number, physicsClientId=client)[0].decode()
    places = {info[1].decode(): info[0] for info in infos}
    joints = [places[name] for name in spec.joints]
    if joints:
        pybullet.setJointMotorControlArray(
            number,
            joints,
            pybullet.VELOCITY_CONTROL,
            forces=[0.0] * len(joints),
            physicsClientId=client,
        )
    body = Body(spec.name, (root, *(info[12].decode() for info in infos)), spec.joints)
    for info in infos:
        if (link := info[12].decode()) in moments:
            pybullet.changeDynamics(
                number, info[0], localInertiaDiagonal=moments[link], physicsClientId=client
            )
    neighbours = {(info[16] + 1, info[0] + 1) for info in infos}
    return body, _numbers(client, body, number, joints, neighbours)


def add_object(client: int, spec: ObjectSpec) -> tuple[Body, Numbers]:
    """Add an object.

    Raises:
        SoftshellError: its shape cannot be grown by the layer.
    """
    raised = isinstance(spec.shape, Ground)
    solid = spec.shape
    if not (spec.preshrink or raised):
        solid = grown(spec.name, solid, spec.padding)
    number = make_object(client, solid, spec.mass, *mass_properties(spec.shape, spec.mass))
    body = Body(spec.name, (spec.name,), ())
    numbers = _numbers(client, body, number, [], set())
    if raised:
        offset = (0.0, 0.0, _middle(spec.shape) + spec.padding), (0.0, 0.0, 0.0, 1.0)
        numbers = replace(
            numbers,
            inertial_in_root=offset,
            root_in_inertial=pybullet.invertTransform(*offset),
        )
    return body, numbers


def _middle(ground: Shape) -> float:
    """Height in the frame of a ground of the point that PyBullet takes as its origin [m]."""
    if not isinstance(ground, HeightField) or isinstance(ground, Blocks):
        return 0.0
    return 0.5 * float(ground.heights.min() + ground.heights.max())


def _padded(spec: RobotSpec, urdf: str, folder: Path) -> str:
    """The URDF of a robot with its collision shapes grown; meshes are written to a folder."""
    if spec.preshrink or spec.padding == 0.0:
        return urdf
    urdf = grown_urdf(spec.name, urdf, spec.padding)
    return grow_meshes(spec.name, urdf, spec.padding, folder)


def _numbers(
    client: int, body: Body, number: int, joints: list[int], neighbours: set[tuple[int, int]]
) -> Numbers:
    """Switch off all damping of a body and its limit of speed, and return its numbers."""
    for link in range(-1, len(body.links) - 1):
        pybullet.changeDynamics(
            number,
            link,
            linearDamping=0.0,
            angularDamping=0.0,
            spinningFriction=0.0,
            rollingFriction=0.0,
            activationState=pybullet.ACTIVATION_STATE_DISABLE_SLEEPING,
            physicsClientId=client,
        )
        # In a call of its own: PyBullet ignores it next to an activation state. The damping of a
        # URDF would make light links unstable.
        pybullet.changeDynamics(number, link, jointDamping=0.0, physicsClientId=client)
    pybullet.changeDynamics(number, -1, maxJointVelocity=FASTEST, physicsClientId=client)
    info = pybullet.getDynamicsInfo(number, -1, physicsClientId=client)
    inertial = (info[3], info[4])
    return Numbers(number, joints, neighbours, pybullet.invertTransform(*inertial), inertial)
