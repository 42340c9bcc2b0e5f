"""Joints of a URDF that mimic others: each is made to follow the joint at the end of the line."""

from collections.abc import Sequence
from dataclasses import replace

from softshell_kinematics.model.urdf import Joint, Mimic

#: How far limits may miss each other, and an offset its limits, where a URDF gives them rounded to
#: four decimals, such as 1.5708 for π/2 [rad] or [m].
ROUNDED = 1e-4


def mimic_problems(joints: Sequence[Joint]) -> dict[str, str]:
    """Why joints cannot follow those that they mimic, by name; also those that mimic such joints.

    Args:
        joints: of a robot.
    """
    known = {joint.name: joint for joint in joints}
    problems = {
        joint.name: problem
        for joint in joints
        if joint.mimic is not None and (problem := _problem(joint, known))
    }
    problems |= _of_followers(problems, joints)
    sound = [joint for joint in joints if joint.name not in problems]
    for joint in follow_leaders(sound):
        if joint.mimic is None:
            continue
        own = joint.lower, joint.upper, joint.velocity
        leader, mimic = known[joint.mimic.joint], joint.mimic
        lower, upper, _ = narrowed(own, leader, mimic.multiplier, mimic.offset)
        if mimic.multiplier == 0.0 and not lower - ROUNDED <= mimic.offset <= upper + ROUNDED:
            problems[joint.name] = (
                f'mimics {leader.name!r} with a multiplier of 0, so that it stands at '
                f'{mimic.offset:g}; expected an offset within {lower:g} to {upper:g}'
            )
        elif lower > upper:
            problems[joint.name] = (
                'has no position at which it and all joints that it mimics are within their '
                'limits; expected one or more'
            )
    return problems | _of_followers(problems, joints)


def _of_followers(problems: dict[str, str], joints: Sequence[Joint]) -> dict[str, str]:
    """Problems of further joints: those that mimic joints with problems, one after another."""
    found: dict[str, str] = {}
    while more := {
        joint.name: f'mimics {joint.mimic.joint!r}, which cannot follow what it mimics itself'
        for joint in joints
        if joint.mimic is not None
        and joint.mimic.joint in problems | found
        and joint.name not in problems | found
    }:
        found |= more
    return found


def _problem(joint: Joint, known: dict[str, Joint]) -> str:
    """What is wrong with a joint's own mimic; empty if nothing is."""
    assert joint.mimic is not None
    source = known.get(joint.mimic.joint)
    if source is None:
        return f'mimics unknown {joint.mimic.joint!r}'
    if not source.movable or source.loose:
        return (
            f'mimics {source.name!r}, which is {source.type}; expected a revolute, continuous or '
            'prismatic joint'
        )
    ring = _ring(joint, known)
    if ring:
        names = ', which mimics '.join(map(repr, [*ring[1:], ring[0]]))
        return f'mimics {names}; expected a joint at the end that mimics none'
    return ''


def follow_leaders(joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """Replace mimics of mimics: such a joint then follows the one at the end of the line.

    The limits and speeds of the joints between narrow its own.

    Args:
        joints: those of a robot for which `mimic_problems` has no entry.
    """
    known = {joint.name: joint for joint in joints}
    return tuple(_following(joint, known) for joint in joints)


def _following(joint: Joint, known: dict[str, Joint]) -> Joint:
    if joint.mimic is None:
        return joint
    between = known[joint.mimic.joint]
    multiplier, offset = joint.mimic.multiplier, joint.mimic.offset
    own = joint.lower, joint.upper, joint.velocity
    while between.mimic is not None:
        # Here position = multiplier · position(between) + offset.
        own = narrowed(own, between, multiplier, offset)
        offset += multiplier * between.mimic.offset
        multiplier *= between.mimic.multiplier
        between = known[between.mimic.joint]
    lower, upper, velocity = own
    mimic = Mimic(between.name, multiplier, offset)
    return replace(joint, mimic=mimic, lower=lower, upper=upper, velocity=velocity)


def narrowed(
    own: tuple[float, float, float], leader: Joint, multiplier: float, offset: float
) -> tuple[float, float, float]:
    """Narrow a joint's lower limit, upper limit and speed to what its leader allows.

    Where nothing is left, but only by `ROUNDED`, both limits are that of the leader's nearest.

    Args:
        own: the joint's own [rad] or [m], [rad/s] or [m/s].
        leader: the joint that it follows: position = multiplier · position(leader) + offset.
        multiplier, offset: of that.
    """
    lower, upper, velocity = own
    if multiplier == 0.0:
        return own
    ends = sorted(multiplier * end + offset for end in (leader.lower, leader.upper))
    velocity = min(velocity, leader.velocity * abs(multiplier))
    low, high = max(lower, ends[0]), min(upper, ends[1])
    if 0.0 < low - high <= ROUNDED:
        low = high = min(max(lower, ends[0]), ends[1])
    return low, high, velocity


def _ring(joint: Joint, known: dict[str, Joint]) -> list[str]:
    """Names of the joints from this one, each mimicking the next, back to it; empty if no loop."""
    names = [joint.name]
    while joint.mimic is not None and joint.mimic.joint in known:
        joint = known[joint.mimic.joint]
        if joint.name == names[0]:
            return names
        if joint.name in names:
            break
        names.append(joint.name)
    return []
