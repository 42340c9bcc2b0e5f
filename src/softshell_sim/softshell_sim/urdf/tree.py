"""A robot's tree of links: poses, extent, mass matrix and inertia at the joints."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.urdf import Joint, Link, Urdf
from softshell_kinematics.model.urdf_reader import plain_xml
from softshell_kinematics.transforms import rotation_about, skew, transform
from softshell_sim.urdf.flatten import combined_inertia
from softshell_sim.urdf.parsed import KEPT
from softshell_sim.urdf.shapes import is_kept, origin_pose

#: Part of the largest moment of inertia by which rounding may make another negative.
ROUNDED = 1e-9


@lru_cache(maxsize=KEPT)
def from_the_root(urdf: Urdf) -> tuple[Joint, ...]:
    """All joints, each after the joint that moves its parent link."""
    known, waiting = {urdf.root}, list(urdf.joints)
    order: list[Joint] = []
    while waiting:
        ready = [joint for joint in waiting if joint.parent in known]
        order += ready
        known |= {joint.child for joint in ready}
        waiting = [joint for joint in waiting if joint.child not in known]
    return tuple(order)


def link_poses(urdf: Urdf, positions: Mapping[str, float]) -> dict[str, Array]:
    """Pose (4, 4) of each link in the root link.

    Args:
        urdf: the robot.
        positions: of each movable joint, by name [rad] or [m].
    """
    poses = {urdf.root: np.eye(4)}
    for joint in from_the_root(urdf):
        pose = poses[joint.parent] @ joint.origin
        if joint.type == 'prismatic':
            pose = pose @ transform(translation=joint.axis * positions[joint.name])
        elif joint.movable:
            # A wheel may have turned more often than `rotation_about` takes.
            angle = np.fmod(positions[joint.name], 2.0 * np.pi)
            pose = pose @ transform(rotation_about(joint.axis, angle))
        poses[joint.child] = pose
    return poses


def bounds(urdf: Urdf, text: str, positions: Mapping[str, float]) -> tuple[Array, Array]:
    """Lowest and highest coordinates (3,) of a robot in its root link [m].

    Boxes, spheres, cylinders and capsules count as the smallest ball about their centre that
    contains them, meshes as their origin; the origins of all links count, too. Shapes that are
    wrong do not: they are refused where a robot with them is loaded or shown.

    Args:
        urdf, text: the robot, and the text it was read from.
        positions: of each movable joint, by name [rad] or [m].
    """
    poses = link_poses(urdf, positions)
    points = [(pose[:3, 3], 0.0) for pose in poses.values()]
    points += [((poses[link] @ place)[:3], radius) for link, place, radius in _balls(text)]
    low = np.min([point - radius for point, radius in points], axis=0)
    return low, np.max([point + radius for point, radius in points], axis=0)


@lru_cache(maxsize=KEPT)
def _balls(text: str) -> tuple[tuple[str, Array, float], ...]:
    """Link, centre (4,) and radius of the ball about each shape of a URDF, as `bounds` has it."""
    found = []
    for element in ElementTree.fromstring(plain_xml(text)).findall('link'):
        name = element.get('name', '')
        for shape in (*element.findall('visual'), *element.findall('collision')):
            if _has_extent(name, shape):
                found.append((name, origin_pose(shape)[:, 3], _radius(shape)))
    return tuple(found)


def joint_inertia(
    urdf: Urdf,
    positions: Mapping[str, float],
    fixed: bool,
    rotors: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Inertia that acts on each movable joint j while all others are free [kg m^2] or [kg].

    It is 1 / (M⁻¹)_jj with the mass matrix M = Σ m Jvᵀ Jv + Jωᵀ I Jω over the links, Jv and Jω
    the Jacobians of a link's centre of mass and of its rotation.

    Args:
        urdf: the robot.
        positions: of each movable joint, by name [rad] or [m].
        fixed: whether its root link is fixed; otherwise it is free to move.
        rotors: inertia of the motors' rotors at the joints, by name [kg m^2] or [kg].

    Raises:
        SoftshellError: parts without mass or inertia can move; the text names them.
    """
    names = [joint.name for joint in urdf.joints if joint.movable]
    refuse_weightless(urdf, fixed)
    matrix = mass_matrix(urdf, positions)
    if rotors is not None:
        own = np.arange(6, len(matrix))
        matrix[own, own] += [rotors[name] for name in names]
    if fixed:
        matrix = matrix[6:, 6:]
    felt = 1.0 / np.diag(np.linalg.inv(matrix))[len(matrix) - len(names) :]
    return dict(zip(names, felt.tolist(), strict=True))


