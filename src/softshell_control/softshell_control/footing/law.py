"""Corrections of the height of each foot on uneven ground.

The plan is a walk on level ground, in the base's frame. Each foot gets a correction along the
normal of that ground. A foot that stands keeps the height at which it met the real ground. A foot
that comes down stops where it meets the ground early, and reaches further where it meets none. All
corrections together keep the base level and at its height, as the plan has them. The ground ahead
is estimated by the plane through the feet that stand.

After M. Bjelonic et al., "Weaver: Hexapod robot for autonomous navigation on unstructured
terrain", Journal of Field Robotics 35, 2018, whose feet stop and reach likewise.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array

#: For each foot, whether it touches anything, whether the ground carries it, and how what holds it
#: back pushes it: (feet, 3) in the base, in equal shares of the weight; zeros if nothing does.
Felt = tuple[NDArray[np.bool_], NDArray[np.bool_], Array]

#: A planned foot swings once it is so much above the ground [m] and rises by more than so much
#: [m/s]; it stands when it is so near.
LIFTED, LIFTING, LANDED = 0.004, 0.005, 0.002
#: It comes down once it is so much below the highest point of its swing [m].
COMING_DOWN = 0.002
#: A rising foot that touches something above this height is raised further [m].
CLEAR = 0.012
#: Longest time without a load of a foot that lands, and of one that has stood [s].
LANDING, GRACE = 0.03, 0.06
#: How fast a foot reaches down, and the fastest correction [m/s].
REACHING, FASTEST = 0.2, 0.4
#: How fast a foot in the air yields to a push along the ground by an equal share of the weight, or
#: more [m/s].
YIELDING = 0.3
#: A swinging foot that is pulled down by more than it is pushed, and by this part of an equal
#: share of the weight, yields downwards: as fast as `FASTEST` for each further share. A wall that
#: it is pressed against, and rises along, pulls it by less than it pushes it, by friction.
PULLED = 0.5
#: Change of the speed of a correction [m/s²].
ACCELERATION = 12.0
#: Lowest and highest correction [m].
LOWEST, HIGHEST = -0.06, 0.06
#: Farthest correction along the ground [m].
FARTHEST = 0.05
#: Time constants of the base's height, of its tilt, of the slope ahead, of feet in the air [s].
RISING, LEVELLING, SLOPING, AIMING = 0.6, 0.25, 1.0, 0.08
#: Fastest correction of the base [m/s].
FASTEST_BASE = 0.1
#: Added to the sums of the squares of the feet's distances from their middle: feet that are close
#: together tell no slope [m²].
NARROW = 0.01


class Soles(NamedTuple):
    """What is remembered of each foot; all arrays are written in place.

    Attributes:
        shift: (feet,) correction along the planned ground's normal [m].
        speed: (feet,) its change [m/s].
        height: (feet,) of the planned foot above the planned ground [m]; NaN at first.
        highest: (feet,) largest height in the present swing [m].
        swings: (feet,) whether the planned foot is in the air.
        met: (feet,) whether it has met the ground since it came down.
        idle: (feet,) for how long it has stood without a load [s].
        slope: (2,) of the corrections, along x and y of the base.
        before: (feet, 3) where each was planned a period before [m]; NaN at first.
        aside: (feet, 3) correction along the planned ground, of feet that landed early [m].
    """

    shift: Array
    speed: Array
    height: Array
    highest: Array
    swings: NDArray[np.bool_]
    met: NDArray[np.bool_]
    idle: Array
    slope: Array
    before: Array
    aside: Array

    @classmethod
    def standing(cls, n: int) -> 'Soles':
        """Feet that stand on level ground."""
        shift, speed, highest, idle = np.zeros((4, n))
        air, met = np.zeros(n, dtype=np.bool_), np.ones(n, dtype=np.bool_)
        unknown = np.full((n, 3), np.nan)
        return cls(
            shift, speed, unknown[:, 0].copy(), highest, air, met, idle, np.zeros(2), unknown,
            np.zeros((n, 3)),
        )  # fmt: skip


@njit(cache=True)
def adapt(soles: Soles, feet: Array, felt: Felt, up: Array, seconds: float, normal: Array) -> None:
    """Renew the corrections for one control period.

    Args:
        soles: as of the period before; renewed.
        feet: (feet, 3) planned, in the base [m].
        felt: of each foot.
        up: (3,) the vertical in the base; zeros: not known.
        seconds: the period [s].
        normal: (3,) written: of the planned ground, in the base.
    """
    n = len(feet)
    falling = _look(soles, feet, seconds, normal)
    touching, carried, held = felt
    if not carried.any():  # no foot feels the ground: take the plan's feet that stand
        carried = ~soles.swings
    firm = carried & ~soles.swings
    if firm.sum() < 3:
        firm = ~soles.swings
    middle, mean = _mean(soles, feet, firm)
    ahead = _slope(soles, feet, firm, middle, mean, seconds)
    turn = np.zeros(3)
    if up.any():
        turn[:] = np.cross(normal, up) / LEVELLING
    for i in range(n):
        arm = feet[i] - middle
        lean = float(np.cross(turn, arm) @ normal)
        base = min(max(-mean / RISING - lean, -FASTEST_BASE), FASTEST_BASE)
        guess = mean + ahead[0] * arm[0] + ahead[1] * arm[1]
        wanted = base + _own(soles, i, (touching[i], carried[i]), falling[i], guess, seconds)
        if soles.swings[i]:  # a leg that pulls at a wedged foot tilts the base
            push = _along(held[i], normal)
            pull = -(held[i] @ normal) - math.sqrt(push @ push)
            wanted -= FASTEST * max(pull - PULLED, 0.0)
        _move(soles, i, wanted, seconds)
    _stay(soles, feet, held, normal, seconds)
    soles.before[:] = feet


@njit(cache=True)
def _stay(soles: Soles, feet: Array, held: Array, normal: Array, seconds: float) -> None:
    """Move feet that landed early with the ground; feet in the air return to their plan.

    Feet in the air that are held back go with the ground as well, straight up, and yield to what
    pushes them: a leg that pulls against a wall presses against it, and the harder it pulls the
    more friction holds it, until the base tilts.
    """
    stands = ~soles.swings
    count = stands.sum()
    middle, drift, swept, spread = np.zeros(3), np.zeros(3), 0.0, 1e-6
    for i in range(len(feet)):
        if stands[i]:
            middle += feet[i] / count
            drift += (feet[i] - soles.before[i]) / count
    for i in range(len(feet)):
        if stands[i]:
            arm = feet[i] - middle
            swept += float(np.cross(arm, feet[i] - soles.before[i] - drift) @ normal)
            spread += float(arm @ arm)
    for i in range(len(feet)):
        if stands[i]:
            continue
        holds = held[i].any()
        if not (soles.met[i] or holds):
            soles.aside[i] *= 1.0 - seconds / (seconds + AIMING)
            continue
        way = drift + swept / spread * np.cross(normal, feet[i] - middle)
        way -= feet[i] - soles.before[i]
        if holds:
            push = _along(held[i], normal)
            way += YIELDING * seconds * push / max(math.sqrt(push @ push), 1.0)
        if math.isfinite(way.sum()):
            soles.aside[i] += _along(way, normal)
        far = math.sqrt(soles.aside[i] @ soles.aside[i]) / FARTHEST
        soles.aside[i] /= max(far, 1.0)


@njit(cache=True)
def _along(vector: Array, normal: Array) -> Array:
    """(3,) the part of a vector along the planned ground."""
    return vector - (vector @ normal) * normal


@njit(cache=True)
def rest(soles: Soles, seconds: float) -> None:
    """Take all corrections back, for a motion that is not one on feet."""
    for i in range(len(soles.shift)):
        soles.swings[i], soles.met[i], soles.idle[i] = False, True, 0.0
        soles.height[i], soles.highest[i], soles.before[i] = math.nan, 0.0, math.nan
        far = math.sqrt(soles.aside[i] @ soles.aside[i])
        soles.aside[i] *= max(0.0, 1.0 - FASTEST_BASE * seconds / max(far, 1e-9))
        wanted = -soles.shift[i] / AIMING
        _move(soles, i, min(max(wanted, -FASTEST_BASE), FASTEST_BASE), seconds)
        if abs(soles.shift[i]) < 1e-6 and abs(soles.speed[i]) < 1e-3:
            soles.shift[i] = soles.speed[i] = 0.0


@njit(cache=True)
def _own(
    soles: Soles, i: int, felt: tuple[bool, bool], falling: float, guess: float, seconds: float
) -> float:
    """Speed of a foot's correction beside that of the base [m/s]."""
    touches, carried = felt
    if not soles.swings[i]:
        soles.idle[i] = 0.0 if carried else soles.idle[i] + seconds
        soles.met[i] = soles.met[i] or carried
        return 0.0 if soles.idle[i] <= (GRACE if soles.met[i] else LANDING) else -REACHING
    soles.idle[i] = 0.0
    if soles.height[i] > soles.highest[i] - COMING_DOWN:
        soles.met[i] = False
        wanted = max(guess - soles.shift[i], 0.0) / AIMING
        if touches and soles.height[i] > CLEAR:  # a step, or a stone
            wanted = REACHING
    else:
        soles.met[i] = carried
        wanted = falling if carried else (guess - soles.shift[i]) / AIMING
    limited: float = min(max(wanted, -FASTEST), FASTEST)
    return limited


