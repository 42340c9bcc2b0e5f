"""Which chains of a robot are images of each other, and what the image of a motion is.

An image of a chain is what a map makes of it that keeps the vertical: a turn about a vertical axis
and a shift, p' = Rz(θ) p + t, or these after a vertical mirror, p' = Rz(θ) My p + t with
My = diag(1, -1, 1). A mirrored rotation is R' = Rz(θ) My R My, so a tip whose frame is mirrored
likewise has the yaw θ - yaw, the same pitch and the opposite roll.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.model.joint import Joint, JointKind
from softshell_kinematics.transforms import rotation_about, transform

#: Places [m] and directions [rad] that differ by no more than this are the same.
SAME = 1e-6
#: Number of configurations at which an image is compared with the chain.
CONFIGURATIONS = 8
#: My, see above.
MIRROR = np.diag([1.0, -1.0, 1.0])


@dataclass(frozen=True, eq=False)
class Image:
    """The map from one chain, the original, to another, its image.

    Args:
        angle: θ [rad].
        mirrored: whether it mirrors.
        offset: (3,) t [m].
        signs: ±1 for each joint, base to tip: which way it moves in the image when that of the
            original moves in its positive direction.
        turns: whether it maps the frame of the original's tip to that of the image's tip.
    """

    angle: float = 0.0
    mirrored: bool = False
    offset: Array = field(default_factory=lambda: np.zeros(3))
    signs: tuple[float, ...] = ()
    turns: bool = True

    @cached_property
    def linear(self) -> Array:
        """(3, 3) map of directions: Rz(θ), or Rz(θ) My."""
        turn: Array = rotation_about(np.array([0.0, 0.0, 1.0]), self.angle)
        return turn @ MIRROR if self.mirrored else turn

    @property
    def is_straight(self) -> bool:
        """Whether it takes the x axis to x or -x, and the y axis to y or -y."""
        return bool(abs(np.sin(self.angle)) < SAME)

    def original(self, pose: Array) -> Array:
        """(4, 4) pose whose image is a (4, 4) pose of the tip."""
        rotation = self.linear.T @ pose[:3, :3] @ (MIRROR if self.mirrored else np.eye(3))
        return transform(rotation, self.linear.T @ (pose[:3, 3] - self.offset))

    def of_path(self, path: Array) -> Array:
        """(points, 6) image of a path (points, 6) x y z yaw pitch roll; NaN stays where free."""
        image = np.array(path)
        if self.is_straight:  # x may be free and y not
            image[:, :2] = path[:, :2] * np.diag(self.linear)[:2]
        else:
            image[:, :2] = path[:, :2] @ self.linear[:2, :2].T
        image[:, :3] += self.offset
        side = -1.0 if self.mirrored else 1.0
        image[:, 3] = self.angle + side * path[:, 3]
        image[:, 5] = side * path[:, 5]
        return image


class Symmetry:
    """The images among the chains of a robot.

    Args:
        chains: kinematics by name.
        own_joints: the joints of each chain that it shares with no other, base to tip.
    """

    def __init__(
        self, chains: Mapping[str, SerialChain], own_joints: Mapping[str, Sequence[str]]
    ) -> None:
        self._chains, self._own_joints = chains, own_joints
        self._found: dict[tuple[str, str, bool | None], Image] = {}

    def image(self, like: str, chain: str, mirrored: bool | None = None) -> Image:
        """The map from one chain to another.

        Args:
            like: the original.
            chain: the image.
            mirrored: whether the map has to mirror or must not; None: either. If both exist, it is
                the one that maps the tip's frame too, then the one that moves all joints the same
                way, then the one without a mirror.

        Raises:
            UnknownNameError: there is no such chain.
            SoftshellError: the one is no image of the other.
        """
        key = like, chain, mirrored
        if key not in self._found:
            for name in (like, chain):
                if name not in self._chains:
                    raise UnknownNameError('chain', name, self._chains)
            self._found[key] = self._search(like, chain, mirrored)
        return self._found[key]

    def _search(self, like: str, chain: str, mirrored: bool | None) -> Image:
        own = self._own_joints[like]
        if like == chain:
            return Image(signs=(1.0,) * len(own))
        one, other = self._chains[like], self._chains[chain]
        if one.base == other.base and len(own) == len(self._own_joints[chain]):
            sides = (False, True) if mirrored is None else (mirrored,)
            images = [image for side in sides for image in self._candidates(like, chain, side)]
            if images:
                return min(images, key=lambda image: (not image.turns, -1.0 in image.signs))
        ways = {None: 'shift, turn about a vertical axis or vertical mirror',
                True: 'vertical mirror', False: 'shift or turn about a vertical axis'}  # fmt: skip
        raise SoftshellError(
            f'chain {chain!r} is no image of {like!r}: no {ways[mirrored]} takes {like!r} to it'
        )

    def _candidates(self, like: str, chain: str, mirrored: bool) -> list[Image]:
        """The maps with or without a mirror; mostly there is one or none."""
        one = _Skeleton.of(self._chains[like])
        other = _Skeleton.of(self._chains[chain])
        if one.kinds != other.kinds:
            return []
        side = MIRROR if mirrored else np.eye(3)
        points = one.points @ side
        middles = points.mean(axis=0), other.points.mean(axis=0)
        found = []
        for angle in _angles(
            points - middles[0], other.points - middles[1], one.axes @ side, other.axes
        ):
            linear = Image(angle, mirrored).linear
            offset = middles[1] - linear @ side @ middles[0]
            # In a mirror a revolute joint turns the other way; a prismatic one does not.
            axes = one.axes @ linear.T
            axes[[mirrored and kind is JointKind.REVOLUTE for kind in one.kinds]] *= -1.0
            signs = dict(zip(other.names, np.sign(np.sum(axes * other.axes, axis=1)), strict=True))
            own = tuple(float(signs.get(name, 1.0)) for name in self._own_joints[chain])
            found.append(self._checked(like, chain, Image(angle, mirrored, offset, own)))
        return [image for image in found if image is not None]

    def _checked(self, like: str, chain: str, image: Image) -> Image | None:
        """The map, if it holds in many configurations, with `turns` set; None if it does not."""
        one, other = self._chains[like], self._chains[chain]
        drawn = np.random.default_rng(0).uniform(-1.0, 1.0, (CONFIGURATIONS, len(one)))
        drawn[0] = 0.0
        own = dict(zip(self._own_joints[chain], self._own_joints[like], strict=True))
        signs = dict(zip(own, image.signs, strict=True))
        if {own.get(name, name) for name in other.variables} != {*one.variables}:
            return None
        columns = [one.index(own.get(name, name)) for name in other.variables]
        theirs = drawn[:, columns] * [signs.get(name, 1.0) for name in other.variables]
        ours, poses = one.forward(drawn), other.forward(theirs)
        places = ours[:, :3, 3] @ image.linear.T + image.offset
        if np.abs(places - poses[:, :3, 3]).max() > SAME:
            return None
        side = MIRROR if image.mirrored else np.eye(3)
        turned = image.linear @ ours[:, :3, :3] @ side
        turns = bool(np.abs(turned - poses[:, :3, :3]).max() < SAME)
        return Image(image.angle, image.mirrored, image.offset, image.signs, turns)


def _angles(points: Array, others: Array, axes: Array, other_axes: Array) -> list[float]:
    """Angles by which a turn about z may take one chain to another.

    Args:
        points, others: (joints + 1, 3) of both about their middle [m].
        axes, other_axes: (joints, 3) of both, which the turn takes to each other or to their
            opposites.
    """
    if max(np.abs(points[:, :2]).max(), np.abs(others[:, :2]).max()) >= SAME:
        # That of the best fit in the plane: Kabsch, Acta Cryst. A32 (1976), for two axes.
        return [_turn(points, others)]
    # All lies on a vertical line, as in a leg that hangs down: only its axes tell directions.
    level = [
        _turn(one[None], other[None])
        for one, other in zip(axes, other_axes, strict=True)
        if min(np.hypot(*one[:2]), np.hypot(*other[:2])) >= SAME
    ]
    distinct: list[float] = []
    for angle in (*level, *(angle + np.pi for angle in level)):
        if all(abs(np.exp(1j * angle) - np.exp(1j * known)) > SAME for known in distinct):
            distinct.append(float(angle))
    return distinct or [0.0]


def _turn(points: Array, others: Array) -> float:
    """The angle about z that takes points (n, 3) nearest to others."""
    across = float(np.sum(points[:, 0] * others[:, 1] - points[:, 1] * others[:, 0]))
    along = float(np.sum(points[:, 0] * others[:, 0] + points[:, 1] * others[:, 1]))
    return float(np.arctan2(across, along))


@dataclass(frozen=True, eq=False)
class _Skeleton:
    """Where a chain's joints are while all are at zero.

    Args:
        names, kinds: of the variables that move the joints, and of the joints, base to tip.
        points: (joints + 1, 3) positions of the joints, then of the tip, in the base [m].
        axes: (joints, 3) of the joints in the base, pointing as their variables move them.
    """

    names: tuple[str, ...]
    kinds: tuple[JointKind, ...]
    points: Array
    axes: Array

    @classmethod
    def of(cls, chain: SerialChain) -> '_Skeleton':
        """The skeleton of a chain."""
        pose, points, axes = np.eye(4), [], []
        moving: list[Joint] = []
        for joint in chain.joints:
            pose = pose @ joint.origin
            if joint.kind is not JointKind.FIXED:
                moving.append(joint)
                points.append(pose[:3, 3])
                axes.append(pose[:3, :3] @ joint.axis * np.sign(joint.multiplier))
        points.append((pose @ chain.tool)[:3, 3])
        kinds = tuple(joint.kind for joint in moving)
        return cls(tuple(str(j.variable) for j in moving), kinds, np.array(points), np.array(axes))
