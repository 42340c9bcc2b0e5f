"""A serial chain: joints from a base to a tip, and the variables that move them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.joint import Joint, JointKind
from softshell_kinematics.kernels import forward as kernel
from softshell_kinematics.transforms import inverse, rotation_about


@dataclass(frozen=True, eq=False)
class SerialChain:
    """Joints in series from a base to a tip; immutable.

    A chain's coordinates are its *variables*: the independent joints, and the variables that
    coupled joints follow, each once, in order from base to tip.

    Attributes:
        name: of the chain.
        joints: from base to tip.
        tool: (4, 4) pose of the tip in the frame after the last joint.
        base, tip: names of the frames.
        variables: names of the n variables.
        lower, upper: (n,) limits [rad] or [m]; infinite where there are none.
        velocity: (n,) largest speeds [rad/s] or [m/s].
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
    _numbers: Array = field(init=False, repr=False)
    _codes: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        moving = [joint for joint in self.joints if joint.kind is not JointKind.FIXED]
        names = [joint.name for joint in self.joints]
        if len(set(names)) != len(names):
            raise SoftshellError(f'chain {self.name!r}: a joint name occurs twice in {names}')
        if not moving:
            raise SoftshellError(f'chain {self.name!r}: no joint moves')
        variables = tuple(dict.fromkeys(str(joint.variable) for joint in moving))
        lower, upper, velocity = _limits(self.name, moving, variables)
        numbers, codes = _compile(self.joints, variables, self.tool)
        values = {
            'joints': tuple(self.joints),
            'tool': _frozen(self.tool),
            'variables': variables,
            'lower': _frozen(lower),
            'upper': _frozen(upper),
            'velocity': _frozen(velocity),
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

    def mask(self, variables: Iterable[str]) -> NDArray[np.uint8]:
        """(n,) 1 where a variable is named, else 0."""
        result = np.zeros(len(self), dtype=np.uint8)
        result[[self.index(variable) for variable in variables]] = 1
        return result

    def middle(self) -> Array:
        """(n,) the middle of each variable's range; 0 where it has no limits."""
        bounded = np.isfinite(self.lower) & np.isfinite(self.upper)
        result = np.zeros(len(self))
        result[bounded] = 0.5 * (self.lower[bounded] + self.upper[bounded])
        return result

    def random(self, count: int, generator: np.random.Generator) -> Array:
        """(count, n) configurations, uniform within limits, or within ±π where there are none."""
        low = np.where(np.isfinite(self.lower), self.lower, -np.pi)
        high = np.where(np.isfinite(self.upper), self.upper, np.pi)
        return generator.uniform(low, high, (count, len(self)))

    def forward(self, q: ArrayLike) -> Array:
        """Pose of the tip in the base.

        Args:
            q: (..., n) variables [rad] or [m].

        Returns:
            (..., 4, 4)
        """
        values, shape = self._rows(q)
        poses = np.empty((len(values), 12))
        self._forward(values, poses, np.empty((0, 6, len(self))))
        return matrices(poses).reshape(*shape, 4, 4)

    def forward_and_jacobian(self, q: ArrayLike) -> tuple[Array, Array]:
        """Pose of the tip (..., 4, 4) and geometric Jacobian (..., 6, n) in the base frame."""
        values, shape = self._rows(q)
        poses, jacobians = np.empty((len(values), 12)), np.empty((len(values), 6, len(self)))
        self._forward(values, poses, jacobians)
        return (
            matrices(poses).reshape(*shape, 4, 4),
            jacobians.reshape(*shape, 6, len(self)),
        )

    def _forward(self, q: Array, poses: Array, jacobians: Array) -> None:
        kernel.forward_batch(self._numbers, self._codes, q, poses, jacobians)

    def _rows(self, q: ArrayLike) -> tuple[Array, tuple[int, ...]]:
        values = np.asarray(q, dtype=np.float64)
        if values.shape[-1:] != (len(self),):
            raise SoftshellError(
                f'chain {self.name!r}: q has shape {values.shape}; expected (..., {len(self)}) '
                f'for {", ".join(self.variables)}'
            )
        rows = np.array(values.reshape(-1, len(self)), order='C')
        return rows, values.shape[:-1]


def matrices(poses: Array) -> Array:
    """(points, 4, 4) transforms of the kernels' (points, 12)."""
    result = np.zeros((len(poses), 4, 4))
    result[:, :3, :3] = poses[:, :9].reshape(-1, 3, 3)
    result[:, :3, 3] = poses[:, 9:]
    result[:, 3, 3] = 1.0
    return result


def _frozen(values: ArrayLike) -> Array:
    result = np.array(values, dtype=np.float64)
    result.setflags(write=False)
    return result


def _limits(
    chain: str, joints: Sequence[Joint], variables: tuple[str, ...]
) -> tuple[Array, Array, Array]:
    """Each variable's limits: where all joints that follow it are within theirs."""
    lower = np.full(len(variables), -np.inf)
    upper = np.full(len(variables), np.inf)
    velocity = np.full(len(variables), np.inf)
    for joint in joints:
        i = variables.index(str(joint.variable))
        if joint.multiplier == 0.0:
            continue
        ends = sorted(
            (end - joint.offset) / joint.multiplier for end in (joint.lower, joint.upper)
        )
        lower[i], upper[i] = max(lower[i], ends[0]), min(upper[i], ends[1])
        velocity[i] = min(velocity[i], joint.velocity / abs(joint.multiplier))
    for i, name in enumerate(variables):
        if lower[i] > upper[i]:
            raise SoftshellError(
                f'chain {chain!r}: no position of {name!r} is within the limits of all joints '
                f'that follow it ({lower[i]} > {upper[i]})'
            )
    return lower, upper, velocity


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
