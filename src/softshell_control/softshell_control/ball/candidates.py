"""Ways to push with a panel: the least change of its joints that moves a point of it outwards."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_control.ball.cage import Cage, Panel
from softshell_kinematics.arrays import Array

#: How far out a point is pushed [m].
HEIGHTS = (0.029, 0.045, 0.070)
#: Where on a panel: parts of its span of elevation, and of half its width.
ELEVATIONS, AZIMUTHS = (0.15, 0.5, 0.85), (-0.6, 0.0, 0.6)
#: How far out all panels go when they bloom, that is open together [m].
BLOOM = 0.050


@dataclass(frozen=True, eq=False)
class Candidates:
    """The pushes that panels can make from the closed cage.

    Args:
        panel: (candidates,) number of the panel that moves.
        goals: (candidates, joints) positions of the pushed-out panel [rad].
        points: (candidates, points, 3) of the panel's surface there, from the ball's centre, in
            the base [m].
        bloom: (joints,) positions with all panels out [rad].
        joints: (panels, joints) whether a panel owns a joint.
    """

    panel: NDArray[np.int64]
    goals: Array
    points: Array
    bloom: Array
    joints: NDArray[np.bool_]


def candidates_of(cage: Cage) -> Candidates:
    """All candidates of a cage: each panel, point and height, except those that enter its room."""
    count = max(len(panel.points) for panel in cage.panels)
    owners, goals, points = [], [], []
    bloom = cage.closed.copy()
    owned = np.zeros((len(cage.panels), len(cage.closed)), dtype=bool)
    for number, panel in enumerate(cage.panels):
        owned[number, panel.joints[panel.moves]] = True
        for height in HEIGHTS:
            for point in _pushed(panel, cage):
                goal = pushed_out(panel, cage, point, height)
                surface = panel.surface(goal)
                if cage.is_in_room(surface):
                    continue
                owners.append(number)
                goals.append(goal)
                points.append(np.resize(surface - cage.centre, (count, 3)))
        middle = _pushed(panel, cage)[len(ELEVATIONS) * len(AZIMUTHS) // 2]
        out = pushed_out(panel, cage, middle, BLOOM)
        bloom[owned[number]] = out[owned[number]]
    return Candidates(np.array(owners), np.array(goals), np.array(points), bloom, owned)


def pushed_out(panel: Panel, cage: Cage, point: int, height: float) -> Array:
    """(joints,) positions [rad] that move a point of a panel outwards, from the closed cage.

    The least change by the Jacobian there; a joint that would leave its range stays at its end,
    and the others do the rest.

    Args:
        panel: of the cage.
        cage: of the robot.
        point: index in `panel.points`.
        height: how far [m].
    """
    start = cage.closed[panel.joints]
    pose, jacobian = panel.chain.forward_and_jacobian(start)
    arm = pose[:3, :3] @ panel.points[point]
    place = arm + pose[:3, 3] - cage.centre
    outwards = place / np.linalg.norm(place)
    # Of a point that turns with the link: v + ω × r.
    row = outwards @ jacobian[:3] + np.cross(arm, outwards) @ jacobian[3:]
    low, high = cage.lower[panel.joints] - start, cage.upper[panel.joints] - start
    change, free = np.zeros(len(start)), panel.moves.copy()
    for _ in range(len(start)):
        share = np.where(free, row, 0.0)
        if not share @ share > 0.0:
            break
        wanted = np.where(
            free, share * (height - row @ (change * ~free)) / (share @ share), change
        )
        change = np.clip(wanted, low, high)
        if np.array_equal(change, wanted):
            break
        free &= change == wanted
    goal = cage.closed.copy()
    goal[panel.joints] += change
    return goal


def _pushed(panel: Panel, cage: Cage) -> list[int]:
    """Indices in `panel.points` of the points to push, evenly over the panel."""
    surface = panel.surface(cage.closed) - cage.centre
    elevation = np.arctan2(surface[:, 2], np.hypot(surface[:, 0], surface[:, 1]))
    middle = surface.mean(axis=0)
    azimuth = np.arctan2(surface[:, 1], surface[:, 0]) - np.arctan2(middle[1], middle[0])
    azimuth = (azimuth + np.pi) % (2.0 * np.pi) - np.pi
    low, high, half = elevation.min(), elevation.max(), np.abs(azimuth).max()
    directions = surface / np.linalg.norm(surface, axis=1)[:, None]
    chosen = []
    for up in ELEVATIONS:
        for along in AZIMUTHS:
            to, turn = low + up * (high - low), np.arctan2(middle[1], middle[0]) + along * half
            wanted = [np.cos(to) * np.cos(turn), np.cos(to) * np.sin(turn), np.sin(to)]
            chosen.append(int(np.argmax(directions @ wanted)))
    return chosen
