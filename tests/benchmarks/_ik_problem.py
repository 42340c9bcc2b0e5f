"""A case of the IK benchmark as its peers have it."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Problem:
    """Arrays of one case: transforms (n + 1, 4, 4), limits (2, n), poses (count, 4, 4)."""

    transforms: np.ndarray
    limits: np.ndarray
    poses: np.ndarray
    seeds: np.ndarray
    mask: np.ndarray
    searches: int

    @property
    def whole(self) -> bool:
        """Whether the orientation is asked for."""
        return bool(self.mask[3])

    def restart(self, number: int) -> np.ndarray:
        """A further seed, the same for every solver that has none of its own."""
        generator = np.random.default_rng(number)
        return generator.uniform(*self.limits)


def good(problem: Problem, i: int, q: np.ndarray) -> bool:
    """Whether a solution meets the benchmark's yardstick."""
    if np.any(q < problem.limits[0] - 1e-9) or np.any(q > problem.limits[1] + 1e-9):
        return False
    pose = np.eye(4)
    for constant, value in zip(problem.transforms, q, strict=False):
        turn = np.eye(4)
        turn[:2, :2] = [[np.cos(value), -np.sin(value)], [np.sin(value), np.cos(value)]]
        pose = pose @ constant @ turn
    difference = pose @ problem.transforms[-1] - problem.poses[i]
    near = np.linalg.norm(difference[:3, 3]) < 1e-4
    return near and (not problem.whole or np.linalg.norm(difference[:3, :3]) < 1.4e-3)


def nearest(problem: Problem, i: int, solutions: np.ndarray) -> np.ndarray:
    """The solution nearest to the seed within limits, by whole turns; else any."""
    low, high = problem.limits
    q = np.array(solutions).reshape(-1, len(low))
    q += 2.0 * np.pi * np.round((problem.seeds[i] - q) / (2.0 * np.pi))
    q += 2.0 * np.pi * (np.ceil((low - q) / (2.0 * np.pi)) * (q < low))
    q -= 2.0 * np.pi * (np.ceil((q - high) / (2.0 * np.pi)) * (q > high))
    distance = np.linalg.norm(q - problem.seeds[i], axis=1)
    distance[np.any(q < low, axis=1)] += 1e9
    return q[np.argmin(distance)]


def rpy(rotation: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch, yaw of a rotation."""
    pitch = np.arctan2(-rotation[2, 0], np.hypot(rotation[0, 0], rotation[1, 0]))
    roll = np.arctan2(rotation[2, 1], rotation[2, 2])
    return roll, pitch, np.arctan2(rotation[1, 0], rotation[0, 0])


#: Some mass, without which PyBullet takes a link for fixed.
INERTIAL = (
    '<inertial><mass value="0.1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" '
    'iyz="0"/></inertial>'
)


def urdf(problem: Problem, base: str = INERTIAL) -> str:
    """The chain as a URDF with links of some mass, and its base as given."""
    parts = [f'<link name="l0">{base}</link>']
    parts += [
        f'<link name="l{i}">{INERTIAL}</link>' for i in range(1, len(problem.transforms) + 1)
    ]
    for i, constant in enumerate(problem.transforms):
        xyz = ' '.join(f'{value:.17g}' for value in constant[:3, 3])
        turn = ' '.join(f'{value:.17g}' for value in rpy(constant))
        last = i == len(problem.transforms) - 1
        kind = 'fixed' if last else 'revolute'
        limit = ''
        if not last:
            low, high = problem.limits[:, i]
            limit = f'<limit lower="{low}" upper="{high}" effort="1" velocity="9"/>'
        parts.append(
            f'<joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/>'
            f'<origin xyz="{xyz}" rpy="{turn}"/><axis xyz="0 0 1"/>{limit}</joint>'
        )
    return f'<robot name="chain">{"".join(parts)}</robot>'


def quaternion(rotation: np.ndarray) -> np.ndarray:
    """(x, y, z, w) of a rotation, by its largest eigenvector (Bar-Itzhack)."""
    r = rotation
    matrix = np.array(
        [
            [r[0, 0] - r[1, 1] - r[2, 2], 0.0, 0.0, 0.0],
            [r[0, 1] + r[1, 0], r[1, 1] - r[0, 0] - r[2, 2], 0.0, 0.0],
            [r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], r[2, 2] - r[0, 0] - r[1, 1], 0.0],
            [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], np.trace(r)],
        ]
    )
    return np.linalg.eigh(matrix)[1][:, 3]