@njit(cache=True)
def _move(soles: Soles, i: int, wanted: float, seconds: float) -> None:
    """Change a correction towards a speed [m/s]; it stays within its range."""
    room = (HIGHEST if wanted > 0.0 else LOWEST) - soles.shift[i]
    fastest = math.sqrt(2.0 * ACCELERATION * abs(room))
    wanted = min(max(wanted, -fastest), fastest)
    if room * wanted <= 0.0:
        wanted = 0.0
    most = ACCELERATION * seconds
    soles.speed[i] += min(max(wanted - soles.speed[i], -most), most)
    soles.shift[i] += soles.speed[i] * seconds


@njit(cache=True)
def _look(soles: Soles, feet: Array, seconds: float, normal: Array) -> Array:
    """Renew which planned feet swing; writes the normal; (feet,) how fast they come down [m/s]."""
    n = len(feet)
    matrix, right = np.zeros((3, 3)), np.zeros(3)
    row = np.zeros(3)
    for i in range(n):
        if not soles.swings[i]:
            row[0], row[1], row[2] = 1.0, feet[i, 0], feet[i, 1]
            for j in range(3):
                right[j] += row[j] * feet[i, 2]
                for k in range(3):
                    matrix[j, k] += row[j] * row[k]
    for j in range(3):
        matrix[j, j] += 1e-6
    plane = np.linalg.solve(matrix, right)
    normal[0], normal[1], normal[2] = -plane[1], -plane[2], 1.0
    normal /= math.sqrt(1.0 + plane[1] ** 2 + plane[2] ** 2)
    falling = np.zeros(n)
    for i in range(n):
        rise = feet[i, 2] - plane[0] - plane[1] * feet[i, 0] - plane[2] * feet[i, 1]
        height = rise * normal[2]
        if math.isfinite(soles.height[i]):
            falling[i] = (soles.height[i] - height) / seconds
        soles.height[i] = height
        lifts = height > LIFTED and -falling[i] > LIFTING
        swings = height > LANDED if soles.swings[i] else lifts
        soles.highest[i] = max(soles.highest[i], height) if swings else 0.0
        soles.swings[i] = swings
    if soles.swings.sum() > n - 2:  # no walk at all
        soles.swings[:] = False
    return falling