def mass_matrix(urdf: Urdf, positions: Mapping[str, float]) -> Array:
    """Mass matrix (6 + joints, 6 + joints), movable joints in the order of the URDF.

    The first six coordinates are the velocity of the root link's origin [m/s] and its angular
    velocity [rad/s], both along its axes.
    """
    poses = link_poses(urdf, positions)
    column = {
        name: 6 + place
        for place, name in enumerate(joint.name for joint in urdf.joints if joint.movable)
    }
    matrix = np.zeros((6 + len(column), 6 + len(column)))
    for link in urdf.links:
        if link.mass == 0.0 and not link.inertia.any():
            continue
        turn = poses[link.name][:3, :3]
        centre = poses[link.name][:3, 3] + turn @ link.com
        linear, angular = np.zeros((3, len(matrix))), np.zeros((3, len(matrix)))
        linear[:, :3], linear[:, 3:6], angular[:, 3:6] = np.eye(3), -skew(centre), np.eye(3)
        for joint in urdf.ancestry(link.name):
            if not joint.movable:
                continue
            child = poses[joint.child]
            axis = child[:3, :3] @ joint.axis
            if joint.type == 'prismatic':
                linear[:, column[joint.name]] = axis
            else:
                linear[:, column[joint.name]] = np.cross(axis, centre - child[:3, 3])
                angular[:, column[joint.name]] = axis
        inertia = turn @ link.inertia @ turn.T
        matrix += link.mass * linear.T @ linear + angular.T @ inertia @ angular
    return matrix


@lru_cache(maxsize=KEPT)
def refuse_weightless(urdf: Urdf, fixed: bool) -> None:
    """Check that everything that can move has mass and inertia, and no negative moment.

    Args:
        urdf: the robot.
        fixed: whether its root link is fixed.

    Raises:
        SoftshellError: parts have none, or one that no body has; the text names them.
    """
    members: dict[str, list[Link]] = {body: [] for body, _ in urdf.bodies.values()}
    for link in urdf.links:
        members[urdf.bodies[link.name][0]].append(link)
    if fixed:
        del members[urdf.root]
    for lacks, element, value in (
        ('mass', '<inertial>', lambda link: link.mass),
        ('inertia', '<inertia> in the <inertial>', lambda link: np.trace(link.inertia)),
    ):
        empty = [body for body, links in members.items() if sum(map(value, links)) <= 0.0]
        if empty:
            stands = (
                ', or fixed: true, so that the root stands still' if urdf.root in empty else ''
            )
            raise SoftshellError(
                f'robot {urdf.name!r}: {", ".join(empty)} can move and has no {lacks}; expected '
                f'{element} of that link, or of one that is fixed to it{stands}'
            )
    for body, links in members.items():
        whole = combined_inertia(links, [urdf.bodies[link.name][1] for link in links])
        moments = np.linalg.eigvalsh(whole.inertia)
        if moments[0] < -ROUNDED * moments[2]:
            raise SoftshellError(
                f'robot {urdf.name!r}: principal moments of inertia of {body}, with all that is '
                f'fixed to it, are {", ".join(f"{moment:g}" for moment in moments)} kg m^2; '
                'expected none below 0'
            )


def _has_extent(link: str, shape: ElementTree.Element) -> bool:
    """Whether a shape of a link has an extent, and no wrong numbers."""
    try:
        return is_kept(link, shape, [])
    except SoftshellError:
        return False


def _radius(shape: ElementTree.Element) -> float:
    """Radius [m] of the smallest ball about a shape's origin that contains the shape."""
    geometry = shape.find('geometry')
    for kind in geometry if geometry is not None else ():
        if kind.tag == 'box':
            return float(np.linalg.norm([float(v) for v in kind.get('size', '0').split()]) / 2)
        if kind.tag in ('sphere', 'cylinder', 'capsule'):
            radius, length = (float(kind.get(key, '0')) for key in ('radius', 'length'))
            round_ends = kind.tag == 'capsule'
            return radius + length / 2 if round_ends else float(np.hypot(radius, length / 2))
    return 0.0
