"""A URDF's links and joints as plain numbers, without ROS."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError

#: Types of joints that chains are made of: each has one coordinate, or none.
CHAIN_TYPES = ('revolute', 'continuous', 'prismatic', 'fixed')
#: Types of joints with several coordinates, which no chain can cross.
LOOSE_TYPES = ('floating', 'planar')
JOINT_TYPES = (*CHAIN_TYPES, *LOOSE_TYPES)


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: position = multiplier · position(joint) + offset.

    The other joint mimics none: of a line of mimics in the URDF it is the joint at the end.

    Attributes:
        joint: name of the joint that is followed.
        multiplier: [-]
        offset: [rad] or [m]
    """

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid body.

    Args:
        name: of the link.
        mass: [kg]; 0 for a link that is only a frame.
        com: (3,) centre of mass [m] in the link frame.
        inertia: (3, 3) about the centre of mass, along the link frame's axes [kg m^2]; 0 where
            the URDF gives none.
    """

    name: str
    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))


def parallel_axis(mass: float, arm: Array) -> Array:
    """(3, 3) by how much an inertia about a point exceeds that about the centre of mass [kg m^2].

    Args:
        mass: of the body [kg].
        arm: (3,) from the point to the centre of mass [m].
    """
    more: Array = mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return more


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between two links.

    Args:
        name: of the joint.
        type: one of `JOINT_TYPES`.
        parent, child: names of links.
        origin: (4, 4) pose of the joint frame (and of the child at 0) in the parent link.
        axis: (3,) unit vector in the joint frame; of a planar joint the normal of its plane, of a
            fixed or floating one without meaning.
        lower, upper: limits [rad or m]; infinite where the URDF gives none.
        effort: largest effort [N m or N]; infinite where the URDF gives none.
        velocity: largest speed [rad/s or m/s]; infinite where the URDF gives none.
        mimic: the joint that it follows; None if it moves by itself.
        problem: why it cannot follow the joint that it mimics; empty if nothing is wrong.
    """

    name: str
    type: str
    parent: str
    child: str
    origin: Array
    axis: Array
    lower: float
    upper: float
    effort: float
    velocity: float
    mimic: Mimic | None = None
    problem: str = ''

    @property
    def movable(self) -> bool:
        """Whether its type lets its two links move against each other; see `still`."""
        return self.type != 'fixed'

    @property
    def still(self) -> bool:
        """Whether its two links never move: it is fixed, or mimics with a multiplier of 0."""
        return not self.movable or (self.mimic is not None and self.mimic.multiplier == 0.0)

    @property
    def loose(self) -> bool:
        """Whether no chain can cross it: it has several coordinates, or a `problem`."""
        return self.type in LOOSE_TYPES or bool(self.problem)


@dataclass(frozen=True)
class Urdf:
    """A robot: a tree of links.

    Attributes:
        name: of the robot.
        links, joints: in the order of the file.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]

    @property
    def root(self) -> str:
        """Name of the link that is no joint's child."""
        children = {joint.child for joint in self.joints}
        return next(link.name for link in self.links if link.name not in children)

    @property
    def leaves(self) -> tuple[str, ...]:
        """Names of the links without children; children across a loose joint do not count."""
        parents = {joint.parent for joint in self.joints if not joint.loose}
        return tuple(link.name for link in self.links if link.name not in parents)

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return sum(link.mass for link in self.links)

    def link(self, name: str) -> Link:
        """The link of this name.

        Raises:
            UnknownNameError: the robot has no link of this name.
        """
        return _named(self.links, 'link', name)

    def joint(self, name: str) -> Joint:
        """The joint of this name.

        Raises:
            UnknownNameError: the robot has no joint of this name.
        """
        return _named(self.joints, 'joint', name)

    @cached_property
    def carriers(self) -> dict[str, Joint]:
        """By link: the joint whose child it is; the root has none."""
        return {joint.child: joint for joint in self.joints}

    def ancestry(self, link: str) -> tuple[Joint, ...]:
        """The joints from a link up to the root.

        Raises:
            UnknownNameError: the robot has no link of that name.
        """
        self.link(link)
        joints: list[Joint] = []
        while link in self.carriers:
            joints.append(self.carriers[link])
            link = joints[-1].parent
        return tuple(joints)

    def between(self, base: str, tip: str) -> tuple[tuple[Joint, ...], tuple[Joint, ...]]:
        """The joints from one link to another.

        Returns:
            Those from the base up to the common ancestor, and those from there down to the tip.

        Raises:
            UnknownNameError: the robot has no link of that name.
        """
        up, down = list(self.ancestry(base)), list(self.ancestry(tip))
        while up and down and up[-1] is down[-1]:
            up.pop()
            down.pop()
        return tuple(up), tuple(reversed(down))

    def anchor(self, link: str) -> str:
        """The ancestor of a link that is nearest the root without a loose joint in between.

        Raises:
            UnknownNameError: the robot has no link of that name.
        """
        for joint in self.ancestry(link):
            if joint.loose:
                return joint.child
        return self.root

    def path(self, base: str, tip: str) -> tuple[Joint, ...]:
        """The joints from a link out to one of its descendants.

        Raises:
            UnknownNameError: the robot has no link of that name.
            SoftshellError: the tip does not descend from the base.
        """
        up, down = self.between(base, tip)
        if up:
            raise SoftshellError(f'link {tip!r} does not descend from {base!r}')
        return down

    def independent_joints(self, base: str, tip: str) -> tuple[str, ...]:
        """Names of the joints that move a descendant `tip`, each once, from the base outwards.

        A mimicking joint on the way is replaced by the joint that it follows, and left out if its
        multiplier is 0.

        Raises:
            UnknownNameError: as `path`.
            SoftshellError: as `path`.
        """
        names = [
            joint.name if joint.mimic is None else joint.mimic.joint
            for joint in self.path(base, tip)
            if not joint.still
        ]
        return tuple(dict.fromkeys(names))

    @cached_property
    def bodies(self) -> dict[str, tuple[str, Array]]:
        """The rigid body that each link is part of: links between which all joints are fixed.

        A body is named after its link nearest the root.

        Returns:
            By link: the name of its body, and the (4, 4) pose of the link in the body's frame.
        """
        bodies = {}
        for link in self.links:
            body, pose = link.name, np.eye(4)
            while body in self.carriers and not self.carriers[body].movable:
                pose = self.carriers[body].origin @ pose
                body = self.carriers[body].parent
            bodies[link.name] = (body, pose)
        return bodies


Named = TypeVar('Named', Link, Joint)


def _named(items: Sequence[Named], kind: str, name: str) -> Named:
    for item in items:
        if item.name == name:
            return item
    raise UnknownNameError(kind, name, [item.name for item in items])
