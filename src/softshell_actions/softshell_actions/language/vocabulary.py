"""The names of a robot that its actions and gaits may use."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from softshell_actions.language.gait import Gait, LegTiming
from softshell_actions.language.grammar import JointsMove, StepMove, TipMove
from softshell_actions.symmetry import Image, Symmetry
from softshell_description.model import GroupSpec
from softshell_description.placeholders import Placeholders, fill


@dataclass(frozen=True)
class Vocabulary:
    """The names of a robot.

    Args:
        groups: joints, chains and channels of each group.
        own_joints: the joints of each chain that it shares with no other, base to tip.
        legs: the chains that are legs, in the order of every array of feet.
        poses: names of the poses.
        facts: names of the facts that conditions may use.
        lengths: numbers that expressions may use, e.g. `stand_height` [m].
        limits: lowest and highest position of each joint [rad] or [m], and value of each channel.
        placeholders: that names may hold.
        symmetry: which chains are images of each other.
        controllers: names of the bridge's controllers.
        gait: that is followed unless the caller chooses another; empty: the first by name.
    """

    groups: Mapping[str, GroupSpec]
    own_joints: Mapping[str, tuple[str, ...]]
    legs: tuple[str, ...] = ()
    poses: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    lengths: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    placeholders: Placeholders = field(default_factory=lambda: Placeholders({}))
    symmetry: Symmetry = field(default_factory=lambda: Symmetry({}, {}))
    controllers: tuple[str, ...] = ()
    gait: str = ''

    def expand(self, name: str) -> tuple[str, ...]:
        """The names that a name with a placeholder stands for.

        Raises:
            SoftshellError: the placeholder is unknown.
        """
        return self.placeholders.expand(name)

    def legs_of(self, move: StepMove) -> tuple[str, ...]:
        """The legs that step."""
        if move.legs == 'all':
            return self.legs
        return tuple(leg for name in move.legs for leg in self.expand(name))

    def chains_of(self, move: TipMove | JointsMove) -> tuple[str, ...]:
        """The chains that a move names."""
        if move.chains == 'all':
            return self.groups[move.group].chains
        return tuple(chain for name in move.chains for chain in self.expand(name))

    def joints_of(self, move: JointsMove) -> tuple[str, ...]:
        """The joints and channels that a move is for, in the order of the group."""
        group = self.groups[move.group]
        joints = group.joints
        if move.chains == 'all' and move.like is None:
            return (*joints, *group.channels)
        own = {joint for chain in self.chains_of(move) for joint in self.own_joints[chain]}
        return tuple(joint for joint in joints if joint in own)

    def image(self, move: TipMove | JointsMove, chain: str) -> Image:
        """The map from the chain that a move is written for to another chain.

        Raises:
            SoftshellError: the one is no image of the other.
        """
        if move.like is None:
            return Image()
        return self.symmetry.image(move.like, chain, move.mirrored)

    def targets(self, move: JointsMove, name: str) -> tuple[tuple[str, float], ...]:
        """The joints that a name in a point of a move stands for, each with its sign.

        Raises:
            SoftshellError: the placeholder is unknown, or a chain is no image of the one that the
                move is written for.
        """
        names = self.expand(name)
        if move.like is None:
            return tuple((joint, 1.0) for joint in names)
        own, found = self.own_joints[move.like], []
        for chain in self.chains_of(move):
            image = self.image(move, chain)
            for place in [own.index(joint) for joint in names]:
                found.append((self.own_joints[chain][place], image.signs[place]))
        return tuple(found)

    def timings(self, gait: Gait) -> dict[str, LegTiming]:
        """The timing of each leg of a gait; one with a placeholder counts for several legs."""
        return {
            fill(name, placeholder, value): gait.legs[name]
            for name, placeholder, value in self.placeholders.rows(gait.legs)
        }
