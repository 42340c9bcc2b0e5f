"""Poses of the links of any robot, from its URDF and measured joints."""

from collections.abc import Mapping, Sequence

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.legged.stability import static_margin, support_polygon
from softshell_kinematics.model.urdf import Joint
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_kinematics.transforms import inverse, rotation_from_quaternion, transform
from softshell_sim.urdf.tree import from_the_root


class Figure:
    """A robot's tree of links.

    Args:
        text: the URDF.
        base: name of the base link; if there is no such link, the root is the base.

    Attributes:
        urdf: as parsed.
        links: names of all links; poses of links are in this order.
        mass: of the whole robot [kg].

    Raises:
        SoftshellError: the text is no URDF.
    """

    def __init__(self, text: str, base: str = '') -> None:
        self.urdf = parse_urdf(text)
        self.links = tuple(link.name for link in self.urdf.links)
        self._places = {name: place for place, name in enumerate(self.links)}
        self._base = self._places.get(base, self._places[self.urdf.root])
        self._joints = joints = from_the_root(self.urdf)
        self._edges = [(self._places[one.parent], self._places[one.child]) for one in joints]
        self._origins = np.array([one.origin for one in joints]).reshape(-1, 4, 4)
        self._axes = np.array([one.axis for one in joints]).reshape(-1, 3)
        self._slides = np.array([one.type == 'prismatic' for one in joints], dtype=bool)
        self._moves = np.array([one.movable and not one.loose for one in joints], dtype=bool)
        masses = np.array([link.mass for link in self.urdf.links])
        self.mass = float(masses.sum())
        self._weights = masses / self.mass if self.mass > 0.0 else masses
        self._coms = np.array([np.append(link.com, 1.0) for link in self.urdf.links])

    def poses(self, joints: Mapping[str, float], base: Array | None = None) -> Array:
        """(links, 4, 4) poses of all links.

        Args:
            joints: positions by name [rad] or [m]. A joint without one follows the joint that it
                mimics, or is at 0.
            base: (4, 4) pose of the base; None: the base is the origin.
        """
        values = np.array([_value(one, joints) for one in self._joints])
        local = self._origins @ _moved(self._axes, values, self._slides, self._moves)
        poses = np.empty((len(self.links), 4, 4))
        poses[self._places[self.urdf.root]] = np.eye(4)
        for (parent, child), step in zip(self._edges, local, strict=True):
            poses[child] = poses[parent] @ step
        place = inverse(poses[self._base])
        moved: Array = (place if base is None else base @ place) @ poses
        return moved

    def numbers(self, links: Sequence[str]) -> list[int]:
        """Indices of links in `links`, by their names; unknown names are left out."""
        return [self._places[name] for name in links if name in self._places]

    def centre_of_mass(self, poses: Array) -> Array:
        """(3,) centre of mass in the frame of the poses [m]; NaN if the robot has no masses.

        Args:
            poses: (links, 4, 4) of all links.
        """
        if not self._weights.any():
            return np.full(3, np.nan)
        centre: Array = np.einsum('l,lij,lj->i', self._weights, poses[:, :3], self._coms)
        return centre

    def curves(self, names: Sequence[str], plan: Array, feet: Sequence[str]) -> Array:
        """(feet, points, 3) paths of the feet along a plan, in base [m].

        Args:
            names: of the joints of the plan.
            plan: (points, joints) positions [rad] or [m].
            feet: names of the links; unknown ones are left out.
        """
        numbers = self.numbers(feet)
        rows = [
            self.poses(dict(zip(names, row.tolist(), strict=True)))[numbers, :3, 3] for row in plan
        ]
        return np.array(rows).reshape(len(plan), len(numbers), 3).transpose(1, 0, 2)


def pose_of(position: Array, orientation: Array) -> Array:
    """(4, 4) pose of a position (3,) [m] and a quaternion (4,) x, y, z, w."""
    return transform(rotation_from_quaternion(orientation), position)


def support(feet: Array, centre: Array) -> tuple[Array, float | None]:
    """The support polygon, and the static stability margin.

    Args:
        feet: (standing, 3) positions of the feet that stand [m].
        centre: (3,) centre of mass [m]; NaN: unknown.

    Returns:
        (corners, 2) of the polygon [m]; and the distance from the centre of mass to its edge [m],
        negative outside, None if it is unknown.
    """
    try:
        margin = static_margin(centre, feet) if np.isfinite(centre).all() and len(feet) else None
        return support_polygon(feet) if len(feet) else np.empty((0, 2)), margin
    except SoftshellError:  # the measurement is not usable, e.g. not finite
        return np.empty((0, 2)), None


def _value(joint: Joint, joints: Mapping[str, float]) -> float:
    """The position of a joint [rad] or [m]; see `Figure.poses`."""
    if joint.name in joints:
        return joints[joint.name]
    if joint.mimic is not None and joint.mimic.joint in joints:
        return joint.mimic.multiplier * joints[joint.mimic.joint] + joint.mimic.offset
    return 0.0


def _moved(axes: Array, values: Array, slides: Array, moves: Array) -> Array:
    """(joints, 4, 4) the transform of each joint: a rotation by Rodrigues' formula, or a shift.

    Args:
        axes: (joints, 3) unit vectors.
        values: (joints,) positions [rad] or [m].
        slides, moves: (joints,) whether a joint is prismatic, and whether it moves at all.
    """
    values = np.where(moves & np.isfinite(values), values, 0.0)
    angles = np.where(slides, 0.0, values)
    sine, versine = np.sin(angles)[:, None, None], (1.0 - np.cos(angles))[:, None, None]
    crosses = np.zeros((len(axes), 3, 3))
    x, y, z = axes.T
    crosses[:, 0, 1], crosses[:, 0, 2], crosses[:, 1, 2] = -z, y, -x
    crosses -= crosses.transpose(0, 2, 1)
    result = np.tile(np.eye(4), (len(axes), 1, 1))
    result[:, :3, :3] += sine * crosses + versine * (crosses @ crosses)
    result[:, :3, 3] = axes * np.where(slides, values, 0.0)[:, None]
    return result
