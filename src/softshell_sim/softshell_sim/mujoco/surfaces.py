"""How pairs of shapes touch in MuJoCo: friction, bounce, springs, layers.

MuJoCo knows pairs, but neither restitution nor stiffness in N/m: both are put into the reference
that the solver pulls a contact to.
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
from softshell_sim.surfaces import Surfaces

#: Steps within which a rigid contact is made good, as the time constant of a spring, and its
#: damping as a part of critical: by less a body that falls would leave the floor again.
STIFFNESS_STEPS, DAMPING = 2.0, 4.0
#: Steps that a bounce takes: half a swing of the spring between two bodies.
BOUNCE_STEPS = 12.0
#: Instants within a step at which an impact is looked at.
INSTANTS = 32
#: Damping of a bounce at most, as a part of critical: it leaves 3 % of the speed.
MOST_DAMPING = 1.9
#: Part of a rigid contact's force that does not depend on its depth; the rest makes it soft.
IMPEDANCE = (0.95, 0.99, 0.001, 0.5, 2.0)
#: MuJoCo divides by a coefficient of friction.
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
    """Say of all pairs of shapes of a model how they touch.

    Args:
        model: MuJoCo's model.
        owner: (MuJoCo's bodies, 2) place in `bodies` of each, and its link.
        bodies: of the world.
        padding: of each [m].
        surfaces: of bodies and pairs.
    """
    ends = np.stack([model.geom_bodyid[model.pair_geom1], model.geom_bodyid[model.pair_geom2]], 1)
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


def spring(surface: Surface, inverse_mass: Array, step: float) -> tuple[Array, Array]:
    """MuJoCo's references and impedances of contacts that are springs with dampers.

    With the depth r, its rate v and implicit integration a contact pushes with
    k (r + h v') + d v', v' the rate after the step: with ERP = h k/(h k + d) and
    CFM = 1/(h k + d). MuJoCo solves a' + R f = −b v + k' r with R = A (1 − i)/i, i the impedance
    and A the inverse mass that it takes the two bodies to have: the same with R = CFM/h, b = 1/h
    and k' = ERP/h². Source of MuJoCo's part: its documentation, "Computation", constraint model.

    Args:
        surface: with stiffness and damping.
        inverse_mass: (pairs,) sum of both bodies' in the model [1/kg].
        step: of time [s].

    Returns:
        (pairs, 2) negative stiffness and damping in MuJoCo's scale, (pairs, 5) impedances.
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
    """MuJoCo's reference of a contact that leaves this part of the speed of an impact.

    Two bodies that touch are as on a spring and a damper, which push and never pull. The spring is
    as stiff as half a swing of `BOUNCE_STEPS` needs. The damping is found by bisection: it leaves
    the wanted part in the middle between the instants of a step at which an impact leaves most
    and least. Exact integration of the spring would be off by twice as much where it leaves
    little.

    Args:
        restitution: the part.
        step: of time [s].

    Returns:
        Time constant [s] and damping as a part of critical; of a bounce negative stiffness
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
    """Part of the speed that an impact leaves, in the middle of its instants within a step.

    The spring and damper are integrated as MuJoCo does, in units of a step: first the velocity,
    then with it the position.

    Args:
        damping: part of critical.
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
