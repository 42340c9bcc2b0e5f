"""What is wrong with a `robot.yaml` in itself: its names, roles and numbers."""

import re
from collections.abc import Iterator

from softshell_common.frames import MAP, ODOM
from softshell_common.wording import Location
from softshell_description.config import LegsEntry, RobotConfig
from softshell_description.names import and_more
from softshell_kinematics.errors import UnknownNameError

#: Words of the action language, which no group may have as its name.
RESERVED = ('base', 'footprint')
#: Frames of the world, which no link of a robot may have as its name.
WORLD_FRAMES = (MAP, ODOM)

_WORD = re.compile(r'[^\s,]+')
_FRAME = re.compile(r'[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*')


def config_problems(config: RobotConfig) -> list[str]:
    """Everything in which the entries of a configuration contradict one another, one line each."""
    problems = [
        *_group_problems(config),
        *_joint_problems(config),
        *_chain_problems(config),
        *_channel_problems(config),
        *_role_problems(config),
        *_base_problems(config),
        *(_legs_problems(config.legs, config) if config.legs is not None else ()),
    ]
    # An entry with a placeholder has the same problem for each of its names.
    return list(dict.fromkeys(problems))


def _group_problems(config: RobotConfig) -> Iterator[str]:
    for name in config.groups:
        if not name.isidentifier() or name in RESERVED:
            yield config.file.problem(
                ('groups', name),
                f'the name of the group is {name!r}; expected letters, digits and _, no digit '
                f'first, and none of {", ".join(RESERVED)}',
            )


def _joint_problems(config: RobotConfig) -> Iterator[str]:
    places: dict[str, str] = {}
    for entry in config.joints:
        if entry.motor not in config.written.motors:
            yield f'{entry.where}: {UnknownNameError("motor", entry.motor, config.motors)}'
        if entry.name in places:
            text = f'joint {entry.name!r} is in a group already: {places[entry.name]}'
            yield f'{entry.where}: {text}'
        places.setdefault(entry.name, entry.where)


def _chain_problems(config: RobotConfig) -> Iterator[str]:
    places: dict[str, str] = {}
    for entry in config.chains:
        if entry.name in places:
            yield (
                f'{entry.where}: chain {entry.name!r} is given already: {places[entry.name]}; '
                'expected another name'
            )
        places.setdefault(entry.name, entry.where)
        for what, name in (
            ('chain', entry.name),
            ('base link', entry.base_link),
            ('tip link', entry.tip_link),
        ):
            if not _WORD.fullmatch(name):
                text = f'the name of the {what} is {name!r}; expected no blanks and no commas'
                yield f'{entry.where}: {text}'


def _channel_problems(config: RobotConfig) -> Iterator[str]:
    channels, groups = config.channels, config.group_channels
    for name in channels:
        if name in config.written.joints:
            text = f'{name!r} is a joint as well; expected a name of its own'
            yield config.file.problem(('channels', name), text)
    for group, names in groups.items():
        for name in names:
            others = [other for other in groups if other != group and name in groups[other]]
            if name not in channels:
                text = str(UnknownNameError('channel', name, channels))
                yield config.file.problem(('groups', group, 'channels'), text)
            elif others:
                text = f'{name!r} is in group {others[0]} as well; expected one group'
                yield config.file.problem(('groups', group, 'channels'), text)
    for pose in config.poses:
        for name, value in pose.channels.items():
            where = ('poses', pose.name, 'channels')
            if name not in channels:
                yield config.file.problem(where, str(UnknownNameError('channel', name, channels)))
                continue
            low, high = channels[name].range
            if not low <= value <= high:
                text = f'{name} is {value:g}; expected {low:g} to {high:g}'
                yield config.file.problem(where, text)


def _role_problems(config: RobotConfig) -> Iterator[str]:
    poses = [pose.name for pose in config.poses]
    roles: list[tuple[Location, str]] = [(('start',), config.start)]
    if config.cage is not None:
        roles.append((('cage', 'pose'), config.cage.pose))
    for location, pose in roles:
        if pose not in config.written.poses:
            yield config.file.problem(location, str(UnknownNameError('pose', pose, poses)))


def _base_problems(config: RobotConfig) -> Iterator[str]:
    """What is wrong with the base, and with commands of a robot without what they need."""
    footprint = config.base.footprint
    named = 'footprint' in config.base.model_fields_set
    if (named or config.legs is not None) and (
        not _FRAME.fullmatch(footprint) or footprint in WORLD_FRAMES
    ):
        yield config.file.problem(
            ('base', 'footprint'),
            f'is {footprint!r}; expected the name of a frame of its own: letters, digits, _, . '
            f'and -, with / between some of them, and none of {", ".join(WORLD_FRAMES)}',
        )
    rolling = config.commands.rolling
    if rolling and config.entry('controllers', rolling) is None:
        text = str(UnknownNameError('controller', rolling, config.controllers))
        yield config.file.problem(('commands', 'rolling'), text)
    if rolling and config.entry('cage') is None:
        text = f'is {rolling!r}; expected a robot with a cage'
        yield config.file.problem(('commands', 'rolling'), text)
    if config.entry('legs') is not None:
        if config.base.fixed:
            yield config.file.problem(
                ('base', 'fixed'), 'is true; expected false of a robot with legs'
            )
        return
    for command in type(config.commands).model_fields:
        name = getattr(config.commands, command)
        if name:
            yield config.file.problem(
                ('commands', command), f'is {name!r}; expected a robot with legs'
            )


def _legs_problems(legs: LegsEntry, config: RobotConfig) -> Iterator[str]:
    chains = [chain.name for chain in config.chains]
    unknown = [name for name in legs.chains if name not in config.written.chains]
    if unknown and config.written.complete:
        text = str(UnknownNameError('chain', unknown[0], chains)) + and_more(len(unknown))
        yield config.file.problem(('legs', 'chains'), text)
    for chain in config.chains:
        if chain.name in legs.chains and chain.base_link != config.base.link:
            yield (
                f'{chain.where}: leg {chain.name!r} begins at {chain.base_link!r}; expected '
                f'{config.base.link!r}, the link of base'
            )
    heights = {pose.name: pose.rest_height for pose in config.poses}
    for role, pose in (('stand', legs.stand), ('rest', legs.rest)):
        if pose not in config.written.poses:
            text = str(UnknownNameError('pose', pose, heights))
            yield config.file.problem(('legs', role), text)
        elif pose in heights and config.entry('poses', pose, 'rest_height') is None:
            text = f'lacks rest_height, which the pose of legs.{role} has'
            yield config.file.problem(('poses', pose), text)
    stand, rest = heights.get(legs.stand), heights.get(legs.rest)
    if stand is not None and rest is not None and rest >= stand:
        yield config.file.problem(
            ('legs', 'rest'),
            f'rest_height of pose {legs.rest!r} is {rest:g}; expected less than the {stand:g} of '
            f'pose {legs.stand!r}, in which the robot stands',
        )
