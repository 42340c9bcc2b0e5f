"""Chains from a URDF, between any two links."""

from pathlib import Path

import numpy as np

from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model import urdf as description
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.model.joint import Coupling, Joint, JointKind
from softshell_kinematics.model.urdf import CHAIN_TYPES, Urdf
from softshell_kinematics.model.urdf_mimics import narrowed
from softshell_kinematics.model.urdf_reader import read_urdf
from softshell_kinematics.transforms import inverse, rotation_about, shift, transform

KINDS = {
    'revolute': JointKind.REVOLUTE,
    'continuous': JointKind.REVOLUTE,
    'prismatic': JointKind.PRISMATIC,
    'fixed': JointKind.FIXED,
}


def chain_from_urdf(
    urdf: Urdf | str | Path, base: str, tip: str, name: str | None = None
) -> SerialChain:
    """The chain from one link to another, up to their common ancestor and down again.

    Args:
        urdf: parsed, its text, or the path of its file.
        base, tip: names of links.
        name: of the chain; default the tip's.

    Raises:
        UnknownNameError: the robot has no link of that name.
        ProblemsError: the URDF is wrong.
        SoftshellError: the URDF cannot be read; no joint between the two moves; one of them is
            floating or planar, or mimics a joint that it cannot follow.
    """
    robot = read_urdf(urdf)
    up, down = robot.between(base, tip)
    for joint in (*up, *down):
        if joint.problem:
            raise SoftshellError(
                f'joint {joint.name!r} between {base!r} and {tip!r} {joint.problem}; no chain '
                f'crosses such a joint, but one may start at its child link {joint.child!r}'
            )
        if joint.loose:
            raise SoftshellError(
                f'joint {joint.name!r} between {base!r} and {tip!r} is {joint.type}; expected '
                f'{", ".join(CHAIN_TYPES)}; no chain crosses such a joint, but one may start at '
                f'its child link {joint.child!r}'
            )
    joints: list[Joint] = []
    pending = np.eye(4)
    for joint in up:
        # Backwards through a joint: (O · M(q))⁻¹ = M(-q) · O⁻¹, so its axis turns round.
        joints.append(_joint(robot, joint, pending, -joint.axis))
        pending = inverse(joint.origin)
    for joint in down:
        joints.append(_joint(robot, joint, pending @ joint.origin, joint.axis))
        pending = np.eye(4)
    return SerialChain(name or tip, tuple(joints), pending, base, tip)


def chains_to_leaves(urdf: Urdf | str | Path, base: str = '') -> dict[str, SerialChain]:
    """The chains from a base to every leaf that moves against it, by the name of the leaf.

    Leaves across a floating or planar joint, or across one with a `problem`, are left out; so are
    those to which no chain can be made, see `leaves_refused`.

    Args:
        urdf: parsed, its text, or the path of its file.
        base: name of a link; default the root, and for leaves across such a joint its child link.

    Raises:
        UnknownNameError: the robot has no link of that name.
        ProblemsError: the URDF is wrong.
        SoftshellError: the URDF cannot be read, or its only chains cannot be made.
    """
    chains, refused = _to_leaves(read_urdf(urdf), base)
    if refused and not chains:
        raise SoftshellError('; '.join(refused.values()))
    return chains


def leaves_refused(robot: Urdf, base: str) -> dict[str, str]:
    """Why no chain can be made to a leaf that moves against the base, by the name of the leaf.

    Args:
        robot: parsed.
        base: as in `chains_to_leaves`.

    Raises:
        UnknownNameError: the robot has no link of that name.
    """
    return _to_leaves(robot, base)[1]


def _to_leaves(robot: Urdf, base: str) -> tuple[dict[str, SerialChain], dict[str, str]]:
    """The chains to leaves, and why others have none.

    Raises:
        UnknownNameError: the robot has no link named `base`.
    """
    if base:
        robot.link(base)
    chains: dict[str, SerialChain] = {}
    refused: dict[str, str] = {}
    apart = leaves_apart(robot, base)
    for leaf in robot.leaves:
        start = base or robot.anchor(leaf)
        up, down = robot.between(start, leaf)
        if leaf in apart or all(joint.still for joint in (*up, *down)):
            continue
        try:
            chains[leaf] = chain_from_urdf(robot, start, leaf)
        except SoftshellError as error:
            refused[leaf] = str(error)
    return chains, refused


def leaves_apart(robot: Urdf, base: str) -> tuple[str, ...]:
    """Leaves that no chain reaches from a base, since a joint between is `loose`.

    Args:
        robot: parsed.
        base: name of a link; empty: none is left out.

    Raises:
        UnknownNameError: the robot has no link of that name.
    """
    if not base:
        return ()
    anchor = robot.anchor(base)
    return tuple(leaf for leaf in robot.leaves if robot.anchor(leaf) != anchor)


def _joint(robot: Urdf, joint: description.Joint, origin: np.ndarray, axis: np.ndarray) -> Joint:
    kind = KINDS[joint.type]
    if kind is JointKind.FIXED:
        return Joint(joint.name, kind, origin)
    if joint.mimic is not None and joint.mimic.multiplier == 0.0:
        # It stands still, wherever the joint is that it mimics.
        motion = shift(*joint.mimic.offset * axis)
        if kind is JointKind.REVOLUTE:
            motion = transform(rotation_about(axis, joint.mimic.offset), np.zeros(3))
        return Joint(joint.name, JointKind.FIXED, origin @ motion)
    own = joint.lower, joint.upper, joint.velocity
    coupling = None
    if joint.mimic is not None:
        leader = robot.joint(joint.mimic.joint)
        multiplier, offset = joint.mimic.multiplier, joint.mimic.offset
        coupling = Coupling(leader.name, multiplier, offset, KINDS[leader.type])
        # The leader may lie off the path: its limits and speed are taken over here.
        own = narrowed(own, leader, multiplier, offset)
    return Joint(joint.name, kind, origin, axis, *own, coupling)
