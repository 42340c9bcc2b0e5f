"""The rigid bodies of a robot and their masses, from its URDF."""

from dataclasses import replace

import numpy as np

from softshell_actions.trajectories.load import Body, Load
from softshell_description.foot_spheres import foot_spheres
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.model.urdf import Urdf, parallel_axis
from softshell_kinematics.transforms import rotation_about, transform


def load_of(model: RobotModel) -> Load | None:
    """The load of a robot; None if it has no legs or no mass."""
    if model.legs is None or model.urdf.mass <= 0.0:
        return None
    spheres = foot_spheres(model)
    feet = zip(model.legs.feet, spheres.centre, strict=True)
    urdf = _stiffened(model)
    resting = [_body(model, urdf, foot, centre) for foot, centre in feet]
    return Load(bodies_of(model), resting, model.mimics)


def bodies_of(model: RobotModel) -> list[Body]:
    """The rigid bodies of a robot; links that no motor moves against each other are one body.

    Soft manipulators count as rigid, in the shape that they have without tension.
    """
    urdf = _stiffened(model)
    own, base_in_own = urdf.bodies[model.base.link]
    parts: dict[str, list[tuple[float, Array, Array]]] = {}
    for link in urdf.links:
        body, pose = urdf.bodies[link.name]
        if link.mass > 0.0:
            turn = pose[:3, :3]
            at = turn @ link.com + pose[:3, 3]
            parts.setdefault(body, []).append((link.mass, at, turn @ link.inertia @ turn.T))
    bodies = []
    for name, held in parts.items():
        mass = sum(each for each, _, _ in held)
        centre = sum((each * at for each, at, _ in held), np.zeros(3)) / mass
        inertia = np.zeros((3, 3))
        for each, at, about in held:
            inertia += about + parallel_axis(each, at - centre)
        if name == own:
            turn = base_in_own[:3, :3]
            centre, inertia = turn.T @ (centre - base_in_own[:3, 3]), turn.T @ inertia @ turn
        bodies.append(_body(model, urdf, name, centre, mass, inertia))
    return bodies


def _stiffened(model: RobotModel) -> Urdf:
    """A robot's URDF with its elastic joints fixed where they are without tension.

    Every other joint moves by itself, so that the torque of each is found.
    """
    neutral = {
        joint: float(position)
        for spec in model.soft.values()
        for joint, position in zip(spec.joints, spec.chain.neutral, strict=True)
    }
    joints = (
        replace(
            joint,
            type='fixed',
            origin=joint.origin @ transform(rotation_about(joint.axis, neutral[joint.name])),
        )
        if joint.name in neutral
        else replace(joint, mimic=None)
        for joint in model.urdf.joints
    )
    return replace(model.urdf, joints=tuple(joints))


def _body(
    model: RobotModel,
    urdf: Urdf,
    link: str,
    centre: Array,
    mass: float = 0.0,
    inertia: Array | None = None,
) -> Body:
    base = model.base.link
    if urdf.bodies[link][0] == urdf.bodies[base][0]:
        return Body(None, centre, mass, inertia)
    return Body(chain_from_urdf(urdf, base, link), centre, mass, inertia)
