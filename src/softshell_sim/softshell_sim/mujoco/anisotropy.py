"""Anisotropic friction of links in MuJoCo.

MuJoCo has two coefficients of friction for each contact, along the two axes of its tangent plane.
It chooses these axes when it finds the contact. So they are turned between that and the making of
the constraints.
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
    """Anisotropic friction of MuJoCo's bodies.

    Args:
        bodies: number of bodies in the model.
        links: friction of the bodies that have it, by their number in the model.
    """

    def __init__(self, bodies: int, links: Mapping[int, AnisotropicFriction]) -> None:
        self._axis = np.zeros((bodies, 3))
        self._along = np.full(bodies, np.nan)
        for number, friction in links.items():
            self._axis[number], self._along[number] = friction.axis, friction.along

    def turn_contacts(self, model: Any, data: Any, gravity: float) -> None:
        """Turn the frames of contacts to the axes of friction, between `mj_step1` and `mj_step2`.

        Args:
            model, data: of MuJoCo.
            gravity: size of the gravity [m/s^2].
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
    turns: Array,
    axes: Array,
    along: Array,
    frames: Array,
    friction: Array,
) -> bool:
    """Turn frames of contacts with anisotropic friction, and write the coefficient along the axis.

    Args:
        geoms: (contacts, 2) shapes that touch.
        body_of: (shapes,) body of each shape.
        turns: (bodies, 3, 3) rotation of the bodies in the world.
        axes: (bodies, 3) axis of friction in the frame of the body.
        along: (bodies,) friction along the axis divided by that across; NaN: it is isotropic.
        frames: (contacts, 9) rows normal, first and second tangent, in the world.
        friction: (contacts, 5) coefficients, along the two tangents first.

    Returns:
        Whether any contact was changed.
    """
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
                way[i] += turns[link, i, j] * axes[link, j]
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