@njit(cache=True)
def _mean(soles: Soles, feet: Array, firm: NDArray[np.bool_]) -> tuple[Array, float]:
    """(3,) middle of the feet that stand firm [m], and the mean of their corrections [m]."""
    middle, mean = np.zeros(3), 0.0
    for i in range(len(firm)):
        if firm[i]:
            middle += feet[i]
            mean += soles.shift[i]
    count = max(firm.sum(), 1)
    return middle / count, mean / count


@njit(cache=True)
def _slope(
    soles: Soles, feet: Array, firm: NDArray[np.bool_], middle: Array, mean: float, seconds: float
) -> Array:
    """(2,) slope of the corrections along x and y, renewed."""
    xx = yy = NARROW
    xy = xz = yz = 0.0
    for i in range(len(firm)):
        if firm[i]:
            x, y = feet[i, 0] - middle[0], feet[i, 1] - middle[1]
            z = soles.shift[i] - mean
            xx, xy, yy = xx + x * x, xy + x * y, yy + y * y
            xz, yz = xz + x * z, yz + y * z
    whole = xx * yy - xy * xy
    share = seconds / (seconds + SLOPING)
    soles.slope[0] += share * ((yy * xz - xy * yz) / whole - soles.slope[0])
    soles.slope[1] += share * ((xx * yz - xy * xz) / whole - soles.slope[1])
    return soles.slope
