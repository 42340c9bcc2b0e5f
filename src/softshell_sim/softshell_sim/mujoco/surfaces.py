"""How pairs of shapes touch in MuJoCo: friction, bounce, springs, layers.

MuJoCo has numbers for pairs, but neither restitution nor stiffness in N/m: both are translated
into the reference acceleration of a contact.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body, Surface
from softshell_sim.contact.surfaces import Surfaces
from softshell_sim.mujoco.arrays import pair_links

#: Time constant of a rigid contact in steps, and its damping ratio: with less damping a falling
#: body would bounce.
STIFFNESS_STEPS, DAMPING = 2.0, 4.0
#: Duration of a bounce in steps: half a period of the spring between two bodies.
BOUNCE_STEPS = 12.0
#: Number of instants within a step at which an impact may begin, in `_left`.
INSTANTS = 32
#: Largest damping ratio of a bounce: it leaves 3 % of the speed.
MOST_DAMPING = 1.9
#: Impedance of a rigid contact, MuJoCo's `solimp`: the nearer to 1, the harder.
IMPEDANCE = (0.95, 0.99, 0.001, 0.5, 2.0)
#: Smallest coefficient of friction: MuJoCo divides by it.
SMOOTHEST = 1e-5
#: MuJoCo keeps the impedance of a contact this far from 0 and 1.
NEAREST = 1e-4


def write_surfaces(
    model: Any,
    owner: NDArray[np.int64],
    bodies: Sequence[Body],
    padding: Sequence[float],
    surfaces: Surfaces,
) -> None:
    """Write friction, stiffness, damping and margin of all pairs of shapes into a model.

    Args:
        model: MuJoCo's model.
        owner: (MuJoCo's bodies, 2) place in `bodies` that each belongs to, and place of the link.
        bodies: of the world.
        padding: thickness of the layer of each [m].
        surfaces: of bodies and pairs.
    """
    ends = pair_links(model)
    owners = owner[ends, 0]
    model.pair_margin[:] = np.array(padding)[owners].sum(axis=1)
    model.pair_solreffriction[:] = 0.0
    inverse_mass = model.body_invweight0[ends, 0].sum(axis=1)
    step, classes = float(model.opt.timestep), surfaces.classes()
    place_of = {body: place for place, alike in enumerate(classes) for body in alike}
    alike = np.sort(np.array([place_of[body] for body in bodies], dtype=np.int64)[owners], axis=1)
    codes = alike[:, 0] * len(classes) + alike[:, 1]
    for code in np.unique(codes).tolist():
        pairs = np.flatnonzero(codes == code)
        one, other = divmod(code, len(classes))
        surface = surfaces.between(classes[one][0], classes[other][0])
        friction = max(surface.friction, SMOOTHEST)
        model.pair_friction[pairs] = [friction, friction, 0.0, 0.0, 0.0]
        if surface.stiffness is None:
            model.pair_solref[pairs] = contact_reference(surface.restitution, step)
            model.pair_solimp[pairs] = IMPEDANCE
        else:
            reference, impedance = spring(surface, inverse_mass[pairs], step)
            model.pair_solref[pairs], model.pair_solimp[pairs] = reference, impedance


def write_own_surface(model: Any, mask: int, surface: Surface) -> None:
    """Write how those rigid shapes touch each other that have a mask (see `masks_of`).

    MuJoCo takes means and maxima of their numbers, which here are equal.
    """
    shapes = model.geom_contype == mask
    model.geom_friction[shapes] = [max(surface.friction, SMOOTHEST), 0.0, 0.0]
    reference = contact_reference(surface.restitution, float(model.opt.timestep))
    model.geom_solref[shapes], model.geom_solimp[shapes] = reference, IMPEDANCE


def spring(surface: Surface, inverse_mass: Array, step: float) -> tuple[Array, Array]:
    """MuJoCo's references and impedances of contacts that are springs with dampers.

    A contact of depth r and rate v that is integrated implicitly pushes with k (r + h v') + d v',
    where v' is the rate after the step h: so ERP = h k/(h k + d) and CFM = 1/(h k + d). MuJoCo
    solves a' + R f = −b v + k' r with R = A (1 − i)/i, where i is the impedance and A the inverse
    mass of the two bodies. It is the same for R = CFM/h, b = 1/h and k' = ERP/h². Source of
    MuJoCo's part: its documentation, "Computation", constraint model.

    Args:
        surface: with stiffness and damping.
        inverse_mass: (pairs,) sum of the inverse masses of both bodies in the model [1/kg].
        step: duration of the step [s].

    Returns:
        (pairs, 2) `solref`: negative stiffness and damping in MuJoCo's scale; (pairs, 5) `solimp`.
    """
    stiffness, damping = surface.stiffness or 0.0, surface.damping or 0.0
    carried = step * stiffness + damping
    share = inverse_mass * step * carried
    impedance = np.clip(share / (1.0 + share), NEAREST, 1.0 - NEAREST)
    reference = -np.outer(impedance, [stiffness / carried / step, 1.0 / step])
    rest = np.tile([0.001, 0.5, 2.0], (len(impedance), 1))
    return reference, np.column_stack([impedance, impedance, rest])


@lru_cache
def contact_reference(restitution: float, step: float) -> tuple[float, float]:
    """MuJoCo's reference (`solref`) of a rigid contact with a restitution.

    Two bodies in contact are like on a spring and a damper that push and never pull. The stiffness
    is such that half a period takes `BOUNCE_STEPS`. The part of the speed that is left depends on
    the instant within a step at which the impact begins: the damping, found by bisection, puts the
    mean of the smallest and the largest part at the restitution. With the exact solution of the
    spring instead of MuJoCo's integration small restitutions would be off by twice as much.

    Args:
        restitution: part of the speed of an impact that is left.
        step: duration of the step [s].

    Returns:
        Without restitution the time constant [s] and the damping ratio; else negative stiffness
        [1/s^2] and negative damping [1/s].
    """
    if restitution <= 0.0:
        return STIFFNESS_STEPS * step, DAMPING
    low, high = 0.0, MOST_DAMPING
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _left(middle) > restitution else (low, middle)
    frequency = math.pi / (BOUNCE_STEPS * step)
    return -(frequency**2), -2.0 * low * frequency


@njit(cache=True)
def _left(damping: float) -> float:
    """Part of the speed that an impact leaves: mean of the extremes over instants within a step.

    Spring and damper are integrated as in MuJoCo, with the step as unit of time: first the
    velocity, then with it the position.

    Args:
        damping: damping ratio.
    """
    frequency = math.pi / BOUNCE_STEPS
    least, most = 1.0, 0.0
    for instant in range(INSTANTS):
        gap, speed = (instant + 0.5) / INSTANTS - 1.0, -1.0
        while gap < 0.0:
            push = -frequency * (frequency * gap + 2.0 * damping * speed)
            if push <= 0.0:
                break
            speed += push
            gap += speed
        least, most = min(least, speed), max(most, speed)
    return 0.5 * (least + most)
