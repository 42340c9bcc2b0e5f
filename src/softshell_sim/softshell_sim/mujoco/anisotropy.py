"""Links of MuJoCo that have another friction along an axis than across it.

MuJoCo has two coefficients for each contact, along the two axes of its plane. Where these are is
found with the contact; so they are turned between that and all that follows from it.
"""

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.contact.anisotropic_friction import UPRIGHT, AnisotropicFriction
from softshell_sim.mujoco.friction import correct_anisotropic_friction
from softshell_sim.mujoco.surfaces import SMOOTHEST


class Anisotropy:
    """Friction along and across axes of MuJoCo's bodies.

    Args:
        bodies: how many MuJoCo has.
        links: friction of those that have it, by MuJoCo's number.
    """

    def __init__(self, bodies: int, links: Mapping[int, AnisotropicFriction]) -> None:
        self._axis = np.zeros((bodies, 3))
        self._along = np.full(bodies, np.nan)
        for number, friction in links.items():
            self._axis[number], self._along[number] = friction.axis, friction.along

    def turn_contacts(self, model: Any, data: Any, gravity: float) -> None:
        """Have contacts lie along the axes, between MuJoCo's two halves of a step.

        Args:
            model, data: of MuJoCo.
            gravity: [m/s^2].
        """
        contact = data.contact
        if not _turn(
            contact.geom, model.geom_bodyid, data.xmat.reshape(-1, 3, 3), self._axis, self._along,
            contact.frame, contact.friction,
        ):  # fmt: skip
            return
        mujoco.mj_makeConstraint(model, data)
        mujoco.mj_island(model, data)
        mujoco.mj_projectConstraint(model, data)
        mujoco.mj_referenceConstraint(model, data)
        before = np.zeros(data.nefc)
        mujoco.mj_mulJacVec(model, data, before, data.qacc_warmstart)
        correct_anisotropic_friction(
            contact.efc_address, contact.friction, data.efc_aref, before, gravity
        )


@njit(cache=True)
def _turn(
    geoms: NDArray[np.int32],
    body_of: NDArray[np.int32],
    turned: Array,
    axes: Array,
    along: Array,
    frames: Array,
    friction: Array,
) -> bool:
    """Turn frames of contacts, and write both coefficients; whether there were any."""
    found = False
    for contact in range(len(geoms)):
        one, other = body_of[geoms[contact, 0]], body_of[geoms[contact, 1]]
        if np.isnan(along[one]) == np.isnan(along[other]):
            continue
        link = other if np.isnan(along[one]) else one
        frame = frames[contact]
        way = np.zeros(3)
        for i in range(3):
            for j in range(3):
                way[i] += turned[link, i, j] * axes[link, j]
        upright = way[0] * frame[0] + way[1] * frame[1] + way[2] * frame[2]
        for i in range(3):
            way[i] -= upright * frame[i]
        length = np.sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2)
        if length < UPRIGHT:
            continue
        for i in range(3):
            frame[3 + i] = way[i] / length
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            frame[6 + i] = frame[j] * frame[3 + k] - frame[k] * frame[3 + j]
        friction[contact, 0] = max(along[link] * friction[contact, 1], SMOOTHEST)
        found = True
    return found
