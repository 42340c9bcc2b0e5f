"""Chains from a URDF, between any two links."""

import numpy as np

from softshell_common.errors import SoftshellError, UnknownNameError
from softshell_description import urdf as description
from softshell_description.urdf import Urdf, parse_urdf
from softshell_kinematics.chain import SerialChain
from softshell_kinematics.joint import Coupling, Joint, JointKind
from softshell_kinematics.transforms import inverse

KINDS = {
    'revolute': JointKind.REVOLUTE,
    'continuous': JointKind.REVOLUTE,
    'prismatic': JointKind.PRISMATIC,
    'fixed': JointKind.FIXED,
}


def chain_from_urdf(urdf: Urdf | str, base: str, tip: str, name: str | None = None) -> SerialChain:
    """The chain from one link to another, up to their common ancestor and down again.

    Args:
        urdf: parsed, or its text.
        base, tip: names of links.
        name: of the chain; default the tip's.

    Raises:
        UnknownNameError: no such link.
        SoftshellError: no joint between the two moves.
    """
    robot = parse_urdf(urdf) if isinstance(urdf, str) else urdf
    up, down = _path(robot, base, tip)
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


def _path(
    robot: Urdf, base: str, tip: str
) -> tuple[list[description.Joint], list[description.Joint]]:
    """Joints from the base up to the common ancestor, and from there down to the tip."""
    links = {link.name for link in robot.links}
    for link in (base, tip):
        if link not in links:
            raise UnknownNameError('link', link, links)
    above = {joint.child: joint for joint in robot.joints}

    def ancestry(link: str) -> list[description.Joint]:
        result = []
        while link in above:
            result.append(above[link])
            link = above[link].parent
        return result

    up, down = ancestry(base), ancestry(tip)
    while up and down and up[-1] is down[-1]:
        up.pop()
        down.pop()
    return up, down[::-1]


def _joint(robot: Urdf, joint: description.Joint, origin: np.ndarray, axis: np.ndarray) -> Joint:
    kind = KINDS[joint.type]
    if kind is JointKind.FIXED:
        return Joint(joint.name, kind, origin)
    lower, upper, velocity = joint.lower, joint.upper, joint.velocity
    coupling = None
    if joint.mimic is not None:
        leaders = {other.name: other for other in robot.joints}
        leader = leaders[joint.mimic.joint]
        multiplier, offset = joint.mimic.multiplier, joint.mimic.offset
        if leader.mimic is not None:
            raise SoftshellError(
                f'joint {joint.name!r} mimics {leader.name!r}, which itself mimics; expected an '
                'independent joint'
            )
        coupling = Coupling(leader.name, multiplier, offset)
        # The leader need not lie on the path: its limits and speed hold here.
        ends = sorted(multiplier * end + offset for end in (leader.lower, leader.upper))
        lower, upper = max(lower, ends[0]), min(upper, ends[1])
        velocity = min(velocity, leader.velocity * abs(multiplier))
    return Joint(joint.name, kind, origin, axis, lower, upper, velocity, coupling)
