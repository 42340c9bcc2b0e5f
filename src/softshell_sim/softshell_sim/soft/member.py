"""One soft manipulator of a body: its joints in the arrays of the body, springs and friction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softshell_continuum.elastic_chain import ElasticChain
from softshell_continuum.kernels import Ints
from softshell_continuum.parts import Part
from softshell_continuum.routes import Routes
from softshell_continuum.tendon import Tendon
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.contact.anisotropic_friction import SLACK, AnisotropicFriction
from softshell_sim.joints.springs import Springs


@dataclass(frozen=True, eq=False)
class SoftMember:
    """One manipulator of a soft body.

    Attributes:
        name: of the manipulator.
        chain: its joints and backbone.
        columns: (joints,) index of each of its joints in the arrays of the body.
        link: index of the body's link that its base is part of.
        base: (4, 4) of its base in that link.
        actuators: (joints,) number of the actuator of each joint.
        heights: (joints,) of a link of this actuator, which is the distance of its joints [m].
        routes: of its tendons.
    """

    name: str
    chain: ElasticChain
    columns: Ints
    link: int
    base: Array
    actuators: Ints
    heights: Array
    routes: Routes

    def kinds_of(self, actuator: int) -> list[Ints]:
        """Indices of an actuator's joints by axis, in the order in which the axes are defined."""
        if actuator not in self._kinds:
            places = np.flatnonzero(self.actuators == actuator)
            self._kinds[actuator] = self.chain.by_axis(places)
        return self._kinds[actuator]

    @cached_property
    def _kinds(self) -> dict[int, list[Ints]]:
        """Results of `kinds_of` so far, by actuator."""
        return {}


def soft_member(
    name: str,
    chain: ElasticChain,
    parts: Sequence[Part],
    joints: Sequence[str],
    links: Sequence[str],
    frames: Mapping[str, tuple[str, Array]],
    tendons: Sequence[Tendon],
) -> SoftMember:
    """A manipulator in a flattened body.

    Args:
        name: of the manipulator.
        chain: its joints and backbone.
        parts: its bodies, from the base outwards.
        joints, links: names of those of the flattened body.
        frames: of each link, the link of the flattened body that it became part of, and its (4, 4)
            pose in that.
        tendons: along it.
    """
    moved = [part for part in parts if part.joint is not None]
    columns = np.array([joints.index(part.joint_name) for part in moved], np.int64)
    link, base = frames[parts[0].name]
    actuators = np.array([part.actuator for part in moved], np.int64)
    height = {number: _link_height(parts, number) for number in set(actuators.tolist())}
    heights = np.array([height[number] for number in actuators.tolist()])
    return SoftMember(
        name, chain, columns, links.index(link), base, actuators, heights, Routes(chain, tendons)
    )


def _link_height(parts: Sequence[Part], actuator: int) -> float:
    """Height of a link of an actuator [m]: its first and its last part are half a link each."""
    own = [part for part in parts if part.actuator == actuator and part.soft]
    return sum(part.length for part in own) / sum(part.joint is not None for part in own)


def springs_of(moved: Sequence[Part], driven: int = 0, after: int = 0) -> Springs:
    """Springs of the joints of a body.

    Args:
        moved: parts that joints with springs move.
        driven, after: numbers of joints without springs, before and after those.
    """
    joints = [part.joint for part in moved if part.joint is not None]
    before, behind = [0.0] * driven, [0.0] * after
    return Springs.of(
        before + [joint.stiffness for joint in joints] + behind,
        before + [joint.damping for joint in joints] + behind,
        before + [joint.neutral for joint in joints] + behind,
        before + [joint.friction for joint in joints] + behind,
    )


def anisotropic_friction_of(
    parts: Sequence[Part], frames: Mapping[str, tuple[str, Array]]
) -> dict[str, AnisotropicFriction]:
    """Friction along and across the shapes of parts, by links of the flattened body.

    Args:
        parts: the parts.
        frames: as of `soft_member`.

    Raises:
        SoftshellError: parts that are fixed to each other differ in it.
    """
    found: dict[str, tuple[str, AnisotropicFriction]] = {}
    for part in parts:
        if not part.solids:
            continue
        solid, (link, pose) = part.solids[0], frames[part.name]
        axis = pose[:3, :3] @ solid.pose[:3, 2]
        mine = AnisotropicFriction(solid.link.friction_along, tuple(axis.tolist()))
        name, other = found.setdefault(link, (part.name, mine))
        parallel = abs(axis @ np.array(other.axis)) > 1.0 - SLACK
        if mine.along != other.along or (mine.along != 1.0 and not parallel):
            raise SoftshellError(
                f'{name} and {part.name} are fixed to each other and have friction_along '
                f'{other.along:g} and {mine.along:g}; expected the same along the same axis'
            )
    return {link: friction for link, (_, friction) in found.items() if friction.along != 1.0}
