"""In what a robot's URDF and its `robot.yaml` disagree, in the words of `robot.yaml`."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from softshell_description.check import WORLD_FRAMES
from softshell_description.config import (
    ChainEntry,
    JointEntry,
    PoseEntry,
    RobotConfig,
)
from softshell_description.motor_form import MotorSpec
from softshell_description.names import and_more
from softshell_kinematics.errors import SoftshellError, UnknownNameError, nearest
from softshell_kinematics.model.urdf import Joint, Urdf
from softshell_kinematics.model.urdf_mimics import ROUNDED

#: Largest relative difference at which numbers of a URDF joint and of its motor agree.
AGREEMENT = 1e-6


class _Finding(NamedTuple):
    """A problem at a line of `robot.yaml`; those of one line and kind are reported as one."""

    where: str
    kind: str
    text: str


def model_problems(urdf: Urdf, config: RobotConfig) -> list[str]:
    """Everything in which URDF and configuration disagree, one line each."""
    return [
        *_base_problems(urdf, config),
        *_loose_problems(urdf, config),
        *_mimic_problems(urdf, config),
        *_joined(_joint_findings(urdf, config)),
        *_joined(
            found for chain in config.chains for found in _chain_findings(urdf, chain, config)
        ),
        *_shared_problems(urdf, config),
        *_joined(found for pose in config.poses for found in _pose_findings(urdf, pose, config)),
    ]


def _joined(findings: Iterable[_Finding]) -> Iterator[str]:
    """One line for all findings of the same line and kind, as entries with a placeholder have."""
    groups: dict[tuple[str, str], list[str]] = {}
    for found in findings:
        groups.setdefault((found.where, found.kind), []).append(found.text)
    for (where, _), texts in groups.items():
        yield f'{where}: {texts[0]}{and_more(len(texts))}'


def _base_problems(urdf: Urdf, config: RobotConfig) -> Iterator[str]:
    links = [link.name for link in urdf.links]
    base = config.base
    if base.link not in links:
        text = str(UnknownNameError('link', base.link, links))
        yield config.file.problem(('base', 'link'), text)
    named = 'footprint' in base.model_fields_set
    if base.footprint in links and (named or config.legs is not None):
        text = f'is {base.footprint!r}, a link of the URDF; expected a frame of its own'
        yield config.file.problem(('base', 'footprint'), text)
    for frame in WORLD_FRAMES:
        if frame in links and not base.fixed:
            text = f'the URDF has a link {frame!r}; expected that name for a frame of the world'
            yield config.file.problem(('urdf',), text)


def _hint(likely: str | None) -> str:
    """The end of a message that asks whether another name is meant; empty for None."""
    return '' if likely is None else f'; did you mean {likely!r}?'


def _loose(urdf: Urdf) -> list[Joint]:
    return [joint for joint in urdf.joints if joint.loose]


def _loose_problems(urdf: Urdf, config: RobotConfig) -> Iterator[str]:
    for joint in _loose(urdf):
        if joint.problem:
            yield config.file.problem(('urdf',), f'URDF joint {joint.name!r} {joint.problem}')
            continue
        text = (
            f'URDF joint {joint.name!r} is {joint.type}; expected revolute, prismatic or fixed: a '
            'base moves freely without a joint, unless base.fixed is true'
        )
        yield config.file.problem(('urdf',), text)


def _elastic(config: RobotConfig) -> dict[str, str]:
    """The soft manipulator of each elastic joint."""
    return {name: spec.name for spec in config.soft for name in spec.joints}


def _mimic_problems(urdf: Urdf, config: RobotConfig) -> Iterator[str]:
    """Joints that mimic one that has no position of its own to give."""
    elastic = _elastic(config)
    for joint in urdf.joints:
        if joint.mimic is not None and joint.mimic.joint in elastic:
            text = (
                f'URDF joint {joint.name!r} mimics {joint.mimic.joint!r}, an elastic joint of '
                f'{elastic[joint.mimic.joint]}; expected a joint that a motor moves'
            )
            yield config.file.problem(('urdf',), text)


def _leading(urdf: Urdf, config: RobotConfig) -> dict[str, Joint]:
    """The joints that can be commanded: they move, mimic no other and are not elastic."""
    elastic = _elastic(config)
    return {
        joint.name: joint
        for joint in urdf.joints
        if joint.movable and not joint.loose and joint.mimic is None and joint.name not in elastic
    }


def _joint_findings(urdf: Urdf, config: RobotConfig) -> Iterator[_Finding]:
    joints, elastic = {joint.name: joint for joint in urdf.joints}, _elastic(config)
    unlisted = [name for name in _leading(urdf, config) if name not in config.written.joints]
    meant: set[str | None] = set()
    for entry in config.joints:
        joint = joints.get(entry.name)
        if joint is None:
            likely = nearest(entry.name, unlisted)
            meant.add(likely)
            text = f'the URDF has no joint {entry.name!r}{_hint(likely)}'
            yield _Finding(entry.where, 'name', text)
        elif joint.loose:
            continue  # reported at the URDF
        elif joint.name in elastic:
            text = f'{entry.name!r} cannot be commanded: it is an elastic joint of '
            yield _Finding(entry.where, 'kind', text + elastic[joint.name])
        elif joint.mimic is not None or not joint.movable:
            why = f'mimics {joint.mimic.joint!r}' if joint.mimic is not None else 'is fixed'
            text = f'{entry.name!r} cannot be commanded: in the URDF it {why}'
            yield _Finding(entry.where, 'kind', text)
        else:
            yield from _limit_findings(joint, entry, config.motors.get(entry.motor))
            yield from _follower_findings(urdf, joint, entry)
    unlisted = [name for name in unlisted if name not in meant]
    if unlisted and config.written.complete:
        text = f'no group holds the URDF joint {", ".join(map(repr, unlisted))}'
        endless = [name for name in unlisted if joints[name].type == 'continuous']
        if endless:
            text += (
                f'; {", ".join(map(repr, endless))} turns without limits, as a wheel does, which '
                'no channel commands yet: expected revolute, prismatic or fixed'
            )
        yield _Finding(config.file.where(('groups',)), 'lacking', text)


def _limit_findings(
    joint: Joint, entry: JointEntry, motor: MotorSpec | None
) -> Iterator[_Finding]:
    if joint.type == 'continuous':
        text = (
            f'URDF joint {joint.name!r} is continuous, without limits; expected revolute or '
            'prismatic, with lower and upper in its <limit>'
        )
        yield _Finding(entry.where, 'range', text)
    elif not _has_range(joint):
        text = (
            f'URDF joint {joint.name!r} has no range: lower and upper are {joint.lower:g}; '
            'expected lower below upper in its <limit>'
        )
        yield _Finding(entry.where, 'range', text)
    for name, written in (('effort', joint.effort), ('velocity', joint.velocity)):
        if motor is None or not np.isfinite(written):
            continue
        value = getattr(motor, name)
        if abs(written - value) > AGREEMENT * value:
            text = (
                f'{name} of {joint.name!r} is {written} in the URDF; expected the {value} of '
                f'motor {entry.motor!r}'
            )
            yield _Finding(entry.where, name, text)


def _follower_findings(urdf: Urdf, joint: Joint, entry: JointEntry) -> Iterator[_Finding]:
    """Joints that a joint, anywhere in its range, would carry out of theirs."""
    if joint.type == 'continuous':
        return  # reported already
    for other in urdf.joints:
        if other.mimic is None or other.mimic.joint != joint.name:
            continue
        low, high = sorted(
            other.mimic.multiplier * end + other.mimic.offset for end in (joint.lower, joint.upper)
        )
        if low < other.lower - ROUNDED or high > other.upper + ROUNDED:
            text = (
                f'{joint.name!r} takes {other.name!r}, which mimics it, from {low:g} to {high:g}; '
                f'expected that within {other.lower:g} to {other.upper:g}'
            )
            yield _Finding(entry.where, 'range', text)


def _has_range(joint: Joint) -> bool:
    """Whether a joint can move; without lower and upper in its `<limit>` both are 0."""
    return joint.lower < joint.upper


def _chain_findings(urdf: Urdf, chain: ChainEntry, config: RobotConfig) -> Iterator[_Finding]:
    links = [link.name for link in urdf.links]
    ends = {'base': chain.base_link, 'tip': chain.tip_link}
    unknown = {role: link for role, link in ends.items() if link not in links}
    for role, link in unknown.items():
        text = f'{role} link {link!r} of {chain.name!r} is unknown{_hint(nearest(link, links))}'
        yield _Finding(chain.where, role, text)
    if unknown:
        return
    try:
        joints = urdf.independent_joints(chain.base_link, chain.tip_link)
    except SoftshellError as error:
        yield _Finding(chain.where, 'path', str(error))
        return
    if not joints:
        yield _Finding(chain.where, 'path', f'no joint moves {chain.name!r}')
    for spec in config.soft:
        if not set(joints).isdisjoint(spec.joints):
            text = (
                f'{chain.name!r} leads across {spec.name}, which no motor moves; expected base '
                'and tip on one side of it'
            )
            yield _Finding(chain.where, 'soft', text)


def _shared_problems(urdf: Urdf, config: RobotConfig) -> Iterator[str]:
    """Joints that move several chains and are not in `shared`, or the reverse."""
    chains = {chain.name: chain for chain in config.chains}
    known = len(chains) == len(config.chains) and not config.written.chains - chains.keys()
    if not known or not config.written.complete:
        return  # it is not known which chains there are; reported at the chains
    if _loose(urdf):
        return  # reported at the URDF
    if config.entry('shared') and not config.shared:
        return  # reported at the entry
    moved: dict[str, list[str]] = {}
    for name, chain in chains.items():
        try:
            joints = urdf.independent_joints(chain.base_link, chain.tip_link)
        except SoftshellError:
            return  # reported at the chain
        for joint in joints:
            moved.setdefault(joint, []).append(name)
    for joint in config.shared:
        found = moved.get(joint, [])
        if len(found) < 2:
            text = f'{joint!r} moves {", ".join(found) or "no chain"}; expected several chains'
            yield config.file.problem(('shared',), text)
    for joint, found in moved.items():
        if len(found) > 1 and joint not in config.shared:
            listed = config.entry('shared') is not None
            where = config.file.where(('shared',)) if listed else chains[found[1]].where
            yield f'{where}: joint {joint!r} moves {", ".join(found)}; expected it in shared'


def _pose_findings(urdf: Urdf, pose: PoseEntry, config: RobotConfig) -> Iterator[_Finding]:
    joints = _leading(urdf, config)
    listed = [entry.name for entry in config.joints if entry.name in joints]
    missing = [name for name in dict.fromkeys(listed) if name not in pose.named]
    for name, value in pose.positions.items():
        joint = joints.get(name)
        if joint is None and name not in config.written.joints:
            likely = nearest(name, missing)
            missing = [other for other in missing if other != likely]
            text = f'no group has a joint {name!r}{_hint(likely)}'
            yield _Finding(pose.places[name], 'name', text)
        # A joint that has no group or no range is reported elsewhere.
        elif joint is not None and _has_range(joint) and not joint.lower <= value <= joint.upper:
            text = f'{name} is {value:g}; expected {joint.lower:g} to {joint.upper:g}'
            yield _Finding(pose.places[name], 'range', text)
    if missing:
        yield _Finding(pose.where, 'missing', f'lacks positions of {", ".join(missing)}')
