"""A serial chain: joints from a base to a tip, and the variables that move them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softshell_kinematics.arrays import Array, no_numbers
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.kernels import forward as kernel
from softshell_kinematics.limits import beyond, checked_pose
from softshell_kinematics.model.joint import Joint, JointKind
from softshell_kinematics.model.ranges import Ranges, find_ranges
from softshell_kinematics.transforms import inverse, rotation_about


@dataclass(frozen=True, eq=False)
class SerialChain:
    """Joints in series from a base to a tip; immutable.

    A chain's coordinates are its *variables*: the independent joints, and the variables that
    coupled joints follow, each once, in order from base to tip.

    Raises:
        SoftshellError: a name of a joint occurs twice, no joint moves, a joint follows one that is
            fixed or coupled itself, the tool is not rigid, or a variable has no position that is
            within the limits of all its joints.
        OutOfRangeError: the chain is too long, or a limit or an offset too large; see `limits`.

    Attributes:
        name: of the chain.
        joints: from base to tip.
        tool: (4, 4) pose of the tip in the frame after the last joint.
        base, tip: names of the frames.
        variables: names of the n variables.
        lower, upper: (n,) limits [rad] or [m]; infinite where there are none.
        velocity: (n,) largest speeds [rad/s] or [m/s].
        reach: the tip is never farther from the base than this [m], where a slide without limits
            counts as one metre. `limits` says how many reaches away a goal may be.
        ranges: all ranges of the variables, and how large the numbers may be that are given.
    """

    name: str
    joints: tuple[Joint, ...]
    tool: Array = field(default_factory=lambda: np.eye(4))
    base: str = 'base'
    tip: str = 'tip'
    variables: tuple[str, ...] = field(init=False)
    lower: Array = field(init=False)
    upper: Array = field(init=False)
    velocity: Array = field(init=False)
    reach: float = field(init=False)
    ranges: Ranges = field(init=False, repr=False)
    _numbers: Array = field(init=False, repr=False)
    _codes: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        joints = tuple(self.joints)
        moving = [joint for joint in joints if joint.kind is not JointKind.FIXED]
        names = [joint.name for joint in joints]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise SoftshellError(
                f'chain {self.name!r}: joint {twice!r} occurs twice in {", ".join(names)}; '
                'expected another name for each joint'
            )
        if not moving:
            fixed = ', '.join(names) or 'none'
            raise SoftshellError(
                f'chain {self.name!r}: no joint moves (fixed: {fixed}); expected one or more'
            )
        _refuse_followers(self.name, joints)
        variables = tuple(dict.fromkeys(str(joint.variable) for joint in moving))
        tool = checked_pose(self.tool, f'chain {self.name!r}: tool')
        numbers, codes = _compile(joints, variables, tool)
        found = find_ranges(self.name, moving, variables, numbers)
        values = {
            'joints': joints,
            'tool': _frozen(tool),
            'variables': variables,
            'lower': _frozen(found.lower),
            'upper': _frozen(found.upper),
            'velocity': _frozen(found.velocity),
            'reach': found.reach,
            'ranges': found,
            '_numbers': numbers,
            '_codes': codes,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.variables)

    def index(self, variable: str) -> int:
        """Index of a variable in q.

        Raises:
            UnknownNameError: the chain has no variable of that name.
        """
        if variable not in self.variables:
            raise UnknownNameError(f'variable of {self.name!r}', variable, self.variables)
        return self.variables.index(variable)

    def middle(self) -> Array:
        """(n,) the middle between each variable's two limits.

        Without two limits it is 0, or the only limit if that leaves 0 out.
        """
        return self.ranges.middle.copy()

    def random(self, count: int, generator: np.random.Generator) -> Array:
        """(count, n) configurations, uniform between the limits.

        Variables without two limits, and joints that may turn many times, are spread as
        `ranges.spread` says: over one turn.

        Args:
            count: number of configurations.
            generator: source of the random numbers.
        """
        low, high = self.ranges.spread
        return generator.uniform(low, high, (count, len(self)))

    def forward(self, q: ArrayLike) -> Array:
        """Pose of the tip in the base.

        Args:
            q: (..., n) variables [rad] or [m].

        Returns:
            (..., 4, 4)

        Raises:
            OutOfRangeError: a variable is larger than `limits` allow.
            NonFiniteError: a variable is NaN or infinite.
            SoftshellError: the shape is another.
        """
        values, shape = self._rows(q)
        poses = np.empty((len(values), 12))
        self._forward(values, poses, np.empty((0, 6, len(self))))
        return matrices(poses).reshape(*shape, 4, 4)

    def forward_and_jacobian(self, q: ArrayLike) -> tuple[Array, Array]:
        """Pose of the tip (..., 4, 4) and geometric Jacobian (..., 6, n) in the base frame.

        Args:
            q: (..., n) variables [rad] or [m].

        Raises:
            OutOfRangeError: as `forward`.
            NonFiniteError: as `forward`.
            SoftshellError: as `forward`.
        """
        values, shape = self._rows(q)
        poses, jacobians = np.empty((len(values), 12)), np.empty((len(values), 6, len(self)))
        self._forward(values, poses, jacobians)
        return (
            matrices(poses).reshape(*shape, 4, 4),
            jacobians.reshape(*shape, 6, len(self)),
        )

    def _forward(self, q: Array, poses: Array, jacobians: Array) -> None:
        place = kernel.forward_batch(
            self._numbers, self._codes, self.ranges.largest, q, poses, jacobians
        )
        if place >= 0:
            point, i = divmod(place, len(self))
            raise self.beyond(f'point {point} of {self.name!r}', i, q[point, i])

    def beyond(self, subject: str, index: int, value: float, more: str = '') -> SoftshellError:
        """Make the error for a variable that is too large, NaN or infinite.

        Args:
            subject: what the message calls the configuration.
            index: of the variable.
            value: that was given.
            more: what is allowed besides.
        """
        found = self.ranges
        name = f'{subject}: {self.variables[index]}'
        return beyond(name, float(value), float(found.largest[index]), found.units[index], more)

    def _rows(self, q: ArrayLike) -> tuple[Array, tuple[int, ...]]:
        try:
            values = np.asarray(q, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise no_numbers(q, f'chain {self.name!r}: q') from None
        if values.shape[-1:] != (len(self),):
            raise SoftshellError(
                f'chain {self.name!r}: q has shape {values.shape}; expected (..., {len(self)}) '
                f'for {", ".join(self.variables)}'
            )
        rows = np.array(values.reshape(-1, len(self)), order='C')
        return rows, values.shape[:-1]


def stacked(
    chains: Sequence[SerialChain],
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    """The kernels' tables of several chains, one after another.

    Returns:
        Numbers (rows, 14), codes (rows, 2), and (chains, 3) each chain's first row, the row of its
        tip, which is its last, and its number of variables.
    """
    ends = np.cumsum([len(chain._numbers) for chain in chains], dtype=np.int64)
    starts = np.concatenate([[0], ends[:-1]])
    rows = np.stack([starts, ends - 1, [len(chain) for chain in chains]], axis=1)
    numbers = np.concatenate([chain._numbers for chain in chains])
    codes = np.concatenate([chain._codes for chain in chains])
    return numbers, codes, rows.astype(np.int64)


def matrices(poses: Array) -> Array:
    """(points, 4, 4) transforms of the kernels' (points, 12)."""
    result = np.zeros((len(poses), 4, 4))
    result[:, :3, :3] = poses[:, :9].reshape(-1, 3, 3)
    result[:, :3, 3] = poses[:, 9:]
    result[:, 3, 3] = 1.0
    return result


