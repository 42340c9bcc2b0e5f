"""A body as it is added to a MuJoCo model."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.model.urdf import Urdf
from softshell_sim.bodies import Body, ObjectSpec, RobotSpec, anisotropic_links
from softshell_sim.contact.anisotropic_friction import AnisotropicFriction
from softshell_sim.contact.padding import grown, grown_urdf
from softshell_sim.joints.implicit_mass import implicit_inertia
from softshell_sim.joints.springs import Springs
from softshell_sim.mujoco.shapes import collision_shapes, geom_of, offset_of, visual_shapes
from softshell_sim.shapes import mass_properties, parts_of
from softshell_sim.urdf.parsed import parsed
from softshell_sim.urdf.tree import from_the_root


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
    urdf = parsed(spec.urdf)
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