def _refuse_followers(chain: str, joints: Sequence[Joint]) -> None:
    """Refuse joints whose variable would have the name of a joint that has no variable of its own.

    Raises:
        SoftshellError: for the first of them.
    """
    leaders = {joint.name: joint for joint in joints}
    for joint in joints:
        leader = leaders.get(str(joint.variable), joint)
        if leader is joint:
            continue
        if leader.kind is JointKind.FIXED or leader.coupling is not None:
            what = 'is fixed' if leader.coupling is None else 'follows another itself'
            raise SoftshellError(
                f'chain {chain!r}: {joint.name!r} follows {leader.name!r}, which {what}; expected '
                'an independent joint, or a name that no joint has'
            )


def _frozen(values: ArrayLike) -> Array:
    result = np.array(values, dtype=np.float64)
    result.setflags(write=False)
    return result


def _compile(
    joints: Sequence[Joint], variables: tuple[str, ...], tool: Array
) -> tuple[Array, NDArray[np.int64]]:
    """The kernels' tables: frames turned so that each joint moves about or along its z."""
    numbers, codes = [], []
    pending = np.eye(4)
    for joint in joints:
        pending = pending @ joint.origin
        if joint.kind is JointKind.FIXED:
            continue
        turn = np.eye(4)
        turn[:3, :3] = _z_onto(joint.axis)
        constant = pending @ turn
        numbers.append(
            [*constant[:3, :3].ravel(), *constant[:3, 3], joint.multiplier, joint.offset]
        )
        codes.append([int(joint.kind), variables.index(str(joint.variable))])
        pending = inverse(turn)
    pending = pending @ tool
    numbers.append([*pending[:3, :3].ravel(), *pending[:3, 3], 0.0, 0.0])
    codes.append([int(JointKind.FIXED), 0])
    return np.array(numbers, dtype=np.float64), np.array(codes, dtype=np.int64)


def _z_onto(axis: Array) -> Array:
    """A rotation (3, 3) whose third column is the unit vector `axis`."""
    cross = np.cross([0.0, 0.0, 1.0], axis)
    sine = np.linalg.norm(cross)
    if sine < 1e-12:
        return np.eye(3) if axis[2] > 0.0 else np.diag([1.0, -1.0, -1.0])
    result = rotation_about(cross / sine, np.arctan2(sine, axis[2]))
    result[:, 2] = axis
    return result
